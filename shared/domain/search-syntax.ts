import { catchSyntaxProblem, SyntaxProblem } from './expression/syntax-problem.ts';
import { renamedFieldProblem } from './renamed-fields.ts';
import { SEARCH_OPERATORS, compileComparison, type Comparison, type Field } from './search-fields.ts';

/** A node of the syntax tree of a search. */
export type SearchNode<Row> =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'flag'; readonly name: string; readonly matches: (row: Row) => boolean }
  | Comparison<Row>
  | { readonly kind: 'not'; readonly node: SearchNode<Row> }
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly SearchNode<Row>[] };

/** Search fields by their lower-case names. */
export type SearchFields<Row> = ReadonlyMap<string, Field<Row>>;

/** The search fields by name, as the parser needs them. */
export interface FieldLookup<Row> {
  /** @param written the name as typed */
  get(name: string, written: string): Field<Row> | undefined;
  keys(): Iterable<string>;
  /** Regular expression that matches a field name; by default, letters and `_`. */
  readonly pattern?: RegExp;
}

export interface SearchProblem {
  readonly kind: 'problem';
  /** Error message with what to type instead. */
  readonly message: string;
  /** Position in the text, in UTF-16 units from 0. */
  readonly position: number;
}

const FIELD_NAME = /^[a-z_]+/i;

/** Limits on length, nesting and terms of a search. They bound its time and stack; no typed search reaches them. */
const SEARCH_LENGTH_MAX = 1024;
const DEPTH_MAX = 32;
const NODES_MAX = 200;

/** Quotes a text, so that it is searched for literally. */
export function quotedText(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** Formats a text as a word or value in a search, with quotes if it contains special characters. */
export function searchValue(text: string): string {
  return /^[\w.:@*-]+$/.test(text) && !/^(?:and|or|not)$/i.test(text) ? text : quotedText(text);
}

/**
 * Parses a search.
 *
 * @returns `undefined` for an empty search, which matches every row
 */
export function parseSearchTree<Row>(
  fields: FieldLookup<Row>,
  text: string,
): SearchNode<Row> | SearchProblem | undefined {
  if (text.length > SEARCH_LENGTH_MAX) {
    return searchProblem(
      `the search is longer than ${String(SEARCH_LENGTH_MAX)} characters: shorten it`,
      SEARCH_LENGTH_MAX,
    );
  }
  const control = text.search(/(?!\t)\p{Cc}/u);
  if (control !== -1) return searchProblem('a search cannot contain control characters: remove this one', control);
  return catchSyntaxProblem(() => new SearchParser(fields, text).parse());
}

export function searchProblem(message: string, position: number): SearchProblem {
  return { kind: 'problem', message, position };
}

/** Words that are operators in a search; in quotes they are ordinary words. */
type Keyword = 'and' | 'or' | 'not';

/**
 * Parser of searches. Its grammar, in which spaces are allowed between symbols:
 *
 *     any     = all { "or" all }
 *     all     = term { [ "and" ] term }
 *     term    = ( "!" | "not" ) term | "(" any ")" | '"' quoted '"' | flag | field operator value | word
 */
class SearchParser<Row> {
  readonly #fields: FieldLookup<Row>;
  readonly #text: string;
  #position = 0;
  #depth = 0;
  #nodes = 0;

  constructor(fields: FieldLookup<Row>, text: string) {
    this.#fields = fields;
    this.#text = text;
  }

  parse(): SearchNode<Row> | undefined {
    this.#skipSpaces();
    if (this.#atEnd()) return undefined;
    const node = this.#any();
    // Only an unmatched ")" ends parsing before the end of the text.
    if (!this.#atEnd()) this.#fail('this ")" closes nothing: remove it, or quote it to search for it');
    return node;
  }

  #any(): SearchNode<Row> {
    const nodes = [this.#conjunction()];
    while (this.#keyword('or')) nodes.push(this.#conjunction());
    return this.#join('or', nodes);
  }

  #conjunction(): SearchNode<Row> {
    const nodes = [this.#term()];
    while (true) {
      this.#skipSpaces();
      if (this.#atEnd() || this.#peek() === ')' || this.#seesKeyword('or')) return this.#join('and', nodes);
      this.#keyword('and');
      nodes.push(this.#term());
    }
  }

  #join(kind: 'and' | 'or', nodes: readonly SearchNode<Row>[]): SearchNode<Row> {
    const [only] = nodes;
    return only !== undefined && nodes.length === 1 ? only : this.#countNode({ kind, nodes });
  }

  #term(): SearchNode<Row> {
    this.#skipSpaces();
    const start = this.#position;
    if (this.#atEnd()) this.#fail('a search term is missing here');
    if (++this.#depth > DEPTH_MAX)
      this.#fail(`more than ${String(DEPTH_MAX)} levels of "(", "!" and "not": simplify the search`);
    const node = this.#primary(start);
    this.#depth--;
    return node;
  }

  #primary(start: number): SearchNode<Row> {
    switch (this.#peek()) {
      case '!':
        this.#position++;
        return this.#countNode({ kind: 'not', node: this.#term() });
      case '(':
        return this.#group(start);
      case ')':
        return this.#fail('a search term is missing before this ")"');
      case '"':
        return this.#countNode({ kind: 'word', text: this.#nonEmpty(this.#quoted(), start) });
      default:
        if (this.#keyword('not')) return this.#countNode({ kind: 'not', node: this.#term() });
        return this.#comparison(start) ?? this.#word(start);
    }
  }

  #group(start: number): SearchNode<Row> {
    this.#position++;
    const node = this.#any();
    if (this.#peek() !== ')') this.#fail('this "(" is not closed: add a ")", or quote it to search for it', start);
    this.#position++;
    return node;
  }

  #comparison(start: number): SearchNode<Row> | undefined {
    const remaining = this.#text.slice(start);
    const [name = ''] = (this.#fields.pattern ?? FIELD_NAME).exec(remaining) ?? [];
    const [spaces = ''] = /^[ \t]*/.exec(remaining.slice(name.length)) ?? [];
    const before = name + spaces;
    const operator = SEARCH_OPERATORS.find((candidate) => this.#text.startsWith(candidate, start + before.length));
    if (name === '' || operator === undefined) return undefined;
    const field = this.#fields.get(name.toLowerCase(), name);
    if (field === undefined || field.isAttribute === true) {
      // `load > 5` can be three words of a check output; `load>5` can only be meant as a comparison.
      if (spaces !== '') return undefined;
      const names = [...this.#fields.keys()];
      const renamed = renamedFieldProblem(name.toLowerCase(), new Set(names));
      if (renamed !== undefined) this.#fail(renamed);
      if (field === undefined)
        this.#fail(`there is no field "${name}": use ${names.join(', ')}, or quote the text to search for it`);
      const rejection = field.rejection?.();
      if (rejection !== undefined) this.#fail(rejection);
    }
    this.#position = start + before.length + operator.length;
    this.#skipSpaces();
    const valueStart = this.#position;
    const quoted = this.#peek() === '"';
    const text = quoted ? this.#quoted() : this.#bare();
    if (text === '' && !quoted) this.#fail(`a value is missing after ${name}${operator}: ${field.hint}`, valueStart);
    const comparison = compileComparison(field, operator, text);
    if (typeof comparison === 'string') this.#fail(comparison, valueStart);
    return this.#countNode(comparison);
  }

  #word(start: number): SearchNode<Row> {
    const text = this.#bare();
    const lower = text.toLowerCase();
    if (lower === 'and' || lower === 'or') {
      this.#fail(`a search term is missing before "${text}"; quote it to search for the word itself`, start);
    }
    const flag = this.#fields.get(lower, text)?.flag;
    if (flag !== undefined) return this.#countNode({ kind: 'flag', name: lower, matches: flag });
    return this.#countNode({ kind: 'word', text });
  }

  #bare(): string {
    const [text = ''] = /^[^ \t()]*/.exec(this.#text.slice(this.#position)) ?? [];
    this.#position += text.length;
    return text;
  }

  #quoted(): string {
    const start = this.#position;
    let text = '';
    for (let index = start + 1; index < this.#text.length; index++) {
      const character = this.#text[index];
      if (character === '"') {
        this.#position = index + 1;
        return text;
      }
      if (character === '\\' && (this.#text[index + 1] === '"' || this.#text[index + 1] === '\\')) index++;
      text += this.#text[index] ?? '';
    }
    return this.#fail('this quote is not closed: add a " at its end', start);
  }

  #nonEmpty(text: string, start: number): string {
    return text === '' ? this.#fail('these quotes are empty: type a search term', start) : text;
  }

  #seesKeyword(keyword: Keyword): boolean {
    const end = this.#position + keyword.length;
    return (
      this.#text.slice(this.#position, end).toLowerCase() === keyword &&
      /^(?:$|[ \t()])/.test(this.#text.slice(end, end + 1))
    );
  }

  #keyword(keyword: Keyword): boolean {
    if (!this.#seesKeyword(keyword)) return false;
    this.#position += keyword.length;
    this.#skipSpaces();
    if (this.#atEnd() || this.#peek() === ')') this.#fail(`a search term is missing after "${keyword}"`);
    return true;
  }

  #countNode<Node extends SearchNode<Row>>(node: Node): Node {
    if (++this.#nodes > NODES_MAX) this.#fail(`more than ${String(NODES_MAX)} terms: shorten the search`);
    return node;
  }

  #skipSpaces(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#position++;
  }

  #peek(): string | undefined {
    return this.#text[this.#position];
  }

  #atEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  #fail(message: string, position = this.#position): never {
    throw new SyntaxProblem(message, position);
  }
}
