import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  matchesSearch,
  parseSearch,
  searchText,
  usesTime,
  type Search,
  type SearchRow,
} from '../../../shared/domain/search.ts';
import { cpuMs } from '../../support/cpu-ms.ts';
import { printSearch } from '../../support/print-search.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const NOW = 1_700_000_000;

const row: SearchRow = {
  client: 'web-eu-17',
  check: 'disk_usage',
  status: 2,
  action: 'create',
  occurrences: 4,
  since: NOW - 5400,
  last: NOW - 20,
  silenced_by: ['client:web-eu-17:*', 'planned:disk_usage'],
  output: 'DISK CRITICAL: /var 91% used',
};

function search(text: string): Search {
  const parsed = parseSearch(text);
  if (parsed.kind === 'problem') throw new Error(`${text}: ${parsed.message}`);
  return parsed;
}

function finds(text: string, changes: Partial<SearchRow> = {}): boolean {
  return matchesSearch(search(text), { ...row, ...changes }, NOW);
}

describe('a matching search', () => {
  test.each([
    ['everything when it is empty', '  '],
    ['a word in the client', 'eu-17'],
    ['a word in the check', 'usage'],
    ['a word in the output, whatever its case', 'critical'],
    ['two words in different places', 'web critical'],
    ['a text in quotes', '"/var 91%"'],
    ['a quote within quotes', String.raw`!"say \"hi\""`],
    ['what does not have a word', '!db'],
    ['what does not have a word, in words', 'not db'],
    ['the not of one term, not of all that follow', 'not db web'],
    ['a not of parentheses', 'NOT (db or cache) and not(cpu)'],
    ['a word that begins like one of the language', '!nothing !order !android'],
    ['either of two', 'db or web'],
    ['and before or', 'db disk or web disk'],
    ['what parentheses say', '(db or web) and (disk or cpu)'],
    ['words and operators in capitals', 'DB OR WEB AND DISK'],
    ['a field by its value, whatever its case', 'client=WEB-EU-17'],
    ['a field by what it is not', 'client!=web-eu-1'],
    ['a field by a pattern', 'client~web-*-1?'],
    ['a field by a part', 'output~/var'],
    ['a field with spaces around', 'status >= warn  occurrences > 3'],
    ['a value in quotes', 'output~"*91% used"'],
    ['a status by its name', 'status=crit'],
    ['a status by its number', 'status=2'],
    ['a status from another on', 'status>=warn'],
    ['a status by what it is not', 'status!=ok'],
    ['a status between two', 'status>ok status<unknown'],
    ['a count', 'occurrences=4 occurrences<=4 !occurrences>4'],
    ['an action', 'action=create action!=resolve'],
    ['silenced ones', 'silenced'],
    ['silenced ones as a field', 'silenced=true silenced!=no'],
    ['ones silenced by an entry', 'silenced_by=planned:disk_usage'],
    ['ones silenced by a pattern', 'silenced_by~client:*'],
    ['ones not silenced by an entry', 'silenced_by!=other:*'],
    ['old ones', 'age>1h'],
    ['old ones by compound durations', 'age>=1h30m age<2h'],
    ['fresh ones', 'last<1m'],
    ['fields in capitals', 'STATUS=CRIT'],
    ['the not of a not', '!!web'],
    ['words with operators in them that are no fields', 'http://x=1 or web'],
  ])('a search finds %s: %s', (_rule, text) => {
    expect(finds(text)).toBe(true);
    expect(finds(`!(${text.trim() === '' ? 'web' : text})`)).toBe(false);
  });

  test.each([
    ['flapping', { action: 'flapping' as const }, true],
    ['flapping', {}, false],
    ['flapping=no', {}, true],
    ['"flapping"', { action: 'flapping' as const }, false],
    ['!silenced', { silenced_by: [] }, true],
    ['silenced_by!=planned:disk_usage', {}, false],
    ['status>=crit', { status: 1 }, false],
    ['status>=crit', { status: 3 }, true],
    ['status=unknown', { status: 127 }, true],
    ['status=unknown', { status: -1 }, true],
    ['status=-1', { status: -1 }, true],
    ['status>=1', { status: -1 }, false],
    ['client~web', { client: 'my-web-1' }, true],
    ['client~web*', { client: 'my-web-1' }, false],
    // One word never matches across two fields.
    ['"17 disk"', {}, false],
    ['17disk', {}, false],
  ])('the search %s of a row with %o matches: %s', (text, changes, expected) => {
    expect(finds(text, changes)).toBe(expected);
  });
});

test('a search uses the search text that a row provides', () => {
  expect(matchesSearch(search('web'), { ...row, searchText: searchText({ ...row, client: 'db' }) }, NOW)).toBe(false);
});

test('only searches for times depend on the time', () => {
  expect(usesTime(search('web status=crit or occurrences>3'))).toBe(false);
  expect(usesTime(search('web or !(disk age>1h)'))).toBe(true);
  expect(usesTime(search('last>5m'))).toBe(true);
});

describe('an invalid search', () => {
  test.each([
    ['(web', 0, 'this "(" is not closed: add a ")", or quote it to search for it'],
    ['web)', 3, 'this ")" closes nothing: remove it, or quote it to search for it'],
    ['()', 1, 'a search term is missing before this ")"'],
    ['web !', 5, 'a search term is missing here'],
    ['web and', 7, 'a search term is missing after "and"'],
    ['web or )', 7, 'a search term is missing after "or"'],
    ['or web', 0, 'a search term is missing before "or"; quote it to search for the word itself'],
    ['web or and', 7, 'a search term is missing before "and"; quote it to search for the word itself'],
    ['web "disk', 4, 'this quote is not closed: add a " at its end'],
    ['""', 0, 'these quotes are empty: type a search term'],
    [
      'client=',
      7,
      'a value is missing after client=: type a text, or with ~ a pattern with * and ?, as in client~web-*',
    ],
    ['client>web', 7, 'client is a text and cannot be compared by order: use client=, client!= or client~'],
    [
      'silenced_by<x',
      12,
      'silenced_by contains texts and cannot be compared by order: use silenced_by=, silenced_by!= or silenced_by~',
    ],
    ['status=bad', 7, '"bad" is not a status: use ok, warn, crit, unknown or a number'],
    ['status~crit', 7, 'status does not support patterns: use status=, status!=, status>= and the like'],
    ['occurrences>many', 12, '"many" is not a whole number: use a whole number, as in occurrences>3'],
    ['action=fix', 7, '"fix" is not a valid action: use create, flapping, resolve'],
    ['action~x', 7, 'action has fixed values: use action= or action!='],
    ['silenced=maybe', 9, '"maybe" is neither true nor false: use true or false, or just silenced or !silenced'],
    ['silenced>no', 9, 'silenced is a boolean: use true or false, or just silenced or !silenced'],
    ['age=1h', 4, 'age is the time since it entered its status and changes every second: use age> or age<'],
    [
      'age>soon',
      4,
      '"soon" is not a duration: a duration is seconds or numbers with units, as in 90, 45s, 15m, 1h30m, 2d, 1w',
    ],
    [
      'web load>5',
      4,
      'there is no field "load": use client, check, output, status, occurrences, action, silenced, flapping, ' +
        'recovering, inhibited, inhibited_by, group, silenced_by, age, last, backend, namespace, or quote the text to search for it',
    ],
    ['a\u0000b', 1, 'a search cannot contain control characters: remove this one'],
    ['a'.repeat(1025), 1024, 'the search is longer than 1024 characters: shorten it'],
    ['web not', 7, 'a search term is missing after "not"'],

    [`${'('.repeat(33)}a`, 32, 'more than 32 levels of "(", "!" and "not": simplify the search'],
    ['a '.repeat(250), 401, 'more than 200 terms: shorten the search'],
  ])('the invalid search %s is rejected with its position and a remedy', (text, position, message) => {
    expect(parseSearch(text)).toEqual({ kind: 'problem', position, message });
  });

  test('the search parser never throws', () => {
    const pieces = fc.constantFrom(
      '(',
      ')',
      '!',
      '"',
      '\\',
      ' ',
      'and',
      'or',
      'web',
      'status',
      '>=',
      '=',
      '!=',
      '~',
      'age',
      '1h',
      'silenced',
      '*',
      '?',
    );
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseSearch(text);
        const answer = parsed.kind === 'problem' ? parsed.position <= text.length : matchesSearch(parsed, row, NOW);
        expect(answer).toBeTypeOf('boolean');
      }),
      { numRuns: propertyRuns(5000) },
    );
  });
});

const { tree: anySearch } = fc.letrec<{ tree: string; leaf: string; node: string }>((tie) => ({
  leaf: fc.constantFrom(
    'web',
    '"a b"',
    '"and"',
    'silenced',
    'flapping',
    'status>=warn',
    'client~*1*',
    'output!="x y"',
    'age>1h',
    'last<=30',
  ),
  node: fc.oneof(
    tie('tree').map((a) => `!(${a})`),
    tie('tree').map((a) => `not (${a})`),
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a}) (${b})`),
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a}) or (${b})`),
  ),
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('node')),
}));

const anyRow: fc.Arbitrary<SearchRow> = fc.record({
  client: fc.constantFrom('web-1', 'db-2', 'a b'),
  check: fc.constantFrom('disk', 'x y'),
  status: fc.integer({ min: -1, max: 4 }),
  action: fc.constantFrom('create' as const, 'flapping' as const, 'resolve' as const),
  occurrences: fc.nat(5),
  since: fc.integer({ min: NOW - 7200, max: NOW + 10 }),
  last: fc.integer({ min: NOW - 60, max: NOW }),
  silenced_by: fc.array(fc.constantFrom('client:web-1:*', 'x:disk'), { maxLength: 2 }),
  output: fc.constantFrom('x y', 'silenced and flapping', ''),
});

function agree(one: string, other: string, on: SearchRow): boolean {
  return matchesSearch(search(one), on, NOW) === matchesSearch(search(other), on, NOW);
}

describe('the logic of a search', () => {
  test('a double negation in a search cancels out', () => {
    fc.assert(
      fc.property(anySearch, anyRow, (a, on) => {
        expect(agree(`!!(${a})`, a, on)).toBe(true);
        expect(agree(`not (${a})`, `!(${a})`, on)).toBe(true);
      }),
    );
  });

  test('the laws of De Morgan apply to searches', () => {
    fc.assert(
      fc.property(anySearch, anySearch, anyRow, (a, b, on) => {
        expect(agree(`!((${a}) (${b}))`, `!(${a}) or !(${b})`, on)).toBe(true);
        expect(agree(`!((${a}) or (${b}))`, `!(${a}) and !(${b})`, on)).toBe(true);
      }),
    );
  });

  test('a printed search means the same and prints the same', () => {
    fc.assert(
      fc.property(anySearch, anyRow, (a, on) => {
        const printed = printSearch(search(a));
        expect(agree(a, printed, on)).toBe(true);
        expect(printSearch(search(printed))).toBe(printed);
      }),
    );
  });
});

test.each([
  ['many stars', `output~${'*a'.repeat(500)}b`],
  ['stars and question marks', `output~${'*a?'.repeat(330)}*b`],
  ['a long run of question marks', `output~*${'?a'.repeat(500)}b*`],
  ['a word that nearly fits everywhere', `${'a'.repeat(500)}b${'a'.repeat(500)}`],
])('a search with %s takes bounded time for a hostile megabyte', (_name, text) => {
  const output = 'a'.repeat(1024 * 1024);
  const started = cpuMs();
  expect(finds(text, { output })).toBe(false);
  expect(cpuMs() - started).toBeLessThan(2000);
});

test('the field backend matches only in a list of several backends', () => {
  const ofBackend = parseSearch('backend=PROD');
  if (ofBackend.kind === 'problem') throw new Error(ofBackend.message);
  expect(matchesSearch(ofBackend, { ...row, backend: 'prod' }, 0)).toBe(true);
  expect(matchesSearch(ofBackend, { ...row, backend: 'lab' }, 0)).toBe(false);
  expect(matchesSearch(ofBackend, row, 0)).toBe(false);
});
