/** Attributes of a record, nested in objects. A path follows own attributes only: it must never reach a prototype (S9). */
export type Attributes = Readonly<Record<string, unknown>>;

/** The value at a path; undefined where there is none. Lists are values, no path leads into one. */
export function attributeAt(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const part of path) {
    if (!isAttributes(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/**
 * An attribute as text: null and absent are empty, lists and objects in the peer's printed form, `["a", "b"]`, so that
 * no single word equals a list.
 */
export function attributeText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  return JSON.stringify(value);
}

export function isAttributes(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The texts of a list; none where there is no list. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
