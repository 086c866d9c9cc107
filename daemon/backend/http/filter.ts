import { attributeAt, attributeText } from '../../../shared/domain/attributes.ts';

/** Whether an item of a list is wanted. */
export type Filter<Item> = (item: Item) => boolean;

interface Condition {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * `filter.<dotted.path>=<value>`, all of which must hold (completion 1.1). An attribute matches the text it is written
 * as; an empty value matches one that is null or missing.
 *
 * @returns undefined when the query filters nothing
 */
export function filterOf(query: URLSearchParams): Filter<unknown> | undefined {
  const given: Condition[] = [];
  for (const [key, text] of query) {
    const path = key.startsWith('filter.') ? key.slice('filter.'.length) : '';
    if (path !== '') given.push({ path: path.split('.'), text });
  }
  // A condition on an object as a whole gives way to those on its attributes, as recorded.
  const conditions = given.filter((one) => !given.some((other) => isInside(other.path, one.path)));
  if (conditions.length === 0) return undefined;
  return (item) => conditions.every(({ path, text }) => attributeText(attributeAt(item, path)) === text);
}

function isInside(path: readonly string[], outer: readonly string[]): boolean {
  return path.length > outer.length && outer.every((part, at) => part === path[at]);
}
