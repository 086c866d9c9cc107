import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { scheduleStandalone } from '../../../daemon/agent/schedule-standalone.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import type { CheckDefinition } from '../../../shared/schemas/check.ts';
import { ManualClock } from '../../support/manual-clock.ts';

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
  starts: Start[];
  schedule: Disposable;
} {
  const starts: Start[] = [];
  const schedule = scheduleStandalone({
    client: CLIENT,
    checks: new Map(Object.entries(checks)),
    clock,
    start: (check) => starts.push({ check, atMs: clock.now() }),
  });
  return { clock, starts, schedule };
}

/** Where in its interval the check belongs: the same for every agent of that name, now and after a restart. */
function placeMs(check: string, intervalMs: number): number {
  const key = createHash('md5').update(`${CLIENT}:${check}`).digest().readBigUInt64LE(0);
  return Number(key % BigInt(intervalMs));
}

test('a standalone check runs once in every interval, at the place of its name', () => {
  const { clock, starts } = scheduled({ disk: { command: 'df', standalone: true, interval: 60 } });
  clock.advance(300_000);
  expect(starts).toHaveLength(5);
  for (const { atMs } of starts) expect(atMs % 60_000).toBe(placeMs('disk', 60_000));
});

test('the place survives a restart', () => {
  const first = scheduled({ disk: { command: 'df', standalone: true, interval: 60 } });
  first.clock.advance(12_345);
  first.schedule[Symbol.dispose]();
  const second = scheduled({ disk: { command: 'df', standalone: true, interval: 60 } }, first.clock);
  second.clock.advance(60_000);
  expect(second.starts.map(({ atMs }) => atMs % 60_000)).toEqual([placeMs('disk', 60_000)]);
});

test('the run carries the definition, its name and when it was due to start', () => {
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

test('only standalone checks with an interval are run, and not those with publish: false', () => {
  const { clock, starts } = scheduled({
    asked: { command: 'true', subscribers: ['web'], interval: 10 },
    unpublished: { command: 'true', standalone: true, publish: false, interval: 10 },
    'by-cron': { command: 'true', standalone: true, cron: '* * * * *' },
    own: { command: 'true', standalone: true, publish: true, interval: 10 },
  });
  clock.advance(10_000);
  expect(starts.map(({ check }) => check.name)).toEqual(['own']);
});

test('late timers do not shift the next runs', () => {
  const clock = new ManualClock();
  const lateMs = 700;
  const late = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    every: clock.every.bind(clock),
    after: (delayMs: number, task: () => void) => clock.after(delayMs + lateMs, task),
  };
  const starts: number[] = [];
  scheduleStandalone({
    client: CLIENT,
    checks: new Map([['disk', { command: 'df', standalone: true, interval: 60 }]]),
    clock: late,
    start: () => starts.push(clock.now()),
  });
  clock.advance(600_000);
  expect(starts.length).toBeGreaterThanOrEqual(9);
  for (const atMs of starts) expect(atMs % 60_000).toBe((placeMs('disk', 60_000) + lateMs) % 60_000);
});

test('an interval longer than any timer is waited for', () => {
  const days = 30;
  const { clock, starts } = scheduled({ yearly: { command: 'true', standalone: true, interval: days * 86_400 } });
  clock.advance(3 * days * 86_400_000);
  expect(starts).toHaveLength(3);
  for (const { atMs } of starts) expect(atMs % (days * 86_400_000)).toBe(placeMs('yearly', days * 86_400_000));
});

test('a disposed schedule runs nothing and leaves no timer', () => {
  const { clock, starts, schedule } = scheduled({ disk: { command: 'df', standalone: true, interval: 1 } });
  clock.advance(1000);
  schedule[Symbol.dispose]();
  clock.advance(10_000);
  expect(starts).toHaveLength(1);
  expect(clock.pending).toBe(0);
});
