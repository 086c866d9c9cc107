import { fieldsOf, type Field } from './search-fields.ts';
import { parseSearchTree, type SearchFields, type SearchNode, type SearchProblem } from './search-syntax.ts';

/*
 * The search language of console, `monctl`, REST and feed: one grammar (`search-syntax.ts`) over the fields of what is
 * listed: `search.ts` for events, `search-nouns.ts` for the rest.
 *
 * - `disk full`: both words somewhere in the row; `"disk full"`: this text; letter case never counts
 * - `!web` or `not web`, `and` (also without the word), `or`, parentheses
 * - `client=web-1`, `client!=web-1`, `client~web-*` (`*` any text, `?` any character; without them: contains)
 * - `status>=warn`: ok < warn < crit < unknown, or numbers; `occurrences>3`
 * - `silenced`: what is yes or no, by its name alone
 * - `age>1h`, `last<5m`: times, since or until something
 */

/** What searches of one kind of rows can name. */
export interface SearchLanguage<Row> {
  readonly fields: SearchFields<Row>;
  /** The text that words are looked for in, in lower case. */
  readonly words: (row: Row) => string;
}

export interface SearchOf<Row> {
  readonly kind: 'search';
  /** As it was typed. */
  readonly text: string;
  readonly language: SearchLanguage<Row>;
  /** Absent when it finds everything. */
  readonly tree?: SearchNode<Row>;
  readonly test: Test<Row>;
  readonly usesWords: boolean;
  /** Whether the answer for a row can change by the mere passing of time. */
  readonly usesTime: boolean;
}

/** Whether a search finds a row. `words`: the text that words are looked for in. */
type Test<Row> = (row: Row, words: string, nowSeconds: number) => boolean;

/**
 * @param texts what words are looked for in; no search holds a control character, so no word matches across two of them
 */
export function searchLanguage<Row>(
  fields: readonly Field<Row>[],
  texts: (row: Row) => readonly string[],
): SearchLanguage<Row> {
  return {
    fields: new Map(fields.map((field) => [field.name, field])),
    words: (row) => texts(row).join('\0').toLowerCase(),
  };
}

/** The same language for something that has such a row, and fields of its own besides. */
export function languageOf<Row, Item>(
  { fields, words }: SearchLanguage<Row>,
  rowOf: (item: Item) => Row,
  more: readonly Field<Item>[] = [],
): SearchLanguage<Item> {
  const all = [...fieldsOf([...fields.values()], rowOf), ...more];
  return { fields: new Map(all.map((field) => [field.name, field])), words: (item) => words(rowOf(item)) };
}

/** Reads a search and compiles it. Never throws; an empty search finds everything. */
export function readSearch<Row>(language: SearchLanguage<Row>, text: string): SearchOf<Row> | SearchProblem {
  const tree = parseSearchTree(language.fields, text);
  if (tree === undefined) {
    return { kind: 'search', text, language, test: () => true, usesWords: false, usesTime: false };
  }
  if (tree.kind === 'problem') return tree;
  return {
    kind: 'search',
    text,
    language,
    tree,
    test: compileTree(tree),
    usesWords: someLeaf(tree, (leaf) => leaf.kind === 'word'),
    usesTime: someLeaf(tree, (leaf) => leaf.kind === 'comparison' && leaf.usesTime),
  };
}

/**
 * In time that grows with the text of the row, not with the shape of the search.
 *
 * @param words the text that the language looks for words in, kept by whoever searches the same row often
 */
export function isFound<Row>(search: SearchOf<Row>, row: Row, nowSeconds: number, words?: string): boolean {
  return search.test(row, search.usesWords ? (words ?? search.language.words(row)) : '', nowSeconds);
}

export function compileTree<Row>(node: SearchNode<Row>): Test<Row> {
  switch (node.kind) {
    case 'word': {
      const wanted = node.text.toLowerCase();
      return (_row, words) => words.includes(wanted);
    }
    case 'flag':
      return (row) => node.matches(row);
    case 'comparison':
      return (row, _words, nowSeconds) => node.matches(row, nowSeconds);
    case 'not': {
      const test = compileTree(node.node);
      return (row, words, nowSeconds) => !test(row, words, nowSeconds);
    }
    case 'and': {
      const tests = node.nodes.map((one) => compileTree(one));
      return (row, words, nowSeconds) => tests.every((test) => test(row, words, nowSeconds));
    }
    default: {
      const tests = node.nodes.map((one) => compileTree(one));
      return (row, words, nowSeconds) => tests.some((test) => test(row, words, nowSeconds));
    }
  }
}

function someLeaf<Row>(node: SearchNode<Row>, holds: (leaf: SearchNode<Row>) => boolean): boolean {
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
