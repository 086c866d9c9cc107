import { expect, test } from 'vitest';
import { isSearchMatch, readSearch, type SearchLanguage } from '../../../shared/domain/search-language.ts';
import {
  AGGREGATE_SEARCH,
  CHECK_SEARCH,
  CLIENT_SEARCH,
  DEAD_LETTER_SEARCH,
  RESULT_SEARCH,
  SILENCED_SEARCH,
} from '../../../shared/domain/list-searches.ts';

const NOW = 1_700_000_000;

/** Returns whether the search text matches the row. */
function found<Row>(language: SearchLanguage<Row>, row: Row, text: string): boolean {
  const search = readSearch(language, text);
  if (search.kind === 'problem') throw new Error(`${text}: ${search.message}`);
  return isSearchMatch(search, row, NOW);
}

const client = {
  name: 'web-1',
  address: '192.0.2.7',
  version: '2.1.0',
  subscriptions: ['web', 'client:web-1'],
  timestamp: NOW - 400,
};
test.each([
  ['WEB-1', true],
  ['192.0.2', true],
  ['client=web-1 version~2.*', true],
  ['subscriptions=web', true],
  ['subscriptions=we', false],
  ['subscriptions!=db', true],
  ['keepalive>5m', true],
  ['keepalive>1h or address!=192.0.2.7', false],
])('a client is found by %s: %s', (text, expected) => {
  expect(found(CLIENT_SEARCH, client, text)).toBe(expected);
});

test.each([
  ['keepalive>5m', false],
  ['keepalive<5m', false],
  ['!keepalive>5m', true],
  ['!agent', true],
  ['agent', false],
])('a client without an agent is found by %s: %s', (text, expected) => {
  expect(found(CLIENT_SEARCH, { ...client, keepalives: false }, text)).toBe(expected);
});

const result = { client: 'web-1', check: 'disk', status: 1, executed: NOW - 30, output: '/ 91% used' };
test.each([
  ['disk "91% used"', true],
  ['status>=warn !status=crit', true],
  ['status=ok', false],
  ['last<1m check~d*k', true],
])('a result is found by %s: %s', (text, expected) => {
  expect(found(RESULT_SEARCH, result, text)).toBe(expected);
});

const entry = {
  id: 'client:web-1:disk',
  subscription: 'client:web-1',
  check: 'disk',
  reason: 'planned CHG-1',
  creator: 'alice',
  begin: null,
  expire_on_resolve: true,
  timestamp: NOW - 7200,
  expire_at: NOW + 600,
};
test.each([
  ['CHG-1 alice', true],
  ['state=expiring left<15m age>1h', true],
  ['state=active', false],
  ['on_resolve', true],
  ['!on_resolve', false],
  ['creator=alice subscription~client:*', true],
  // The entry contains no count of suppressed notifications, so the condition is false.
  ['suppressed>=0', false],
])('a silence is found by %s: %s', (text, expected) => {
  expect(found(SILENCED_SEARCH, entry, text)).toBe(expected);
});

test.each([
  ['that is pending', { begin: NOW + 60, expire_at: null }, 'state=pending'],
  ['that never ends', { expire_at: null }, 'state=active !left>0'],
  ['that ends in an hour', { expire_at: NOW + 3600 }, 'state=active left>30m'],
  ['that has expired', { expire_at: NOW }, 'state=ended'],
  ['that suppressed notifications', { suppressed: 12, last_suppressed: NOW }, 'suppressed>10'],
])('a silence %s is found by its state and times', (_name, changes, text) => {
  expect(found(SILENCED_SEARCH, { ...entry, ...changes }, text)).toBe(true);
});

const counts = { ok: 179, warning: 0, critical: 21, unknown: 0, total: 200, stale: 0, silenced: 3, down: 1 };
test.each([
  // Percentages are rounded down, as in the list of aggregates.
  ['ok=89', true],
  ['ok<90 critical>20 silenced=3', true],
  ['clients>=100 web', true],
  ['down>1', false],
])('an aggregate is found by %s: %s', (text, expected) => {
  expect(found(AGGREGATE_SEARCH, { name: 'web', clients: 100, checks: 2, results: counts }, text)).toBe(expected);
});

test('an aggregate without results is found by neither an OK search nor a failing search', () => {
  const none = { name: 'web', clients: 0, checks: 0, results: { ...counts, ok: 0, total: 0 } };
  expect([found(AGGREGATE_SEARCH, none, 'ok<100'), found(AGGREGATE_SEARCH, none, 'ok>=0')]).toEqual([false, false]);
});

const check = {
  name: 'disk',
  command: 'check-disk -w 80',
  subscribers: ['linux'],
  interval: 300,
  next_run: NOW + 20,
  results: { ok: 5, warning: 0, critical: 2, unknown: 0 },
};
test.each([
  ['interval>=5m interval<1h', true],
  ['interval=300', true],
  ['subscribers=linux "-w 80"', true],
  ['next<1m critical>1', true],
  ['cron~*', true],
  ['unknown>0', false],
])('a check is found by %s: %s', (text, expected) => {
  expect(found(CHECK_SEARCH, check, text)).toBe(expected);
});

test.each([
  ['interval>0 or ok>=0 or next>0', { interval: null, next_run: null, results: null }],
  ['interval>0', { interval: undefined }],
])('a search for an attribute that the check does not have finds nothing: %s', (text, changes) => {
  expect(found(CHECK_SEARCH, { ...check, ...changes }, text)).toBe(false);
});

const letter = {
  id: 17,
  handler: 'pagerduty',
  client: 'db-1',
  check: 'disk',
  failed_at: NOW - 90,
  attempts: 4,
  reason: 'exit 1',
};
test.each([
  ['handler=pagerduty tries>3', true],
  ['db-1/disk', true],
  ['id=17 age>1m', true],
  ['reason=exit', false],
])('a dead letter is found by %s: %s', (text, expected) => {
  expect(found(DEAD_LETTER_SEARCH, letter, text)).toBe(expected);
});

test.each([
  ['interval~5', 'interval does not support patterns: use interval=, interval>= and the like'],
  ['interval>soon', /^"soon" is not a duration/],
  ['status>=warn', /^there is no field "status": use check, command, subscribers, interval, cron, next, ok, critical/],
])('a search of checks by an unsupported field or value is rejected with a reason: %s', (text, message) => {
  expect(readSearch(CHECK_SEARCH, text)).toMatchObject({ kind: 'problem', message: expect.stringMatching(message) });
});
