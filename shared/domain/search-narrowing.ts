import type { SearchOf } from './search-language.ts';
import type { SearchNode } from './search-syntax.ts';

/** What is known of a row under one search by what became of it under another. */
export interface CarriedVerdicts {
  /** Whether what was found is found again, and whether what was not found is not. */
  readonly found: boolean;
  readonly missed: boolean;
}

/** What `next` needs not look at again after `before` has, as long as the row is the same. */
export function carriedVerdicts<Row>(next: SearchOf<Row>, before: SearchOf<Row>): CarriedVerdicts {
  const isSame = next.text === before.text && !next.usesTime;
  return { found: isSame || isNarrowerSearch(before, next), missed: isSame || isNarrowerSearch(next, before) };
}

/**
 * Whether everything that `next` finds was found by `before`, too, as when another letter is typed. It is told of words
 * that all must be there, and of nothing else: `false` means that nobody knows.
 */
export function isNarrowerSearch<Row>(next: SearchOf<Row>, before: SearchOf<Row>): boolean {
  const wanted = needed(next.tree).flatMap((node) => (node.kind === 'word' ? node.text.toLowerCase() : []));
  return needed(before.tree).every(
    (node) => node.kind === 'word' && wanted.some((word) => word.includes(node.text.toLowerCase())),
  );
}

/** What must all hold; nothing for a search that finds everything. */
function needed<Row>(tree: SearchNode<Row> | undefined): readonly SearchNode<Row>[] {
  if (tree === undefined) return [];
  return tree.kind === 'and' ? tree.nodes : [tree];
}
