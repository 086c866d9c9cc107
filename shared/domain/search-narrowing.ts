import type { ParsedSearch } from './search-language.ts';
import type { SearchNode } from './search-syntax.ts';

/** The results of an earlier search that can be reused for a later one, such as after another letter was typed. */
export interface ReusableResults {
  /**
   * `matched`: all rows that matched the earlier search match the later one too. `missed`: all rows that did not match
   * the earlier search do not match the later one either.
   */
  readonly matched: boolean;
  readonly missed: boolean;
}

/** Returns which results of the search `before` are also valid for the search `next`, for rows that did not change. */
export function reusableResults<Row>(next: ParsedSearch<Row>, before: ParsedSearch<Row>): ReusableResults {
  const isSame = next.text === before.text && !next.usesTime;
  return { matched: isSame || isNarrowerSearch(before, next), missed: isSame || isNarrowerSearch(next, before) };
}

/**
 * Whether `before` matches every row that `next` matches, such as after another letter was typed. This is recognized
 * only if `before` consists of words that must all match. False means that it is unknown.
 */
export function isNarrowerSearch<Row>(next: ParsedSearch<Row>, before: ParsedSearch<Row>): boolean {
  const words = requiredNodes(next.tree).flatMap((node) => (node.kind === 'word' ? node.text.toLowerCase() : []));
  return requiredNodes(before.tree).every(
    (node) => node.kind === 'word' && words.some((word) => word.includes(node.text.toLowerCase())),
  );
}

/** Returns the nodes of a search that must all match; empty for a search that matches every row. */
function requiredNodes<Row>(tree: SearchNode<Row> | undefined): readonly SearchNode<Row>[] {
  if (tree === undefined) return [];
  return tree.kind === 'and' ? tree.nodes : [tree];
}
