import { isAttributes } from '../attributes.ts';

/**
 * Applies a JSON merge patch (RFC 7396): attributes of the patch replace those of the document, objects are merged
 * recursively, and null removes an attribute. The caller must limit the nesting depth of both arguments, because the
 * function is recursive.
 */
export function mergePatch(document: unknown, patch: unknown): unknown {
  if (!isAttributes(patch)) return patch;
  const merged = new Map(Object.entries(isAttributes(document) ? document : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
