import { fieldsOf, type Field } from './search-fields.ts';
import { parseSearchTree, type SearchFields, type SearchNode, type SearchProblem } from './search-syntax.ts';

/*
 * The search language of console, `monctl`, REST and feed. All share one grammar (`search-syntax.ts`); the fields
 * depend on the list: `search.ts` for events, `search-nouns.ts` for the others.
 *
 * - `disk full`: both words somewhere in the row; `"disk full"`: this text; case is ignored
 * - `!web` or `not web`, `and` (also without the word), `or`, parentheses
 * - `client=web-1`, `client!=web-1`, `client~web-*` (`*` any text, `?` any character; without them: contains)
 * - `status>=warn`: ok < warn < crit < unknown, or numbers; `occurrences>3`
 * - `silenced`: a flag, by its name alone
 * - `age>1h`, `last<5m`: durations since or until a time
 */

/** The fields and texts that searches of one kind of rows can use. */
export interface SearchLanguage<Row> {
  readonly fields: SearchFields<Row>;
  /** Returns the lower-case text of a row that words are searched in. */
  readonly words: (row: Row) => string;
}

export interface SearchOf<Row> {
  readonly kind: 'search';
  /** The search as typed. */
  readonly text: string;
  readonly language: SearchLanguage<Row>;
  /** Undefined if the search matches every row. */
  readonly tree?: SearchNode<Row>;
  readonly test: Test<Row>;
  readonly usesWords: boolean;
  /** Whether the result for a row can change with time alone. */
  readonly usesTime: boolean;
}

/** Whether a row matches. `words` is the text that words are searched in. */
type Test<Row> = (row: Row, words: string, nowSeconds: number) => boolean;

/**
 * @param texts that words are searched in; searches contain no control characters, so no word matches across two texts
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

/** Returns the same language for items that contain such a row, with additional fields. */
export function languageOf<Row, Item>(
  { fields, words }: SearchLanguage<Row>,
  rowOf: (item: Item) => Row,
  more: readonly Field<Item>[] = [],
): SearchLanguage<Item> {
  const all = [...fieldsOf([...fields.values()], rowOf), ...more];
  return { fields: new Map(all.map((field) => [field.name, field])), words: (item) => words(rowOf(item)) };
}

/** Parses and compiles a search. Never throws; an empty search matches every row. */
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
 * Whether a row matches a search, in time that depends on the length of the row, not on the shape of the search.
 *
 * @param words the searched text of the row, cached by callers that search the same row often
 */
export function isSearchMatch<Row>(search: SearchOf<Row>, row: Row, nowSeconds: number, words?: string): boolean {
  return search.test(row, search.usesWords ? (words ?? search.language.words(row)) : '', nowSeconds);
}

export function compileTree<Row>(node: SearchNode<Row>): Test<Row> {
  switch (node.kind) {
    case 'word': {
      const word = node.text.toLowerCase();
      return (_row, words) => words.includes(word);
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
