/** Code points from the first to the last, both included. */
export type CharacterRange = readonly [first: number, last: number];

/** Which characters may stand at a place of a text. */
export interface CharacterSet {
  readonly ranges: readonly CharacterRange[];
  readonly isNegated: boolean;
  /** Further characters that it has before it is negated: those of a Unicode property. */
  readonly isIn?: (character: string) => boolean;
  /** True if upper and lower case are the same to this set, whatever holds for the whole pattern. */
  readonly ignoresCase?: true;
}

const LAST_CODE_POINT = 0x10_ff_ff;

const NEWLINE = 0x0a;

/** `.`: anything within a line. */
export const ANY_IN_LINE: CharacterSet = { ranges: [[NEWLINE, NEWLINE]], isNegated: true };

export const ANY_CHARACTER: CharacterSet = { ranges: [[0, LAST_CODE_POINT]], isNegated: false };

const DIGITS: readonly CharacterRange[] = [[0x30, 0x39]];
const WORD_CHARACTERS: readonly CharacterRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACES: readonly CharacterRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
];

/** `\d`, `\w`, `\s` and their opposites, of ASCII as in Ruby. */
export const NAMED_RANGES: ReadonlyMap<string, readonly CharacterRange[]> = new Map([
  ['d', DIGITS],
  ['D', complement(DIGITS)],
  ['w', WORD_CHARACTERS],
  ['W', complement(WORD_CHARACTERS)],
  ['s', SPACES],
  ['S', complement(SPACES)],
]);

/** The sets that POSIX names within brackets, as in `[[:alpha:]]`; of ASCII. */
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

/** @param ends the first and the last character of each range, one after the other */
function rangesOf(ends: string): CharacterRange[] {
  return Array.from({ length: ends.length / 2 }, (_, at) => [ends.charCodeAt(2 * at), ends.charCodeAt(2 * at + 1)]);
}

/** @param ranges in order and apart */
function complement(ranges: readonly CharacterRange[]): CharacterRange[] {
  const between: CharacterRange[] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) between.push([next, first - 1]);
    next = last + 1;
  }
  return [...between, [next, LAST_CODE_POINT]];
}

/** What stands to one side of a place between two characters: all that `^`, `$` and `\b` ask about. */
export type Side = 'edge' | 'newline' | 'word' | 'other';

export function sideOf(character: number): Side {
  if (character === NEWLINE) return 'newline';
  return isIn(WORD_CHARACTERS, character) ? 'word' : 'other';
}

/** @param ignoresCase whether a character counts as its upper and lower case as well */
export function hasCharacter(set: CharacterSet, character: number, ignoresCase: boolean): boolean {
  const variants = ignoresCase || set.ignoresCase === true ? caseVariants(character) : [character];
  const hasIt = (variant: number): boolean =>
    isIn(set.ranges, variant) || set.isIn?.(String.fromCodePoint(variant)) === true;
  return variants.some(hasIt) !== set.isNegated;
}

function isIn(ranges: readonly CharacterRange[], character: number): boolean {
  return ranges.some(([first, last]) => first <= character && character <= last);
}

function caseVariants(character: number): number[] {
  const text = String.fromCodePoint(character);
  // One character for one: what grows with its case (ß, SS) is itself only.
  const variants = [text, text.toLowerCase(), text.toUpperCase()].map((variant) => soleCodePoint(variant) ?? character);
  return [...variants, foldedCharacter(character)];
}

/** The one form of a letter that stands for all of its forms, also where there are three, as of σ and ς. */
export function foldedCharacter(character: number): number {
  const upper = soleCodePoint(String.fromCodePoint(character).toUpperCase()) ?? character;
  return soleCodePoint(String.fromCodePoint(upper).toLowerCase()) ?? character;
}

function soleCodePoint(text: string): number | undefined {
  const codePoint = text.codePointAt(0);
  return codePoint !== undefined && text.length === (codePoint > 0xff_ff ? 2 : 1) ? codePoint : undefined;
}
