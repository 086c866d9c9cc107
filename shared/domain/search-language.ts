import { fieldForItems, type Field } from './search-fields.ts';
import { ATTRIBUTE_NAME } from './attribute-name.ts';
import {
  parseSearchTree,
  type FieldLookup,
  type SearchFields,
  type SearchNode,
  type SearchProblem,
} from './search-syntax.ts';

/*
 * The search language of console, `monctl`, REST API and feed. All share one grammar (`search-syntax.ts`). The fields
 * depend on the list: `search.ts` defines those of events, `list-searches.ts` those of other lists. Examples:
 *
 * - `disk full`: both words somewhere in the row; `"disk full"`: exactly this text; case is ignored
 * - `!web` or `not web`, `and` (also without the word), `or`, parentheses
 * - `client=web-1`, `client!=web-1`, `client~web-*` (`*` any text, `?` any character; `client~web`: contains `web`)
 * - `status>=warn`: ok < warn < crit < unknown, or numbers; `occurrences>3`
 * - `silenced`: rows that have this flag
 * - `age>1h`, `last<5m`: durations since or until a time
 * - `client.rack=r20`, `check.team~db*`, `rack=r20`: attributes of the client and the check, for events
 */

/** The search fields and searchable texts of one kind of rows, such as events. */
export interface SearchLanguage<Row> {
  readonly fields: SearchFields<Row>;
  /**
   * Returns the search field for an attribute whose name is not in `fields`. Undefined if the rows have no such
   * attributes, so that all other names are invalid.
   */
  readonly attribute?: (name: string) => Field<Row>;
  /** Returns the lower-case text of a row in which words are searched. */
  readonly words: (row: Row) => string;
}

export interface ParsedSearch<Row> {
  readonly kind: 'search';
  /** The text of the search, as typed. */
  readonly text: string;
  readonly language: SearchLanguage<Row>;
  /** The search as a tree; undefined if it is empty and matches every row. */
  readonly tree?: SearchNode<Row>;
  readonly test: Test<Row>;
  readonly usesWords: boolean;
  /** Whether the result for an unchanged row can change as time passes. */
  readonly usesTime: boolean;
}

/** A test whether a row matches a search. `words` is the lower-case text of the row in which words are searched. */
type Test<Row> = (row: Row, words: string, nowSeconds: number) => boolean;

/**
 * Returns the search language of a list.
 *
 * @param texts callback that returns the texts of a row in which words are searched. They are joined by NUL, which no
 *   search contains, so that no word matches across two texts.
 * @param attribute callback that returns the field for the name of an attribute; by default there are no attributes
 */
export function searchLanguage<Row>(
  fields: readonly Field<Row>[],
  texts: (row: Row) => readonly string[],
  attribute?: (name: string) => Field<Row>,
): SearchLanguage<Row> {
  return {
    fields: new Map(fields.map((field) => [field.name, field])),
    ...(attribute !== undefined && { attribute }),
    words: (row) => texts(row).join('\0').toLowerCase(),
  };
}

/** Converts the search language of rows to that of items that contain such a row, with additional fields. */
export function languageForItems<Row, Item>(
  { fields, attribute, words }: SearchLanguage<Row>,
  rowOf: (item: Item) => Row,
  more: readonly Field<Item>[] = [],
): SearchLanguage<Item> {
  const all = [...[...fields.values()].map((field) => fieldForItems(field, rowOf)), ...more];
  return {
    fields: new Map(all.map((field) => [field.name, field])),
    ...(attribute !== undefined && { attribute: (name) => fieldForItems(attribute(name), rowOf) }),
    words: (item) => words(rowOf(item)),
  };
}

/** Parses and compiles a search. Never throws; an empty search matches every row. */
export function readSearch<Row>(language: SearchLanguage<Row>, text: string): ParsedSearch<Row> | SearchProblem {
  const tree = parseSearchTree(namedFields(language), text);
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
    usesWords: hasLeaf(tree, (leaf) => leaf.kind === 'word'),
    usesTime: hasLeaf(tree, (leaf) => leaf.kind === 'comparison' && leaf.usesTime),
  };
}

function namedFields<Row>({ fields, attribute }: SearchLanguage<Row>): FieldLookup<Row> {
  return {
    get: (lower, written) => fields.get(lower) ?? attribute?.(written),
    keys: () => [...fields.values()].filter(({ isAlias }) => isAlias !== true).map(({ name }) => name),
    ...(attribute !== undefined && { pattern: ATTRIBUTE_NAME }),
  };
}

/**
 * Whether a row matches a search. For any search, the time is linear in the length of the row.
 *
 * @param words lower-case text of the row in which words are searched; if undefined, it is computed. Callers that
 *   search the same rows often should cache it.
 */
export function isSearchMatch<Row>(search: ParsedSearch<Row>, row: Row, nowSeconds: number, words?: string): boolean {
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

function hasLeaf<Row>(node: SearchNode<Row>, holds: (leaf: SearchNode<Row>) => boolean): boolean {
  switch (node.kind) {
    case 'not':
      return hasLeaf(node.node, holds);
    case 'and':
    case 'or':
      return node.nodes.some((child) => hasLeaf(child, holds));
    default:
      return holds(node);
  }
}
