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

describe('a search that finds the event', () => {
  test.each([
    ['an empty text', '  '],
    ['a word of the client name', 'eu-17'],
    ['a word of the check name', 'usage'],
    ['a word of the output in any case', 'critical'],
    ['two words in different attributes', 'web critical'],
    ['a text in quotes', '"/var 91%"'],
    ['a quotation mark within quotes', String.raw`!"say \"hi\""`],
    ['a negated word', '!db'],
    ['a word negated with "not"', 'not db'],
    ['a "not" that applies only to the next term', 'not db web'],
    ['a negated group in parentheses', 'NOT (db or cache) and not(cpu)'],
    ['a word that begins like an operator', '!nothing !order !android'],
    ['one of two words joined with "or"', 'db or web'],
    ['"and" with precedence over "or"', 'db disk or web disk'],
    ['groups in parentheses', '(db or web) and (disk or cpu)'],
    ['words and operators in upper case', 'DB OR WEB AND DISK'],
    ['a field value in any case', 'client=WEB-EU-17'],
    ['a field that is not equal to a value', 'client!=web-eu-1'],
    ['a field that matches a pattern', 'client~web-*-1?'],
    ['a field that contains a text', 'output~/var'],
    ['a field comparison with spaces around the operator', 'status >= warn  occurrences > 3'],
    ['a field value in quotes', 'output~"*91% used"'],
    ['the name of a status', 'status=crit'],
    ['the number of a status', 'status=2'],
    ['a minimum status', 'status>=warn'],
    ['a status that is not equal', 'status!=ok'],
    ['a range of statuses', 'status>ok status<unknown'],
    ['the number of occurrences', 'occurrences=4 occurrences<=4 !occurrences>4'],
    ['its action', 'action=create action!=resolve'],
    ['the word "silenced"', 'silenced'],
    ['the field silenced', 'silenced=true silenced!=no'],
    ['the id of its silence', 'silenced_by=planned:disk_usage'],
    ['a pattern for the id of its silence', 'silenced_by~client:*'],
    ['the id of a silence that does not apply', 'silenced_by!=other:*'],
    ['a minimum age', 'age>1h'],
    ['ages as compound durations', 'age>=1h30m age<2h'],
    ['the time of the last result', 'last<1m'],
    ['field names in upper case', 'STATUS=CRIT'],
    ['a double negation', '!!web'],
    ['a word that contains an operator but is no field', 'http://x=1 or web'],
  ])('a search finds an event by %s: %s', (_rule, text) => {
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
    ['escalating', { escalations: [{ handler: 'db-page', step: 1, of: 3, at: NOW - 60, due: NOW + 60 }] }, true],
    ['escalating', { escalations: [{ handler: 'db-page', step: 1, of: 3, at: NOW - 60, remaining: 9 }] }, true],
    ['escalating', { escalations: [{ handler: 'db-page', step: 3, of: 3, at: NOW - 60 }] }, false],
    ['escalating', {}, false],
    ['escalation=db-page', { escalations: [{ handler: 'db-page', step: 3, of: 3, at: NOW - 60 }] }, true],
    ['escalation~*-page', { escalations: [{ handler: 'db-page', step: 3, of: 3, at: NOW - 60 }] }, true],
    ['escalation=page', { escalations: [{ handler: 'db-page', step: 3, of: 3, at: NOW - 60 }] }, false],
    ['escalation!=db-page', {}, true],
    ['status>=crit', { status: 1 }, false],
    ['status>=crit', { status: 3 }, true],
    ['status=unknown', { status: 127 }, true],
    ['status=unknown', { status: -1 }, true],
    ['status=-1', { status: -1 }, true],
    ['status>=1', { status: -1 }, false],
    ['client~web', { client: 'my-web-1' }, true],
    ['client~web*', { client: 'my-web-1' }, false],
    // A search word never matches text across two fields.
    ['"17 disk"', {}, false],
    ['17disk', {}, false],
  ])('the search %s of a row with %o matches: %s', (text, changes, expected) => {
    expect(finds(text, changes)).toBe(expected);
  });
});

test('a word search uses the search text of the row', () => {
  expect(matchesSearch(search('web'), { ...row, searchText: searchText({ ...row, client: 'db' }) }, NOW)).toBe(false);
});

test('only searches that compare times depend on the current time', () => {
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
      'since>=tomorrow',
      7,
      '"tomorrow" is not a date and time: use a date and time with a zone, as in since>=2026-11-28T20:14:00Z',
    ],
    ['since~2026', 6, 'since does not support patterns: use since>= and since<='],
    ['age>soon', 4, '"soon" is not a duration: write a duration such as 45s, 15m, 1h30m, 2d or 90 minutes'],
    [
      'web statsu>5',
      4,
      'there is no field "statsu": did you mean status? For an attribute of that name, use subscriptions, client.NAME, ' +
        'check.NAME or just NAME for an attribute of the client or the check',
    ],
    ['a\u0000b', 1, 'a search cannot contain control characters: remove this one'],
    ['a'.repeat(1025), 1024, 'the search is longer than 1024 characters: shorten it'],
    ['web not', 7, 'a search term is missing after "not"'],

    [`${'('.repeat(33)}a`, 32, 'more than 32 levels of "(", "!" and "not": simplify the search'],
    ['a '.repeat(250), 401, 'more than 200 terms: shorten the search'],
  ])('the invalid search %s is rejected with its position and a remedy', (text, position, message) => {
    expect(parseSearch(text)).toEqual({ kind: 'problem', position, message });
  });

  test('the search parser returns a search or a problem for any text and never throws', () => {
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

  test('a search that is printed and parsed again finds the same rows and prints the same text', () => {
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
  ['many stars in a pattern', `output~${'*a'.repeat(500)}b`],
  ['stars and question marks', `output~${'*a?'.repeat(330)}*b`],
  ['a long run of question marks', `output~*${'?a'.repeat(500)}b*`],
  ['a word that almost matches everywhere', `${'a'.repeat(500)}b${'a'.repeat(500)}`],
])('a search with %s takes bounded time for a hostile megabyte', (_name, text) => {
  const output = 'a'.repeat(1024 * 1024);
  const started = cpuMs();
  expect(finds(text, { output })).toBe(false);
  expect(cpuMs() - started).toBeLessThan(2000);
});

test('the search field backend matches only in a list of several backends', () => {
  const ofBackend = parseSearch('backend=PROD');
  if (ofBackend.kind === 'problem') throw new Error(ofBackend.message);
  expect(matchesSearch(ofBackend, { ...row, backend: 'prod' }, 0)).toBe(true);
  expect(matchesSearch(ofBackend, { ...row, backend: 'lab' }, 0)).toBe(false);
  expect(matchesSearch(ofBackend, row, 0)).toBe(false);
});
