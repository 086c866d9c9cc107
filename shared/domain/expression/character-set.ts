/** Code points from the first to the last, both included. */
export type CharacterRange = readonly [first: number, last: number];

/** Which characters may stand at a place of a text. */
export interface CharacterSet {
  readonly ranges: readonly CharacterRange[];
  readonly isNegated: boolean;
}

const LAST_CODE_POINT = 0x10_ff_ff;

const NEWLINE = 0x0a;

/** `.`: anything within a line. */
export const ANY_IN_LINE: CharacterSet = { ranges: [[NEWLINE, NEWLINE]], isNegated: true };

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
  const variants = ignoresCase ? caseVariants(character) : [character];
  return variants.some((variant) => isIn(set.ranges, variant)) !== set.isNegated;
}

function isIn(ranges: readonly CharacterRange[], character: number): boolean {
  return ranges.some(([first, last]) => first <= character && character <= last);
}

function caseVariants(character: number): number[] {
  const text = String.fromCodePoint(character);
  // One character for one: what grows with its case (ß, SS) is itself only.
  return [text, text.toLowerCase(), text.toUpperCase()].map((variant) => soleCodePoint(variant) ?? character);
}

function soleCodePoint(text: string): number | undefined {
  const codePoint = text.codePointAt(0);
  return codePoint !== undefined && text.length === (codePoint > 0xff_ff ? 2 : 1) ? codePoint : undefined;
}
