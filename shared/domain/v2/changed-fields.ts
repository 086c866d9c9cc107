import { isAttributes, type Attributes } from '../attributes.ts';

/** Paths of the fields that only the backend sets. A PUT cannot change them. */
const BACKEND_FIELDS: ReadonlySet<string> = new Set(['metadata.created_by']);

/**
 * Returns the paths of the fields that a PUT would change, such as `proxy_requests.splay`, in alphabetical order. An
 * absent field equals zero, empty or null, because the API returns such values for fields that are not set. Lists are
 * compared as a whole.
 *
 * @param before the stored object, as returned by the API
 * @param after the object to send
 */
export function changedFields(before: Attributes, after: Attributes): readonly string[] {
  return changedPaths('', before, after)
    .filter((path) => !BACKEND_FIELDS.has(path))
    .toSorted();
}

function changedPaths(prefix: string, before: Attributes, after: Attributes): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const path = `${prefix}${name}`;
    const [old, next] = [before[name], after[name]];
    if (isAttributes(old) || isAttributes(next)) {
      const isSameKind = (isAttributes(old) || isZero(old)) && (isAttributes(next) || isZero(next));
      if (!isSameKind) return [path];
      return changedPaths(`${path}.`, isAttributes(old) ? old : {}, isAttributes(next) ? next : {});
    }
    return isEqual(old, next) ? [] : [path];
  });
}

function isEqual(a: unknown, b: unknown): boolean {
  if (isZero(a) && isZero(b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isEqual(item, b[at]));
  if (isAttributes(a) && isAttributes(b)) return changedPaths('', a, b).length === 0;
  return a === b;
}

function isZero(value: unknown): boolean {
  if (!value) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isAttributes(value) && Object.values(value).every(isZero);
}
