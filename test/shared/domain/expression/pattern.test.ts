import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pattern } from '../../../../shared/domain/expression/pattern.ts';
import {
  catchSyntaxProblem,
  SyntaxProblem,
  type ExpressionProblem,
} from '../../../../shared/domain/expression/syntax-problem.ts';
import { cpuMs } from '../../../support/cpu-ms.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

function isFound(pattern: string, text: string, ignoresCase = false): boolean | undefined {
  return new Pattern(pattern, { ignoresCase, offset: 0 }).hasMatchIn(text);
}

function patternOrProblem(source: string): Pattern | ExpressionProblem {
  return catchSyntaxProblem(() => new Pattern(source, { ignoresCase: false, offset: 0 }));
}

describe('a pattern of an expression', () => {
  test.each<{ pattern: string; matchingTexts: string[]; otherTexts: string[] }>([
    { pattern: '', matchingTexts: ['', 'a'], otherTexts: [] },
    { pattern: 'disk', matchingTexts: ['disk', 'my disk is full'], otherTexts: ['Disk', 'dis', 'dsk'] },
    { pattern: 'd.sk', matchingTexts: ['disk', 'd😀sk'], otherTexts: ['dsk', 'd\nsk'] },
    { pattern: '^web', matchingTexts: ['web-1', 'x\nweb-1'], otherTexts: ['my-web'] },
    { pattern: 'web$', matchingTexts: ['my-web', 'web\nx'], otherTexts: ['web-1'] },
    {
      pattern: String.raw`\Aweb-\d+\z`,
      matchingTexts: ['web-1', 'web-42'],
      otherTexts: ['web-', 'web-1\n', 'x\nweb-1'],
    },
    // A trailing newline does not begin another line.
    { pattern: '^$', matchingTexts: ['', 'a\n\nb'], otherTexts: ['a', 'a\n'] },
    { pattern: '[a-cx_-]$', matchingTexts: ['a', 'b', 'x', '_', '-'], otherTexts: ['d', 'w'] },
    { pattern: '[^a-c]', matchingTexts: ['d', '\n'], otherTexts: ['', 'abc'] },
    { pattern: String.raw`[\d.]`, matchingTexts: ['7', '.'], otherTexts: ['x'] },
    { pattern: String.raw`^[^\D]$`, matchingTexts: ['7'], otherTexts: ['x'] },
    { pattern: String.raw`^[\W]$`, matchingTexts: ['.', 'é'], otherTexts: ['x', '_'] },
    { pattern: String.raw`\w\s\S\W`, matchingTexts: ['a b.'], otherTexts: ['a bc', 'ab c'] },
    { pattern: String.raw`\bdisk\b`, matchingTexts: ['a disk', 'disk', 'disk.'], otherTexts: ['disks', 'mydisk'] },
    { pattern: String.raw`\Bisk`, matchingTexts: ['disk'], otherTexts: ['isk', 'a isk'] },
    { pattern: 'ab*c', matchingTexts: ['ac', 'abc', 'abbbc'], otherTexts: ['ab', 'adc'] },
    { pattern: 'ab+c', matchingTexts: ['abc', 'abbbc'], otherTexts: ['ac'] },
    { pattern: 'ab?c', matchingTexts: ['ac', 'abc'], otherTexts: ['abbc'] },
    { pattern: '^a{2}$', matchingTexts: ['aa'], otherTexts: ['a', 'aaa'] },
    { pattern: '^a{2,}$', matchingTexts: ['aa', 'aaaaa'], otherTexts: ['a'] },
    { pattern: '^a{2,3}$', matchingTexts: ['aa', 'aaa'], otherTexts: ['a', 'aaaa'] },
    { pattern: '^a{,2}$', matchingTexts: ['', 'aa'], otherTexts: ['aaa'] },
    { pattern: '^a{0}b$', matchingTexts: ['b'], otherTexts: ['ab'] },
    { pattern: '^(web|db)-1$', matchingTexts: ['web-1', 'db-1'], otherTexts: ['webdb-1', 'x-1'] },
    { pattern: '^(?:a|)b$', matchingTexts: ['ab', 'b'], otherTexts: ['aab'] },
    { pattern: '^(a|b|cd)+$', matchingTexts: ['a', 'abcd', 'cdcd'], otherTexts: ['c', 'acb', ''] },
    { pattern: '^(a*)*$', matchingTexts: ['', 'aaa'], otherTexts: ['b'] },
    { pattern: String.raw`10\.0\.\*\/\(\[\\`, matchingTexts: [String.raw`10.0.*/([\ `], otherTexts: ['10x0'] },
    { pattern: String.raw`a\tb\n`, matchingTexts: ['a\tb\n'], otherTexts: ['atbn'] },
    { pattern: 'größe|😀', matchingTexts: ['die größe', '😀'], otherTexts: ['GRÖSSE', '😁'] },
    { pattern: '^[😀-😂]$', matchingTexts: ['😁'], otherTexts: ['😃'] },
  ])('the pattern /$pattern/ matches the same texts as in Ruby', ({ pattern, matchingTexts, otherTexts }) => {
    for (const text of matchingTexts)
      expect({ text, isFound: isFound(pattern, text) }).toEqual({ text, isFound: true });
    for (const text of otherTexts) expect({ text, isFound: isFound(pattern, text) }).toEqual({ text, isFound: false });
  });

  test.each([
    ['disk', 'DISK'],
    ['DISK', 'disk'],
    ['[a-f]+z', 'ABCZ'],
    ['größe', 'GRÖße'],
    [String.raw`\Aé\z`, 'É'],
  ])('the pattern /%s/i is found in %s', (pattern, text) => {
    expect(isFound(pattern, text, true)).toBe(true);
    expect(isFound(pattern, text)).toBe(false);
  });

  test('a negated character class with the flag i excludes a letter in upper and lower case', () => {
    expect(isFound('[^a]', 'aA', true)).toBe(false);
  });
});

describe('an invalid pattern of an expression', () => {
  test.each([
    ['(a', 0, String.raw`this "(" is not closed: add a ")", or write \( for the character`],
    ['a)', 1, String.raw`this ")" closes nothing: write \) for the character`],
    ['*a', 0, String.raw`there is nothing before this "*": write \* for the character`],
    ['a**', 2, 'a repetition cannot be repeated, lazy or possessive: remove the second sign'],
    ['a+?', 2, 'a repetition cannot be repeated, lazy or possessive: remove the second sign'],
    ['^*', 0, 'this matches a position, which cannot be repeated'],
    ['a{,}', 1, 'this count has no number'],
    ['a{3,2}', 1, 'this count ends before it begins'],
    ['a{1000}', 1, String.raw`write \{ for the character {`],
    ['a]', 1, String.raw`write \] for the character ]`],
    ['[a', 0, String.raw`this "[" is not closed: add a "]", or write \[ for the character`],
    ['[]', 0, 'these brackets are empty'],
    ['[z-a]', 1, String.raw`this is not a range of characters: write \- for the character -`],
    [String.raw`[\d-z]`, 1, String.raw`this is not a range of characters: write \- for the character -`],
    ['[[:alpha:]]', 1, String.raw`sets within sets are not supported: write \[ for the character`],
    ['[a&&b]', 2, String.raw`sets within sets are not supported: write \& for the character`],
    ['(?=a)', 0, 'the only supported special group is (?:...)'],
    ['(?<name>a)', 0, 'the only supported special group is (?:...)'],
    [String.raw`(a)\1`, 3, String.raw`\1 is not supported: use \d \w \s \D \W \S \b \B \A \z \t \n \r`],
    [String.raw`a\p{L}`, 1, String.raw`\p is not supported: use \d \w \s \D \W \S \b \B \A \z \t \n \r`],
    ['a\\', 2, 'the pattern ends too early'],
    ['a#{b}', 1, 'a pattern is a fixed text: values cannot be inserted'],
    [':::name:::', 0, 'a pattern is a fixed text: values cannot be inserted'],
    ['a'.repeat(257), 256, 'a pattern has at most 256 characters: shorten it'],
    ['((a{20}){20}){20}', 0, 'the counts of this pattern are too large: lower them'],
    ['((){999}){999}', 0, 'the counts of this pattern are too large: lower them'],
    ['('.repeat(33), 32, 'more than 32 levels of "(": simplify the pattern'],
  ])('the invalid pattern /%s/ is rejected with its position and a remedy', (pattern, position, message) => {
    const error = new SyntaxProblem(message, position);
    expect(() => new Pattern(pattern, { ignoresCase: false, offset: 0 })).toThrow(error);
    expect(() => new Pattern(pattern, { ignoresCase: false, offset: 10 })).toThrow(
      expect.objectContaining({ position: position + 10 }),
    );
  });
});

/** Patterns whose syntax has the same meaning here and in JavaScript. */
const sharedPattern = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', String.raw`\d`, String.raw`\w`, String.raw`\b`, ' '),
    tie('pattern').map((pattern) => `(${pattern})`),
  ),
  pattern: fc
    .array(
      fc
        .tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}'))
        .map(([atom, repeat]) => (atom === String.raw`\b` ? atom : atom + repeat)),
      { maxLength: 4 },
    )
    .chain((items) => fc.constantFrom(items.join(''), `${items.join('')}|b`, `^${items.join('')}$`)),
})).pattern;

test('a pattern matches the same texts as a JavaScript regular expression where both have the same syntax', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '1', '-', 'é', '😀'), maxLength: 12 });
  fc.assert(
    fc.property(sharedPattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
      const pattern = patternOrProblem(source);
      // Patterns that are rejected because of their size are skipped.
      if (!(pattern instanceof Pattern)) return;
      const expected = new RegExp(source, 'u');
      for (const one of texts)
        expect([source, one, pattern.hasMatchIn(one)]).toEqual([source, one, expected.test(one)]);
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test('any text is a valid pattern or rejected with a position within the text', () => {
  const soup = fc.string({ unit: fc.constantFrom(...Array.from('ab()[]{}|*+?^$\\.,-0129dwsz&:#\n😀')), maxLength: 40 });
  fc.assert(
    fc.property(soup, (source) => {
      const pattern = patternOrProblem(source);
      if (pattern instanceof Pattern) pattern.hasMatchIn(source);
      const position = pattern instanceof Pattern ? 0 : pattern.position;
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position).toBeLessThanOrEqual(source.length);
    }),
    { numRuns: propertyRuns(5000) },
  );
});

test.each([
  ['(a+)+$', 'a', '!'],
  ['(a|aa)+$', 'a', '!'],
  ['(.*)*x', 'ab', ''],
  [String.raw`(\w+\s?)*$`, 'word ', '!'],
  ['(a?){25}a{25}b', 'a', ''],
])('the pattern /%s/ takes linear time for a hostile megabyte', (source, piece, end) => {
  const text = piece.repeat(Math.ceil(1_048_576 / piece.length)) + end;
  const start = cpuMs();
  isFound(source, text);
  // Anything slower than linear would take hours; the limit allows for slow machines.
  expect(cpuMs() - start).toBeLessThan(10_000);
});

test('a pattern search that needs a new automaton state at every character is aborted soon', () => {
  const pattern = new Pattern('a[ab]{250}c', { ignoresCase: false, offset: 0 });
  const [text = ''] = fc.sample(
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 262_144, maxLength: 262_144 }),
    1,
  );
  expect(pattern.hasMatchIn(text)).toBeUndefined();
  expect(pattern.hasMatchIn(`${text.slice(0, 1000)}c`)).toBe(text[749] === 'a');
});

test('a short pattern search that needs a new automaton state at every character still completes', () => {
  const texts = fc.sample(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 3000, maxLength: 3000 }), 2);
  const pattern = new Pattern('a(a|b){40}c', { ignoresCase: false, offset: 0 });
  for (const text of texts) {
    expect(pattern.hasMatchIn(text)).toBe(false);
    expect(pattern.hasMatchIn(`${text}a${'b'.repeat(40)}c`)).toBe(true);
  }
});
