import type { SearchOf } from './search-language.ts';
import type { SearchNode } from './search-syntax.ts';

/** Whether the verdicts of one search also hold under another. */
export interface CarriedVerdicts {
  /** Whether rows that matched still match, and whether rows that did not match still do not. */
  readonly matched: boolean;
  readonly missed: boolean;
}

/** Returns which verdicts of `before` also hold for `next`, as long as the row does not change. */
export function carriedVerdicts<Row>(next: SearchOf<Row>, before: SearchOf<Row>): CarriedVerdicts {
  const isSame = next.text === before.text && !next.usesTime;
  return { matched: isSame || isNarrowerSearch(before, next), missed: isSame || isNarrowerSearch(next, before) };
}

/**
 * Whether `before` matched everything that `next` matches, as after typing another letter. Only conjunctions of words
 * are recognized; `false` means unknown.
 */
export function isNarrowerSearch<Row>(next: SearchOf<Row>, before: SearchOf<Row>): boolean {
  const words = needed(next.tree).flatMap((node) => (node.kind === 'word' ? node.text.toLowerCase() : []));
  return needed(before.tree).every(
    (node) => node.kind === 'word' && words.some((word) => word.includes(node.text.toLowerCase())),
  );
}

/** Returns the conditions that must all hold; empty for a search that matches every row. */
function needed<Row>(tree: SearchNode<Row> | undefined): readonly SearchNode<Row>[] {
  if (tree === undefined) return [];
  return tree.kind === 'and' ? tree.nodes : [tree];
}
