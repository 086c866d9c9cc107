import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { scheduleStandalone } from '../../../daemon/agent/schedule-standalone.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import type { CheckDefinition } from '../../../shared/schemas/check.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';

const CLIENT = 'web1';

interface Start {
  readonly check: CheckRequest;
  readonly atMs: number;
}

function scheduled(
  checks: Readonly<Record<string, CheckDefinition>>,
  clock = new ManualClock(),
): {
  clock: ManualClock;
  log: RecordedLog;
  starts: Start[];
  schedule: Disposable;
} {
  const log = new RecordedLog();
  const starts: Start[] = [];
  const schedule = scheduleStandalone({
    client: CLIENT,
    checks: new Map(Object.entries(checks)),
    clock,
    log,
    start: (check) => starts.push({ check, atMs: clock.now() }),
  });
  return { clock, log, starts, schedule };
}

/**
 * Returns the offset in its interval at which the check runs, in milliseconds. It depends only on the names of the
 * client and the check, so it is the same after a restart.
 */
function intervalOffsetMs(check: string, intervalMs: number): number {
  const key = createHash('md5').update(`${CLIENT}:${check}`).digest().readBigUInt64LE(0);
  return Number(key % BigInt(intervalMs));
}

test('a standalone check runs once in every interval, at an offset derived from its name', () => {
  const { clock, starts } = scheduled({ disk: { command: 'df', standalone: true, interval: 60 } });
  clock.advance(300_000);
  expect(starts).toHaveLength(5);
  for (const { atMs } of starts) expect(atMs % 60_000).toBe(intervalOffsetMs('disk', 60_000));
});

test('a standalone check keeps its offset within the interval across a restart', () => {
  const first = scheduled({ disk: { command: 'df', standalone: true, interval: 60 } });
  first.clock.advance(12_345);
  first.schedule[Symbol.dispose]();
  const second = scheduled({ disk: { command: 'df', standalone: true, interval: 60 } }, first.clock);
  second.clock.advance(60_000);
  expect(second.starts.map(({ atMs }) => atMs % 60_000)).toEqual([intervalOffsetMs('disk', 60_000)]);
});

test('a scheduled run of a standalone check has the definition, the name and the scheduled time of the check', () => {
  const { clock, starts } = scheduled({
    disk: { command: 'df', standalone: true, interval: 60, playbook: 'https://wiki.example.org/disk' },
  });
  clock.advance(60_000);
  expect(starts.map(({ check }) => check)).toEqual([
    {
      command: 'df',
      standalone: true,
      interval: 60,
      playbook: 'https://wiki.example.org/disk',
      name: 'disk',
      issued: Math.floor((starts[0]?.atMs ?? 0) / 1000),
    },
  ]);
});

test('the agent schedules only standalone checks, and none with publish: false', () => {
  const { clock, starts } = scheduled({
    asked: { command: 'true', subscribers: ['web'], interval: 10 },
    unpublished: { command: 'true', standalone: true, publish: false, interval: 10 },
    own: { command: 'true', standalone: true, publish: true, interval: 10 },
  });
  clock.advance(10_000);
  expect(starts.map(({ check }) => check.name)).toEqual(['own']);
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Returns month, day, hours and minutes of each start, in UTC. */
const timesOf = (starts: readonly Start[]): string[] =>
  starts.map(({ atMs }) => new Date(atMs).toISOString().slice(5, 16));

describe('a cron check', () => {
  test('a standalone check with cron runs by its cron schedule, which overrides an interval', () => {
    const { clock, starts } = scheduled({
      report: { command: 'true', standalone: true, interval: 10, cron: '*/20 6,7 * * *', timezone: 'UTC' },
    });
    clock.advance(24 * HOUR_MS + 6.4 * HOUR_MS);
    expect(timesOf(starts).join(' ')).toBe(
      '01-01T06:00 01-01T06:20 01-01T06:40 01-01T07:00 01-01T07:20 01-01T07:40 01-02T06:00 01-02T06:20',
    );
  });

  test('the cron schedule of a standalone check uses the time zone of the check', () => {
    const { clock, starts } = scheduled({
      report: { command: 'true', standalone: true, cron: '@daily', timezone: 'Asia/Kolkata' },
    });
    clock.advance(24 * HOUR_MS);
    expect(timesOf(starts)).toEqual(['01-01T18:30']);
  });

  test('a standalone check whose cron schedule is due at the start runs at once', () => {
    const { clock, starts } = scheduled({
      report: { command: 'true', standalone: true, cron: '0 0 * * *', timezone: 'UTC' },
    });
    clock.advance(0);
    expect(timesOf(starts)).toEqual(['01-01T00:00']);
  });
});

describe('a subdued check', () => {
  // 2026-01-01 is a Thursday.
  const days = { thursday: [{ begin: '11:58 PM', end: '12:02 AM' }] };
  const everyMinute = { command: 'true', standalone: true, cron: '* * * * *', timezone: 'UTC' };

  test('a subdued standalone check does not run in its windows, even past midnight and at both ends', () => {
    const { clock, starts, log } = scheduled({ report: { ...everyMinute, subdue: { days } } });
    clock.advance(23.9 * HOUR_MS);
    starts.length = 0;
    clock.advance(10 * MINUTE_MS);
    expect(timesOf(starts)).toEqual(['01-01T23:55', '01-01T23:56', '01-01T23:57', '01-02T00:03', '01-02T00:04']);
    expect(log.records).toEqual(
      Array.from({ length: 5 }, () => ({
        level: 'info',
        message: 'check execution was subdued',
        fields: { check: 'report' },
      })),
    );
  });

  test('the subdue windows of a standalone check use the time zone of the check', () => {
    const { clock, starts } = scheduled({
      report: {
        ...everyMinute,
        cron: '0 * * * *',
        timezone: 'America/New_York',
        subdue: { days: { all: [{ begin: '00:00', end: '22:30' }] } },
      },
    });
    clock.advance(24 * HOUR_MS);
    expect(timesOf(starts)).toEqual(['01-01T04:00']);
  });
});

test('a timer that fires late does not shift the next runs of a standalone check', () => {
  const clock = new ManualClock();
  const lateMs = 700;
  const late = {
    now: () => clock.now(),
    steady: () => clock.steady(),
    monotonic: () => clock.monotonic(),
    every: clock.every.bind(clock),
    after: (delayMs: number, task: () => void) => clock.after(delayMs + lateMs, task),
  };
  const starts: number[] = [];
  scheduleStandalone({
    client: CLIENT,
    checks: new Map([['disk', { command: 'df', standalone: true, interval: 60 }]]),
    clock: late,
    log: new RecordedLog(),
    start: () => starts.push(clock.now()),
  });
  clock.advance(600_000);
  expect(starts.length).toBeGreaterThanOrEqual(9);
  for (const atMs of starts) expect(atMs % 60_000).toBe((intervalOffsetMs('disk', 60_000) + lateMs) % 60_000);
});

test('a standalone check runs at an interval that is longer than any timer of Node', () => {
  const days = 30;
  const { clock, starts } = scheduled({ yearly: { command: 'true', standalone: true, interval: days * 86_400 } });
  clock.advance(3 * days * 86_400_000);
  expect(starts).toHaveLength(3);
  for (const { atMs } of starts) expect(atMs % (days * 86_400_000)).toBe(intervalOffsetMs('yearly', days * 86_400_000));
});

test('a timer that fires early does not run a standalone check twice', () => {
  const clock = new ManualClock();
  const early = {
    now: () => clock.now(),
    steady: () => clock.steady(),
    monotonic: () => clock.monotonic(),
    every: clock.every.bind(clock),
    after: (delayMs: number, task: () => void) => clock.after(Math.max(1, delayMs - 3), task),
  };
  const starts: number[] = [];
  scheduleStandalone({
    client: CLIENT,
    checks: new Map([['disk', { command: 'df', standalone: true, interval: 60 }]]),
    clock: early,
    log: new RecordedLog(),
    start: () => starts.push(clock.now()),
  });
  clock.advance(600_000);
  expect(starts).toHaveLength(10);
});

test('a disposed schedule runs no check and leaves no timer behind', () => {
  const { clock, starts, schedule } = scheduled({ disk: { command: 'df', standalone: true, interval: 1 } });
  clock.advance(1000);
  schedule[Symbol.dispose]();
  clock.advance(10_000);
  expect(starts).toHaveLength(1);
  expect(clock.pending).toBe(0);
});
