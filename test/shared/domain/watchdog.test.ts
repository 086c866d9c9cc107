import { describe, expect, test } from 'vitest';
import { expectationOf, isExpected, watchdogVerdict } from '../../../shared/domain/watchdog.ts';
import { watchdogSchema } from '../../../shared/schemas/watchdog.ts';

const BACKUP = { expect: 'check db-1/backup', within: 300 } as const;

describe('the verdict of a watchdog (watchdogs 1)', () => {
  test.each([
    { last: 1000, now: 1010, since: 0, status: 0, output: 'check db-1/backup came 10s ago, expected every 5m' },
    { last: 1000, now: 1299, since: 0, status: 0, output: 'check db-1/backup came 4m59s ago, expected every 5m' },
    { last: 1000, now: 1300, since: 0, status: 2, output: 'check db-1/backup has not come for 5m, expected every 5m' },
    // After a start, agents have five minutes to deliver their spools.
    { last: 0, now: 1299, since: 1000, status: 0, output: 'check db-1/backup came 21m39s ago, expected every 5m' },
    {
      last: 0,
      now: 1300,
      since: 1000,
      status: 2,
      output: 'check db-1/backup has not come for 21m40s, expected every 5m',
    },
    {
      last: undefined,
      now: 1299,
      since: 1000,
      status: 0,
      output: 'check db-1/backup: waiting for the first one, expected every 5m',
    },
    {
      last: undefined,
      now: 1300,
      since: 1000,
      status: 2,
      output: 'check db-1/backup has never come, expected every 5m',
    },
  ])(
    'a watchdog in force since $since has status $status at $now if the last result came at $last',
    ({ status, output, ...times }) => {
      expect(watchdogVerdict(BACKUP, times)).toEqual({ status, output });
    },
  );

  test('the output of a watchdog for an alert says that the alert does not fire', () => {
    const alert = { expect: 'alert Watchdog', within: 60 };
    const output = 'alert Watchdog does not fire, expected every 1m';
    expect(watchdogVerdict(alert, { now: 100, since: 0, last: undefined })).toEqual({ status: 2, output });
  });

  test('a long time after the start is not added to the time of a watchdog', () => {
    const daily = { expect: 'check db-1/backup', within: 86400 };
    const [now, since] = [100_000, 99_600];
    expect(watchdogVerdict(daily, { now, since, last: 13_600 })).toMatchObject({ status: 2 });
    expect(watchdogVerdict(daily, { now, since, last: 13_601 })).toMatchObject({ status: 0 });
  });
});

test.each([
  ['check db-1/backup', { kind: 'check', client: 'db-1', check: 'backup' }],
  ['check backup', { kind: 'check', client: undefined, check: 'backup' }],
  ['alert Watchdog', { kind: 'alert', client: undefined, check: 'Watchdog' }],
])('the expectation %s is parsed', (text, expectation) => {
  expect(expectationOf({ expect: text })).toEqual(expectation);
});

test.each([
  ['check backup', { name: 'backup', ttl: 0 }, true],
  ['check backup', { name: 'backup..x', ttl: 0 }, false],
  ['alert Watchdog', { name: 'Watchdog', ttl: 240 }, true],
  ['alert Watchdog', { name: 'Watchdog..none', ttl: 240 }, true],
  ['alert Watchdog', { name: 'Watchdog..none', ttl: 0 }, false],
  ['alert Watchdog', { name: 'WatchdogOfOthers', ttl: 240 }, false],
] as const)('a watchdog that expects %s counts the result %j: %s', (text, result, isCounted) => {
  expect(isExpected(expectationOf({ expect: text }), result)).toBe(isCounted);
});

test.each([
  [300, 300],
  ['5m', 300],
  ['26h', 93_600],
  ['1h30m', 5400],
] as const)('the time %j of a watchdog is %i seconds', (within, seconds) => {
  expect(watchdogSchema.parse({ expect: 'check backup', within }).within).toBe(seconds);
});

test.each([
  { expect: 'backup', within: '5m' },
  { expect: 'check a/b/c', within: '5m' },
  { expect: 'alert a/b', within: '5m' },
  { expect: 'check db-1/backup' },
  { expect: 'check db-1/backup', within: 0 },
  { expect: 'check db-1/backup', within: 'soon' },
  { expect: 'check db-1/backup', within: '5m', handlers: ['pager'] },
])('the watchdog %j is rejected', (watchdog) => {
  expect(watchdogSchema.safeParse(watchdog).success).toBe(false);
});
