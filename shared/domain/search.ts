import type { EventRow } from '../schemas/feed.ts';
import { matchesFlag } from './search-fields.ts';
import { parseSearchTree, printSearchTree, type SearchNode, type SearchProblem } from './search-syntax.ts';

/**
 * The search language of console, `monctl`, REST and feed.
 *
 * - `disk full`: both words somewhere in client, check or output; `"disk full"`: this text; letter case never counts
 * - `!web` or `not web`, `and` (also without the word), `or`, parentheses
 * - `client=web-1`, `client!=web-1`, `client~web-*` (`*` any text, `?` any character; without them: contains)
 * - `status>=warn`: ok < warn < crit < unknown, or numbers
 * - `occurrences>3`, `action=create`, `silenced`, `flapping`, `silenced_by~client:*`
 * - `backend=prod` where events of several backends are listed as one
 * - `age>1h` since it entered its status, `last<5m` since its last result
 */
export interface Search {
  readonly kind: 'search';
  /** As it was typed. */
  readonly text: string;
  /** Absent when it finds everything. */
  readonly tree?: SearchNode;
  readonly test: Test;
  readonly usesWords: boolean;
  readonly usesTime: boolean;
}

export type { SearchProblem };

/** What a search looks at. */
export type SearchRow = EventRow & {
  /** `searchText(row)`, kept by whoever searches the same row often. */
  readonly searchText?: string;
};

type Test = (row: EventRow, words: string, nowSeconds: number) => boolean;

/** Reads a search and compiles it. Never throws; an empty search finds everything. */
export function parseSearch(text: string): Search | SearchProblem {
  const tree = parseSearchTree(text);
  if (tree === undefined) return { kind: 'search', text, test: () => true, usesWords: false, usesTime: false };
  if (tree.kind === 'problem') return tree;
  return {
    kind: 'search',
    text,
    tree,
    test: compile(tree),
    usesWords: someLeaf(tree, (leaf) => leaf.kind === 'word'),
    usesTime: someLeaf(tree, (leaf) => leaf.kind === 'comparison' && (leaf.field === 'age' || leaf.field === 'last')),
  };
}

/** In time that grows with the text of the row, not with the shape of the search. */
export function matchesSearch(search: Search, row: SearchRow, nowSeconds: number): boolean {
  return search.test(row, search.usesWords ? (row.searchText ?? searchText(row)) : '', nowSeconds);
}

/** Whether the answer for a row can change by the mere passing of time. */
export function usesTime(search: Search): boolean {
  return search.usesTime;
}

/** A search in its plainest spelling; parsed again it means the same. */
export function printSearch(search: Search): string {
  return search.tree === undefined ? '' : printSearchTree(search.tree);
}

/** The lower-case text that words are looked for in. */
export function searchText({ client, check, output }: Pick<EventRow, 'client' | 'check' | 'output'>): string {
  // No search holds a control character, so none can match across this border.
  return `${client}\0${check}\0${output}`.toLowerCase();
}

function compile(node: SearchNode): Test {
  switch (node.kind) {
    case 'word': {
      const wanted = node.text.toLowerCase();
      return (_row, words) => words.includes(wanted);
    }
    case 'flag':
      return (row) => matchesFlag(node.name, row);
    case 'comparison':
      return (row, _words, nowSeconds) => node.matches(row, nowSeconds);
    case 'not': {
      const test = compile(node.node);
      return (row, words, nowSeconds) => !test(row, words, nowSeconds);
    }
    case 'and': {
      const tests = node.nodes.map(compile);
      return (row, words, nowSeconds) => tests.every((test) => test(row, words, nowSeconds));
    }
    default: {
      const tests = node.nodes.map(compile);
      return (row, words, nowSeconds) => tests.some((test) => test(row, words, nowSeconds));
    }
  }
}

function someLeaf(node: SearchNode, holds: (leaf: SearchNode) => boolean): boolean {
  switch (node.kind) {
    case 'not':
      return someLeaf(node.node, holds);
    case 'and':
    case 'or':
      return node.nodes.some((child) => someLeaf(child, holds));
    default:
      return holds(node);
  }
}
