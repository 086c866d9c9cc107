import { attributeAt, attributeText } from '../../../shared/domain/attributes.ts';

/** Returns true if an item of a list is selected. */
export type Filter<Item> = (item: Item) => boolean;

interface Condition {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * Parses the query parameters `filter.<dotted.path>=<value>` to a filter; all of them must match (completion 1.1). A
 * parameter matches if its value is the text form of the attribute. An empty value matches an attribute that is null or
 * missing.
 *
 * @returns undefined if the query has no filter
 */
export function filterOf(query: URLSearchParams): Filter<unknown> | undefined {
  const allConditions: Condition[] = [];
  for (const [key, text] of query) {
    const path = key.startsWith('filter.') ? key.slice('filter.'.length) : '';
    if (path !== '') allConditions.push({ path: path.split('.'), text });
  }
  // As recorded from Sensu, a condition on a whole object is ignored if there are conditions on its attributes.
  const conditions = allConditions.filter((one) => !allConditions.some((other) => isInside(other.path, one.path)));
  if (conditions.length === 0) return undefined;
  return (item) => conditions.every(({ path, text }) => attributeText(attributeAt(item, path)) === text);
}

function isInside(path: readonly string[], outer: readonly string[]): boolean {
  return path.length > outer.length && outer.every((part, at) => part === path[at]);
}
