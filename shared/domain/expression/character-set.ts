/** A range of code points, both ends included. */
export type CharacterRange = readonly [first: number, last: number];

/** The set of characters that match at one place in a regular expression, such as `[a-z]`. */
export interface CharacterSet {
  readonly ranges: readonly CharacterRange[];
  readonly isNegated: boolean;
  /** Callback that tests whether a character outside of `ranges` is in the set, such as one with a Unicode property. */
  readonly isIn?: (character: string) => boolean;
  /** Whether this set ignores case, regardless of the pattern's flags. */
  readonly ignoresCase?: true;
}

const LAST_CODE_POINT = 0x10_ff_ff;

const NEWLINE_CODE = 0x0a;

/** `.`: any character except a newline. */
export const ANY_IN_LINE: CharacterSet = { ranges: [[NEWLINE_CODE, NEWLINE_CODE]], isNegated: true };

export const ANY_CHARACTER: CharacterSet = { ranges: [[0, LAST_CODE_POINT]], isNegated: false };

const DIGIT_RANGES: readonly CharacterRange[] = [[0x30, 0x39]];
const WORD_CHARACTERS: readonly CharacterRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACE_RANGES: readonly CharacterRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
];

/** Character ranges of `\d`, `\w`, `\s` and their opposites, by letter. They cover ASCII only, as in Ruby. */
export const NAMED_RANGES: ReadonlyMap<string, readonly CharacterRange[]> = new Map([
  ['d', DIGIT_RANGES],
  ['D', complementRanges(DIGIT_RANGES)],
  ['w', WORD_CHARACTERS],
  ['W', complementRanges(WORD_CHARACTERS)],
  ['s', SPACE_RANGES],
  ['S', complementRanges(SPACE_RANGES)],
]);

/** Character ranges of POSIX classes such as `[[:alpha:]]`, by name. They cover ASCII only. */
export const POSIX_RANGES: ReadonlyMap<string, readonly CharacterRange[]> = new Map([
  ['alnum', rangesOf('09AZaz')],
  ['alpha', rangesOf('AZaz')],
  ['ascii', [[0, 0x7f]]],
  ['blank', rangesOf('\t\t  ')],
  [
    'cntrl',
    [
      [0, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ['digit', rangesOf('09')],
  ['graph', rangesOf('!~')],
  ['lower', rangesOf('az')],
  ['print', rangesOf(' ~')],
  ['punct', rangesOf('!/:@[`{~')],
  ['space', rangesOf('\t\r  ')],
  ['upper', rangesOf('AZ')],
  ['word', WORD_CHARACTERS],
  ['xdigit', rangesOf('09AFaf')],
]);

/** @param ends the first and last character of each range, in sequence: `AZaz` for A to Z and a to z */
function rangesOf(ends: string): CharacterRange[] {
  return Array.from({ length: ends.length / 2 }, (_, at) => [ends.charCodeAt(2 * at), ends.charCodeAt(2 * at + 1)]);
}

/**
 * Returns the ranges of all other code points.
 *
 * @param ranges sorted, without overlap
 */
function complementRanges(ranges: readonly CharacterRange[]): CharacterRange[] {
  const between: CharacterRange[] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) between.push([next, first - 1]);
    next = last + 1;
  }
  return [...between, [next, LAST_CODE_POINT]];
}

/**
 * The kind of character before or after a position, as far as `^`, `$` and `\b` need it; `edge` at an end of the text.
 */
export type CharacterSide = 'edge' | 'newline' | 'word' | 'other';

export function sideOf(character: number): CharacterSide {
  if (character === NEWLINE_CODE) return 'newline';
  return isInRanges(WORD_CHARACTERS, character) ? 'word' : 'other';
}

/** @param ignoresCase whether the upper or lower case of the character is tested too */
export function hasCharacter(set: CharacterSet, character: number, ignoresCase: boolean): boolean {
  const variants = ignoresCase || set.ignoresCase === true ? caseVariants(character) : [character];
  const hasIt = (variant: number): boolean =>
    isInRanges(set.ranges, variant) || set.isIn?.(String.fromCodePoint(variant)) === true;
  return variants.some(hasIt) !== set.isNegated;
}

function isInRanges(ranges: readonly CharacterRange[], character: number): boolean {
  return ranges.some(([first, last]) => first <= character && character <= last);
}

function caseVariants(character: number): number[] {
  const text = String.fromCodePoint(character);
  // Only case mappings to a single character are used. So ß, with the upper case SS, matches only itself.
  const variants = [text, text.toLowerCase(), text.toUpperCase()].map((variant) => soleCodePoint(variant) ?? character);
  return [...variants, foldedCharacter(character)];
}

/** Returns the case-folded form of a letter, the same for all its case variants, even for three such as Σ, σ and ς. */
export function foldedCharacter(character: number): number {
  const upper = soleCodePoint(String.fromCodePoint(character).toUpperCase()) ?? character;
  return soleCodePoint(String.fromCodePoint(upper).toLowerCase()) ?? character;
}

function soleCodePoint(text: string): number | undefined {
  const codePoint = text.codePointAt(0);
  return codePoint !== undefined && text.length === (codePoint > 0xff_ff ? 2 : 1) ? codePoint : undefined;
}
