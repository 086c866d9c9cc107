import {
  ANY_CHARACTER,
  ANY_IN_LINE,
  foldedCharacter,
  NAMED_RANGES,
  POSIX_RANGES,
  type CharacterRange,
  type CharacterSet,
} from './character-set.ts';
import { sizeOf, type Assertion, type PatternNode } from './pattern-syntax.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/** Maximum length of a pattern in UTF-16 units; the value of a label matcher has the same maximum. */
const PATTERN_LENGTH_MAX = 4096;
const DEPTH_MAX = 100;
/** Maximum count of a repetition, as in RE2. */
const COUNT_MAX = 1000;
/** Maximum size of a pattern (`sizeOf`). Matching time per character grows with the size. */
const PATTERN_SIZE_MAX = 512;

const COUNTS_TOKEN = /\{(?<min>0|[1-9]\d*)(?:(?<comma>,)(?<max>0|[1-9]\d*)?)?\}/y;
const FLAGS_TOKEN = /\?(?<on>[imsU]*)(?:-(?<off>[imsU]+))?(?<end>[:)])/y;
const GROUP_NAME = /\?P?<(?<name>\w+)>/y;
const POSIX_NAME = /\[:(?<negated>\^?)(?<name>[a-z]+):\]/y;
const PROPERTY_TOKEN = /(?:\{(?<negated>\^?)(?<name>\w+)\}|(?<letter>[A-Z]))/y;
const HEX_TOKEN = /\{(?<long>[\da-f]+)\}|(?<short>[\da-f]{2})/iy;
const OCTAL_TOKEN = /0[0-7]{0,2}|[1-7][0-7]{1,2}/y;

const CONTROL_CHARACTERS: ReadonlyMap<string, number> = new Map([
  ['a', 0x07],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
]);

const ESCAPED_ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'textStart'],
  ['z', 'textEnd'],
  ['b', 'wordEdge'],
  ['B', 'noWordEdge'],
]);

/** The flags in effect at a position in a regular expression, such as `i` after `(?i)`. */
interface PatternFlags {
  /** `i`: ignores case. */
  readonly ignoresCase: boolean;
  /** `m`: `^` and `$` match at the ends of a line. */
  readonly isMultiLine: boolean;
  /** `s`: `.` also matches a newline. */
  readonly dotIsAny: boolean;
}

const NO_FLAGS: PatternFlags = { ignoresCase: false, isMultiLine: false, dotIsAny: false };

/**
 * Parses an RE2 regular expression, the language of matchers in Prometheus and Alertmanager. It supports the whole
 * syntax (https://github.com/google/re2/wiki/Syntax) except `\C`, which Prometheus and Alertmanager reject too.
 *
 * @throws SyntaxProblem if the pattern is invalid
 */
export function parseRe2(source: string): PatternNode {
  return new Re2Parser(source).parse();
}

/**
 * Returns the size of a pattern (`sizeOf`). Matching time per character grows with the size.
 *
 * @throws SyntaxProblem if the size exceeds `PATTERN_SIZE_MAX`
 */
export function boundedSize(node: PatternNode): number {
  const size = sizeOf(node);
  if (size <= PATTERN_SIZE_MAX) return size;
  throw new SyntaxProblem('is too large: lower its counts, or split it into several silences', 0);
}

class Re2Parser {
  readonly #source: string;
  readonly #groupNames = new Set<string>();
  #position = 0;
  #depth = 0;
  #flags = NO_FLAGS;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): PatternNode {
    if (this.#source.length > PATTERN_LENGTH_MAX) {
      this.#fail(`is longer than ${String(PATTERN_LENGTH_MAX)} characters: shorten it`, PATTERN_LENGTH_MAX);
    }
    const node = this.#choice();
    if (!this.#atEnd()) this.#fail(String.raw`a ")" closes nothing: write \) for the character`);
    return node;
  }

  #choice(): PatternNode {
    if (++this.#depth > DEPTH_MAX) this.#fail(`has more than ${String(DEPTH_MAX)} levels of "(": simplify it`);
    const nodes = [this.#sequence()];
    while (this.#accept('|')) nodes.push(this.#sequence());
    this.#depth--;
    const [first] = nodes;
    return first !== undefined && nodes.length === 1 ? first : { kind: 'choice', nodes };
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (!this.#atEnd() && this.#peek() !== '|' && this.#peek() !== ')') {
      const node = this.#item();
      if (node !== undefined) nodes.push(node);
    }
    const [first] = nodes;
    return first !== undefined && nodes.length === 1 ? first : { kind: 'sequence', nodes };
  }

  /** @returns undefined if the item only sets flags, such as `(?i)` */
  #item(): PatternNode | undefined {
    if (this.#accept(String.raw`\Q`)) return this.#quoted();
    const node = this.#atom();
    return node === undefined ? undefined : this.#repeated(node);
  }

  #repeated(node: PatternNode): PatternNode {
    const bounds = this.#quantifier();
    if (bounds === undefined) return node;
    this.#accept('?');
    const start = this.#position;
    if (this.#quantifier() !== undefined) this.#fail('repeats a repetition: put the first one into a group', start);
    return { kind: 'repeat', node, ...bounds };
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.#accept('*')) return { min: 0, max: Infinity };
    if (this.#accept('+')) return { min: 1, max: Infinity };
    if (this.#accept('?')) return { min: 0, max: 1 };
    const start = this.#position;
    const counts = this.#match(COUNTS_TOKEN)?.groups;
    // As in RE2, a brace without counts is a literal character.
    if (counts === undefined) return undefined;
    const { comma, max: most } = counts;
    const min = Number(counts['min']);
    const max = comma === undefined ? min : Number(most ?? Infinity);
    if (min > COUNT_MAX || (max > COUNT_MAX && max !== Infinity)) {
      this.#fail(`repeats more than ${String(COUNT_MAX)} times`, start);
    }
    if (min > max) this.#fail('has a count that ends before it begins', start);
    return { min, max };
  }

  #quoted(): PatternNode {
    const end = this.#source.indexOf(String.raw`\E`, this.#position);
    const text = this.#source.slice(this.#position, end === -1 ? undefined : end);
    this.#position += text.length + (end === -1 ? 0 : 2);
    const nodes = Array.from(text, (character) => this.#only(codePoint(character)));
    const last = nodes.pop();
    // A quantifier after `\Q...\E` applies to the last quoted character only.
    return { kind: 'sequence', nodes: last === undefined ? [] : [...nodes, this.#repeated(last)] };
  }

  #atom(): PatternNode | undefined {
    const start = this.#position;
    const character = this.#next();
    switch (character) {
      case '.':
        return { kind: 'set', set: this.#flags.dotIsAny ? ANY_CHARACTER : ANY_IN_LINE };
      case '^':
        return { kind: 'assertion', assertion: this.#flags.isMultiLine ? 'newLineStart' : 'textStart' };
      case '$':
        return { kind: 'assertion', assertion: this.#flags.isMultiLine ? 'lineEnd' : 'textEnd' };
      case '(':
        return this.#group(start);
      case '[':
        return { kind: 'set', set: this.#class(start) };
      case '\\':
        return this.#escape(start);
      case '*':
      case '+':
      case '?':
        return this.#fail(`has nothing before "${character}": write \\${character} for the character`, start);
      default:
        return this.#only(codePoint(character));
    }
  }

  #group(start: number): PatternNode | undefined {
    const before = this.#flags;
    if (this.#peek() === '?') {
      const flags = this.#match(FLAGS_TOKEN)?.groups;
      if (flags !== undefined) {
        this.#flags = setFlags(setFlags(before, flags['on'], true), flags['off'], false);
        if (flags['end'] === ')') return undefined;
      } else {
        const name = this.#match(GROUP_NAME)?.groups?.['name'];
        if (name === undefined) this.#fail('has a group that RE2 does not support, such as a look-ahead', start);
        if (this.#groupNames.has(name)) this.#fail(`has two groups with the name ${name}`, start);
        this.#groupNames.add(name);
      }
    }
    const node = this.#choice();
    if (!this.#accept(')')) this.#fail(String.raw`has a "(" that is not closed: add a ")", or write \(`, start);
    this.#flags = before;
    return node;
  }

  #escape(start: number): PatternNode {
    const assertion = ESCAPED_ASSERTIONS.get(this.#peek() ?? '');
    if (assertion !== undefined) {
      this.#position++;
      return { kind: 'assertion', assertion };
    }
    const set = this.#namedSet(start);
    return set === undefined ? this.#only(this.#escapedCharacter(start)) : { kind: 'set', set: this.#folded(set) };
  }

  /** Parses a named set such as `\d`, `\pL` or `\p{Greek}` after its backslash; returns undefined for other escapes. */
  #namedSet(start: number): CharacterSet | undefined {
    const character = this.#peek() ?? '';
    const ranges = NAMED_SETS.get(character);
    if (ranges !== undefined) {
      this.#position++;
      return ranges;
    }
    if (character !== 'p' && character !== 'P') return undefined;
    this.#position++;
    const property = this.#match(PROPERTY_TOKEN)?.groups;
    if (property === undefined) this.#fail(String.raw`has a \p without a name, as in \p{Greek}`, start);
    const isIn = propertyTest(property['letter'] ?? property['name'] ?? '');
    if (isIn === undefined) this.#fail('uses an unknown class of characters', start);
    return { ranges: [], isNegated: (character === 'P') !== (property['negated'] === '^'), isIn };
  }

  #escapedCharacter(start: number): number {
    const octal = this.#match(OCTAL_TOKEN)?.[0];
    if (octal !== undefined) return Number.parseInt(octal, 8);
    const name = this.#next();
    if (name === 'x') {
      const { long, short } = this.#match(HEX_TOKEN)?.groups ?? {};
      const value = Number.parseInt(long ?? short ?? '', 16);
      if (!(value <= 0x10_ff_ff)) this.#fail(String.raw`has a \x that is not a character`, start);
      return value;
    }
    const control = CONTROL_CHARACTERS.get(name);
    if (control !== undefined) return control;
    if (!/^[!-/:-@[-`{-~ ]$/.test(name)) this.#fail(`has \\${name}, which RE2 does not know`, start);
    return codePoint(name);
  }

  #class(start: number): CharacterSet {
    const isNegated = this.#accept('^');
    const ranges: CharacterRange[] = [];
    const tests: ((character: string) => boolean)[] = [];
    let isFirst = true;
    // A closing bracket in the first position is a literal character.
    while (isFirst || !this.#accept(']')) {
      isFirst = false;
      if (this.#atEnd()) this.#fail(String.raw`has a "[" that is not closed: add a "]", or write \[`, start);
      const set = this.#classSet();
      if (set === undefined) {
        ranges.push(this.#classRange());
        continue;
      }
      if (set.isIn === undefined && !set.isNegated) ranges.push(...set.ranges);
      else tests.push((character) => isMember(set, character));
    }
    const isIn = tests.length === 0 ? undefined : (character: string) => tests.some((test) => test(character));
    return this.#folded({ ranges, isNegated, ...(isIn !== undefined && { isIn }) });
  }

  /** Parses a named set within brackets, such as `[:alpha:]`, `\d` or `\pL`; returns undefined for other items. */
  #classSet(): CharacterSet | undefined {
    const start = this.#position;
    const posix = this.#match(POSIX_NAME)?.groups;
    if (posix !== undefined) {
      const ranges = POSIX_RANGES.get(posix['name'] ?? '');
      if (ranges === undefined) this.#fail(`has [:${posix['name'] ?? ''}:], which RE2 does not know`, start);
      return { ranges, isNegated: posix['negated'] === '^' };
    }
    if (!this.#accept('\\')) return undefined;
    const set = this.#namedSet(start);
    if (set === undefined) this.#position = start;
    return set;
  }

  #classRange(): CharacterRange {
    const start = this.#position;
    const first = this.#classCharacter();
    if (this.#peek() !== '-' || this.#source[this.#position + 1] === ']') return [first, first];
    this.#position++;
    const last = this.#classCharacter();
    if (first > last) this.#fail('has a range of characters that ends before it begins', start);
    return [first, last];
  }

  #classCharacter(): number {
    const start = this.#position;
    const character = this.#next();
    return character === '\\' ? this.#escapedCharacter(start) : codePoint(character);
  }

  #only(character: number): PatternNode {
    return { kind: 'set', set: this.#folded({ ranges: [[character, character]], isNegated: false }) };
  }

  #folded(set: CharacterSet): CharacterSet {
    if (!this.#flags.ignoresCase) return set;
    const folded = set.ranges.flatMap(([first, last]): CharacterRange[] => {
      const other = first === last ? foldedCharacter(first) : first;
      return other === first ? [] : [[other, other]];
    });
    return { ...set, ranges: [...set.ranges, ...folded], ignoresCase: true };
  }

  #next(): string {
    if (this.#atEnd()) this.#fail('ends too early');
    const character = String.fromCodePoint(this.#source.codePointAt(this.#position) ?? 0);
    this.#position += character.length;
    return character;
  }

  #accept(text: string): boolean {
    if (!this.#source.startsWith(text, this.#position)) return false;
    this.#position += text.length;
    return true;
  }

  /** @param part regular expression with the sticky flag `y` */
  #match(part: RegExp): RegExpExecArray | undefined {
    part.lastIndex = this.#position;
    const match = part.exec(this.#source);
    if (match === null) return undefined;
    this.#position = part.lastIndex;
    return match;
  }

  #peek(): string | undefined {
    return this.#source[this.#position];
  }

  #atEnd(): boolean {
    return this.#position >= this.#source.length;
  }

  #fail(message: string, position = this.#position): never {
    throw new SyntaxProblem(message, position);
  }
}

/** White space that `\s` matches in RE2. Unlike in Ruby, the vertical tab is not part of it. */
const SPACE_RANGES: readonly CharacterRange[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];

const NAMED_SETS: ReadonlyMap<string, CharacterSet> = new Map<string, CharacterSet>([
  ['s', { ranges: SPACE_RANGES, isNegated: false }],
  ['S', { ranges: SPACE_RANGES, isNegated: true }],
  ...['d', 'D', 'w', 'W'].map((name) => [name, { ranges: NAMED_RANGES.get(name) ?? [], isNegated: false }] as const),
]);

function isMember(set: CharacterSet, character: string): boolean {
  const point = codePoint(character);
  const isHere = set.ranges.some(([first, last]) => first <= point && point <= last) || set.isIn?.(character) === true;
  return isHere !== set.isNegated;
}

/**
 * Returns a function that tests whether a character has the named Unicode general category or script; undefined if
 * there is no such name. The name can be inserted into a regular expression: it has only letters, digits and
 * underscores.
 */
function propertyTest(name: string): ((character: string) => boolean) | undefined {
  if (name === 'Any') return () => true;
  for (const property of [`General_Category=${name}`, `Script=${name}`]) {
    try {
      const pattern = new RegExp(`^\\p{${property}}$`, 'u');
      return (character) => pattern.test(character);
    } catch {
      // `name` is not a value of this Unicode property.
    }
  }
  return undefined;
}

function setFlags(flags: PatternFlags, flagNames: string | undefined, isOn: boolean): PatternFlags {
  return {
    ignoresCase: flagNames?.includes('i') === true ? isOn : flags.ignoresCase,
    isMultiLine: flagNames?.includes('m') === true ? isOn : flags.isMultiLine,
    dotIsAny: flagNames?.includes('s') === true ? isOn : flags.dotIsAny,
  };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
