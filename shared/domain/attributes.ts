/** Attributes of a record, nested in objects. A path follows own attributes only and never reaches a prototype (S9). */
export type Attributes = Readonly<Record<string, unknown>>;

/** Returns the value at a path, or undefined. A path cannot lead into a list. */
export function attributeAt(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const part of path) {
    if (!isAttributes(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/**
 * Formats an attribute as text. Null and undefined become an empty text. Lists have the format of Ruby, `["a", "b"]`,
 * and objects JSON, so that no single word equals a list.
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
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
