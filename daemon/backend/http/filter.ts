import { readAttributePath, attributeText } from '../../../shared/domain/attributes.ts';

/** Returns true if the list contains this item after filtering. */
export type Filter<Item> = (item: Item) => boolean;

interface Condition {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * Parses the query parameters `filter.<dotted.path>=<value>`; an item must match all of them (completion 1.1). An item
 * matches a parameter if its attribute at the path, as text, equals the value. An empty value matches an attribute that
 * is null or missing.
 *
 * @returns undefined if the query has no such parameter
 */
export function filterOf(query: URLSearchParams): Filter<unknown> | undefined {
  const allConditions: Condition[] = [];
  for (const [key, text] of query) {
    const path = key.startsWith('filter.') ? key.slice('filter.'.length) : '';
    if (path !== '') allConditions.push({ path: path.split('.'), text });
  }
  // Sensu ignores a condition on a whole object if there are conditions on its attributes (recorded behavior).
  const conditions = allConditions.filter((one) => !allConditions.some((other) => isInside(other.path, one.path)));
  if (conditions.length === 0) return undefined;
  return (item) => conditions.every(({ path, text }) => attributeText(readAttributePath(item, path)) === text);
}

function isInside(path: readonly string[], outer: readonly string[]): boolean {
  return path.length > outer.length && outer.every((part, at) => part === path[at]);
}
