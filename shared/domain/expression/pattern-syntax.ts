import { ANY_IN_LINE, NAMED_RANGES, type CharacterRange, type CharacterSet } from './character-set.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/**
 * A condition on a position in a text, such as `^` or `\b`. Unlike `lineStart`, `newLineStart` is also met after a
 * newline at the very end of the text.
 */
export type Assertion = 'lineStart' | 'newLineStart' | 'lineEnd' | 'textStart' | 'textEnd' | 'wordEdge' | 'noWordEdge';

/** A node of the syntax tree of a regular expression. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number };

const PATTERN_LENGTH_MAX = 256;
const DEPTH_MAX = 32;
/**
 * Maximum size of a pattern (`sizeOf`). Matching time per character grows with the size. Only a pattern with counted
 * repetitions such as `a{99}` can be larger.
 */
const PATTERN_SIZE_MAX = 512;

const ESCAPED_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['f', '\f'],
  ['v', '\v'],
  ['e', '\u001B'],
]);

const ESCAPED_ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'textStart'],
  ['z', 'textEnd'],
  ['b', 'wordEdge'],
  ['B', 'noWordEdge'],
]);

const QUANTIFIER_TOKEN = /\*|\+|\?|\{(?<min>\d{1,3})?(?:(?<comma>,)(?<max>\d{1,3})?)?\}/y;

/**
 * Parses the text between the slashes of `/pattern/`. It supports the part of Ruby's syntax that can be matched in
 * linear time.
 *
 *     pattern    = sequence { "|" sequence }
 *     sequence   = { atom [ "*" | "+" | "?" | "{" m "}" | "{" m "," "}" | "{" [ m ] "," n "}" ] }
 *     atom       = character | "." | "\d" "\w" "\s" "\D" "\W" "\S" | "[" [ "^" ] items "]"
 *                | "(" pattern ")" | "(?:" pattern ")" | "^" | "$" | "\A" | "\z" | "\b" | "\B"
 *
 * As in Ruby, `^` and `$` match at the ends of a line, `\A` and `\z` at the ends of the text, and `.` excludes
 * newlines.
 *
 * @param offset position of the pattern in the whole text, for error messages
 * @throws SyntaxProblem if the pattern is invalid or too large
 */
export function parsePatternTree(source: string, offset: number): PatternNode {
  return new PatternParser(source, offset).parse();
}

class PatternParser {
  readonly #source: string;
  readonly #offset: number;
  #position = 0;
  #depth = 0;

  constructor(source: string, offset: number) {
    this.#source = source;
    this.#offset = offset;
  }

  parse(): PatternNode {
    if (this.#source.length > PATTERN_LENGTH_MAX) {
      this.#fail(`a pattern has at most ${String(PATTERN_LENGTH_MAX)} characters: shorten it`, PATTERN_LENGTH_MAX);
    }
    const interpolation = this.#source.search(/#\{|:::/);
    if (interpolation !== -1) this.#fail('a pattern is a fixed text: values cannot be inserted', interpolation);
    const node = this.#choice();
    if (!this.#atEnd()) this.#fail(String.raw`this ")" closes nothing: write \) for the character`);
    if (sizeOf(node) > PATTERN_SIZE_MAX) this.#fail('the counts of this pattern are too large: lower them', 0);
    return node;
  }

  #choice(): PatternNode {
    if (++this.#depth > DEPTH_MAX) this.#fail(`more than ${String(DEPTH_MAX)} levels of "(": simplify the pattern`);
    const nodes = [this.#sequence()];
    while (this.#accept('|')) nodes.push(this.#sequence());
    this.#depth--;
    return joinNodes('choice', nodes);
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (!this.#atEnd() && this.#peek() !== '|' && this.#peek() !== ')') nodes.push(this.#item());
    return joinNodes('sequence', nodes);
  }

  #item(): PatternNode {
    const start = this.#position;
    const node = this.#atom();
    const bounds = this.#quantifier();
    if (bounds === undefined) return node;
    if (node.kind === 'assertion') this.#fail('this matches a position, which cannot be repeated', start);
    if (/[*+?{]/.test(this.#peek() ?? '')) {
      this.#fail('a repetition cannot be repeated, lazy or possessive: remove the second sign');
    }
    return { kind: 'repeat', node, ...bounds };
  }

  #quantifier(): { min: number; max: number } | undefined {
    QUANTIFIER_TOKEN.lastIndex = this.#position;
    const match = QUANTIFIER_TOKEN.exec(this.#source);
    if (match === null) return undefined;
    const start = this.#position;
    this.#position = QUANTIFIER_TOKEN.lastIndex;
    switch (match[0]) {
      case '*':
        return { min: 0, max: Infinity };
      case '+':
        return { min: 1, max: Infinity };
      case '?':
        return { min: 0, max: 1 };
      default: {
        const { min, comma, max } = match.groups ?? {};
        if (min === undefined && max === undefined) this.#fail('this count has no number', start);
        const least = Number(min ?? '0');
        const most = comma === undefined ? least : Number(max ?? Infinity);
        if (least > most) this.#fail('this count ends before it begins', start);
        return { min: least, max: most };
      }
    }
  }

  #atom(): PatternNode {
    const start = this.#position;
    const character = this.#next();
    switch (character) {
      case '.':
        return { kind: 'set', set: ANY_IN_LINE };
      case '^':
        return { kind: 'assertion', assertion: 'lineStart' };
      case '$':
        return { kind: 'assertion', assertion: 'lineEnd' };
      case '(':
        return this.#group(start);
      case '[':
        return { kind: 'set', set: this.#class(start) };
      case '\\':
        return this.#escape(start);
      case '*':
      case '+':
      case '?':
        return this.#fail(`there is nothing before this "${character}": write \\${character} for the character`, start);
      case '{':
      case '}':
      case ']':
        return this.#fail(`write \\${character} for the character ${character}`, start);
      default:
        return setOfRanges([[codePoint(character), codePoint(character)]]);
    }
  }

  #group(start: number): PatternNode {
    if (this.#peek() === '?' && !this.#accept('?:')) {
      this.#fail('the only supported special group is (?:...)', start);
    }
    const node = this.#choice();
    if (!this.#accept(')'))
      this.#fail(String.raw`this "(" is not closed: add a ")", or write \( for the character`, start);
    return node;
  }

  #escape(start: number): PatternNode {
    const name = this.#next();
    const assertion = ESCAPED_ASSERTIONS.get(name);
    if (assertion !== undefined) return { kind: 'assertion', assertion };
    return setOfRanges(this.#escapedRanges(name, start));
  }

  #escapedRanges(name: string, start: number): readonly CharacterRange[] {
    const ranges = NAMED_RANGES.get(name);
    if (ranges !== undefined) return ranges;
    const character = ESCAPED_CHARACTERS.get(name) ?? name;
    if (character === name && !/^[\p{P}\p{S} ]$/u.test(name)) {
      this.#fail(`\\${name} is not supported: use \\d \\w \\s \\D \\W \\S \\b \\B \\A \\z \\t \\n \\r`, start);
    }
    return [[codePoint(character), codePoint(character)]];
  }

  #class(start: number): CharacterSet {
    const isNegated = this.#accept('^');
    const ranges: CharacterRange[] = [];
    while (!this.#accept(']')) {
      if (this.#atEnd())
        this.#fail(String.raw`this "[" is not closed: add a "]", or write \[ for the character`, start);
      ranges.push(...this.#classItem());
    }
    if (ranges.length === 0) this.#fail('these brackets are empty', start);
    return { ranges, isNegated };
  }

  #classItem(): readonly CharacterRange[] {
    const start = this.#position;
    const ranges = this.#classEnd();
    if (this.#peek() !== '-' || this.#source[this.#position + 1] === ']') return ranges;
    this.#position++;
    const first = soleCharacter(ranges);
    const last = soleCharacter(this.#classEnd());
    if (first === undefined || last === undefined || first > last) {
      return this.#fail(String.raw`this is not a range of characters: write \- for the character -`, start);
    }
    return [[first, last]];
  }

  #classEnd(): readonly CharacterRange[] {
    const start = this.#position;
    const character = this.#next();
    if (character === '\\') return this.#escapedRanges(this.#next(), start);
    if (character === '[' || (character === '&' && this.#peek() === '&')) {
      this.#fail(`sets within sets are not supported: write \\${character} for the character`, start);
    }
    return [[codePoint(character), codePoint(character)]];
  }

  #next(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#position) ?? 0);
    if (this.#atEnd()) this.#fail('the pattern ends too early');
    this.#position += character.length;
    return character;
  }

  #accept(text: string): boolean {
    if (!this.#source.startsWith(text, this.#position)) return false;
    this.#position += text.length;
    return true;
  }

  #peek(): string | undefined {
    return this.#source[this.#position];
  }

  #atEnd(): boolean {
    return this.#position >= this.#source.length;
  }

  #fail(message: string, position = this.#position): never {
    throw new SyntaxProblem(message, this.#offset + position);
  }
}

function setOfRanges(ranges: readonly CharacterRange[]): PatternNode {
  return { kind: 'set', set: { ranges, isNegated: false } };
}

function joinNodes(kind: 'sequence' | 'choice', nodes: readonly PatternNode[]): PatternNode {
  const [first] = nodes;
  return first !== undefined && nodes.length === 1 ? first : { kind, nodes };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function soleCharacter([range, ...others]: readonly CharacterRange[]): number | undefined {
  return range !== undefined && range[0] === range[1] && others.length === 0 ? range[0] : undefined;
}

/** Returns how often a repeated node is copied in the compiled pattern: `max` times, or `min` if `max` is infinite. */
export function copiesOf({ min, max }: { readonly min: number; readonly max: number }): number {
  return max === Infinity ? Math.max(1, min) : max;
}

/** Returns the size of a pattern: the number of nodes in its syntax tree, with all repetitions expanded. */
export function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return 1;
    case 'sequence':
    case 'choice':
      return node.nodes.reduce((size, child) => size + sizeOf(child), 1);
    default:
      return 1 + copiesOf(node) * (1 + sizeOf(node.node));
  }
}
