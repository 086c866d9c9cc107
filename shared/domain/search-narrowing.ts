import type { SearchOf } from './search-language.ts';
import type { SearchNode } from './search-syntax.ts';

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
