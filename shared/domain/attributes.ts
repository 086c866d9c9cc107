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

/** A condition that begins so is an expression. There is no language for them yet: it matches nothing. */
const EXPRESSION = 'eval:';

/**
 * Whether a record has all wanted attributes (completion 1.9): each is equal, or equal as text, or both are objects and
 * the same holds inside.
 */
export function matchesAttributes(wanted: Attributes, record: Attributes): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const found = Object.hasOwn(record, name) ? record[name] : undefined;
    if (isAttributes(value) && isAttributes(found)) return matchesAttributes(value, found);
    return !isExpression(value) && attributeText(value) === attributeText(found);
  });
}

/** Where the wanted attributes hold expressions, as dotted paths. */
export function expressionPaths(wanted: Attributes): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    if (isExpression(value)) return [name];
    return isAttributes(value) ? expressionPaths(value).map((path) => `${name}.${path}`) : [];
  });
}

export function isAttributes(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isExpression(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(EXPRESSION);
}
