/** Attributes of a record, nested in objects. Attribute paths follow own properties only, never a prototype (S9). */
export type Attributes = Readonly<Record<string, unknown>>;

/** Returns the value at an attribute path; undefined if there is none. A path cannot select an item of a list. */
export function readAttributePath(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const part of path) {
    if (!isAttributes(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/**
 * Formats the value of an attribute as text. Null and undefined become an empty text. Lists have the format of Ruby,
 * `["a", "b"]`, so that the text of a list never equals a plain word. Objects become JSON.
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

/** Returns the strings in a list; empty if the value is not a list. */
export function textItemsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
