import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Definitions } from '../../../../daemon/backend/model/config/definitions.ts';
import { publishCheckRequests } from '../../../../daemon/backend/schedule/publish-check-requests.ts';
import { checkDefinitionOf } from '../../../../shared/domain/v2/check.ts';
import { isUntranslatable } from '../../../../shared/domain/v2/problem.ts';
import { v2CheckSchema } from '../../../../shared/schemas/v2/check.ts';
import { checkSchema } from '../../../../shared/schemas/check.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

type Checks = Readonly<Record<string, object>>;

interface RequestedRun {
  readonly name: string;
  /** The time of the request in UTC, to the millisecond. */
  readonly at: string;
  /** Milliseconds until the next run. */
  readonly untilNextMs: number | undefined;
}

const sections = (checks: Checks): ConstructorParameters<typeof Definitions>[0] => ({
  checks: new Map(
    Object.entries(checks).map(([name, check]) => [
      name,
      checkSchema.parse({ command: 'true', subscribers: ['web'], ...check }),
    ]),
  ),
  handlers: new Map(),
});

/** Starts a publisher of check requests at this time. */
function running(startsAt: string, checks: Checks, clock = new ManualClock(Date.parse(startsAt))) {
  return runningOver(sections(checks), clock);
}

function runningOver(first: ReturnType<typeof sections>, clock: ManualClock) {
  const definitions = new Definitions(first);
  const log = new RecordedLog();
  const asked: RequestedRun[] = [];
  const schedule = publishCheckRequests({
    definitions,
    clock,
    log,
    publish: async (_namespace, { name }, untilNextMs) =>
      void asked.push({ name, at: new Date(clock.now()).toISOString(), untilNextMs }),
  });
  onTestFinished(() => {
    schedule[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
  return { clock, log, asked, schedule, reload: (next: Checks) => definitions.replace(sections(next)) };
}

/** Starts a publisher of check requests for a check with a cron schedule of the v2 API. */
function runningNewer(startsAt: string, cron: string): ReturnType<typeof runningOver> {
  const metadata = { name: 'disk', namespace: 'default' };
  const check = v2CheckSchema.parse({ metadata, command: 'true', subscriptions: ['web'], cron, publish: true });
  const definition = checkDefinitionOf({ ...check, metadata });
  if (isUntranslatable(definition)) throw new Error(definition.problem);
  const clock = new ManualClock(Date.parse(startsAt));
  return runningOver({ checks: new Map([['disk', definition]]), handlers: new Map() }, clock);
}

const times = (asked: readonly RequestedRun[]): string[] => asked.map(({ at }) => at);

const MINUTE_MS = 60_000;

describe('a check with cron', () => {
  test('a check with cron is requested by its cron schedule, which overrides an interval', () => {
    const { clock, asked } = running('2026-01-01T10:03:12.345Z', { disk: { cron: '*/5 * * * *', interval: 7 } });
    clock.advance(7 * MINUTE_MS);
    expect(asked).toEqual([
      { name: 'disk', at: '2026-01-01T10:05:00.000Z', untilNextMs: 5 * MINUTE_MS },
      { name: 'disk', at: '2026-01-01T10:10:00.000Z', untilNextMs: 5 * MINUTE_MS },
    ]);
  });

  test('a check with cron uses its own time zone, and a changed time zone after a reload', () => {
    const cron = '0 12 * * *';
    const { clock, asked, reload } = running('2026-07-01T00:00:00Z', { disk: { cron, timezone: 'Europe/Berlin' } });
    clock.advance(11 * 60 * MINUTE_MS);
    reload({ disk: { cron, timezone: 'UTC' } });
    clock.advance(2 * 60 * MINUTE_MS);
    expect(times(asked)).toEqual(['2026-07-01T10:00:00.000Z', '2026-07-01T12:00:00.000Z']);
  });

  test('a check with cron runs even if its next run is further away than the longest timer', () => {
    const { clock, asked } = running('2026-01-01T00:00:00Z', { disk: { cron: '0 0 29 2 *', timezone: 'UTC' } });
    clock.advance(800 * 24 * 60 * MINUTE_MS);
    expect(times(asked)).toEqual(['2028-02-29T00:00:00.000Z']);
  });

  test('a check with cron for an impossible date never runs, even if it has an interval', () => {
    const { clock, asked, schedule } = running('2026-01-01T00:00:00Z', { disk: { cron: '0 0 31 2 *', interval: 60 } });
    clock.advance(100 * 24 * 60 * MINUTE_MS);
    expect(times(asked)).toEqual([]);
    expect(schedule.nextRunMs('default', 'disk')).toBeUndefined();
  });

  // Schedules of the v2 API may begin with a time zone or be durations. In Berlin, clocks go forward on 2026-03-29 from
  // 02:00 to 03:00, and back on 2026-10-25 from 03:00 to 02:00.
  test.each<{ name: string; cron: string; from: string; hours: number; expected: readonly string[] }>([
    {
      name: 'CRON_TZ over the night in which the clock is put forward',
      cron: 'CRON_TZ=Europe/Berlin 0 8 * * *',
      from: '2026-03-28T00:00:00Z',
      hours: 48,
      expected: ['2026-03-28T07:00:00Z', '2026-03-29T06:00:00Z'],
    },
    {
      name: 'TZ over the night in which the clock is put back',
      cron: 'TZ=Europe/Berlin 0 8 * * *',
      from: '2026-10-24T00:00:00Z',
      hours: 48,
      expected: ['2026-10-24T06:00:00Z', '2026-10-25T07:00:00Z'],
    },
    {
      name: 'a time that the clock skips runs once, right after the gap',
      cron: 'CRON_TZ=Europe/Berlin 30 2 * * *',
      from: '2026-03-28T12:00:00Z',
      hours: 36,
      expected: ['2026-03-29T01:00:00Z'],
    },
    {
      name: 'a time that occurs twice runs once',
      cron: 'CRON_TZ=Europe/Berlin 30 2 * * *',
      from: '2026-10-24T12:00:00Z',
      hours: 36,
      expected: ['2026-10-25T00:30:00Z'],
    },
    {
      name: 'an hourly shorthand after a zone, in the hour that occurs twice',
      cron: 'CRON_TZ=Europe/Berlin @hourly',
      from: '2026-10-24T23:30:00Z',
      hours: 3,
      expected: ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z'],
    },
    {
      name: '@daily in a zone, at its midnight',
      cron: 'TZ=America/New_York @daily',
      from: '2026-07-01T00:00:00Z',
      hours: 24,
      expected: ['2026-07-01T04:00:00Z'],
    },
    {
      name: 'a question mark stands for every value of its field',
      cron: '0 9 ? * MON',
      from: '2026-06-28T00:00:00Z',
      hours: 8 * 24,
      expected: ['2026-06-29T09:00:00Z'],
    },
    {
      name: 'a step after a value continues to the end of the field',
      cron: 'TZ=UTC 50/5 23 * * *',
      from: '2026-06-28T00:00:00Z',
      hours: 24,
      expected: ['2026-06-28T23:50:00Z', '2026-06-28T23:55:00Z'],
    },
  ])('a v2 cron schedule yields the right runs: $name', ({ cron, from, hours, expected }) => {
    const { clock, asked } = runningNewer(from, cron);
    clock.advance(hours * 60 * MINUTE_MS);
    expect(times(asked).map((at) => at.replace('.000Z', 'Z'))).toEqual(expected);
  });

  test.each([
    { cron: '@every 90s', seconds: 90 },
    { cron: '@every 1h30m', seconds: 5400 },
    { cron: 'CRON_TZ=Europe/Berlin @every 5m', seconds: 300 },
  ])(
    'the v2 schedule $cron is an interval with a fixed offset, even when daylight saving time changes',
    ({ cron, seconds }) => {
      // Daylight saving time begins in this night.
      const { clock, asked } = runningNewer('2026-03-28T22:00:00Z', cron);
      clock.advance(6 * 60 * MINUTE_MS);
      const atMs = times(asked).map((at) => Date.parse(at));
      expect(atMs.length).toBe((6 * 3600) / seconds);
      expect(new Set(atMs.slice(1).map((at, index) => at - (atMs[index] ?? 0)))).toEqual(new Set([seconds * 1000]));
      expect(new Set(asked.map(({ untilNextMs }) => untilNextMs))).toEqual(new Set([seconds * 1000]));
    },
  );

  test('a check with cron is requested exactly once per scheduled time across reloads', () => {
    const checks: Checks = { disk: { cron: '* * * * *' } };
    const { clock, asked, reload } = running('2026-01-01T00:00:30Z', checks);
    for (let elapsedMs = 0; elapsedMs < 10 * MINUTE_MS; elapsedMs += 10_000) {
      clock.advance(10_000);
      reload({ disk: { cron: '* * * * *', command: `true ${String(elapsedMs)}` } });
    }
    expect(times(asked).map((at) => at.slice(14, 16))).toEqual([
      '01',
      '02',
      '03',
      '04',
      '05',
      '06',
      '07',
      '08',
      '09',
      '10',
    ]);
  });
});

describe('a subdued check', () => {
  const evening = { days: { all: [{ begin: '5:00 PM UTC', end: '5:00:02 PM UTC' }] } };

  test('a subdued check is not requested in its window, whatever its offset within a second is', () => {
    const names = Array.from({ length: 50 }, (_, at) => `check-${String(at)}`);
    const checks = Object.fromEntries(names.map((name) => [name, { interval: 1, subdue: evening }]));
    const { clock, asked } = running('2026-01-01T16:59:58Z', checks);
    clock.advance(6999);
    const seconds = Map.groupBy(asked, ({ at }) => at.slice(17, 19));
    expect([...seconds].map(([second, some]) => [second, some.length])).toEqual([
      ['58', 50],
      ['59', 50],
      ['03', 50],
      ['04', 50],
    ]);
  });

  test.each<{ name: string; subdue: object; isRequested: boolean }>([
    { name: 'that ends a second before the run', subdue: window('16:58:59', '16:59:59'), isRequested: true },
    { name: 'that ends at the run', subdue: window('16:58:59', '17:00'), isRequested: false },
    { name: 'that begins at the run', subdue: window('17:00', '17:30'), isRequested: false },
    { name: 'that begins a second after the run', subdue: window('17:00:01', '17:30'), isRequested: true },
    { name: 'of the second of the run', subdue: window('17:00', '17:00'), isRequested: false },
    { name: 'on another day', subdue: { days: { friday: window('16:00', '18:00').days.all } }, isRequested: true },
  ])(
    'a cron check at the edge of a subdue window is requested or suppressed correctly: a window $name',
    ({ subdue, isRequested }) => {
      const { clock, asked, log } = running('2026-01-01T16:59:00Z', {
        disk: { cron: '0 17 * * *', timezone: 'UTC', subdue },
      });
      clock.advance(2 * MINUTE_MS);
      expect(times(asked)).toEqual(isRequested ? ['2026-01-01T17:00:00.000Z'] : []);
      expect(log.messages('info')).toEqual(isRequested ? [] : ['check request was subdued']);
    },
  );

  test('a subdued check is not requested in a repeating window, even if it has another window', () => {
    const subdues = [
      { begin: '2025-12-31T18:00:00+01:00', end: '2025-12-31T18:00:02+01:00', repeat: ['daily' as const] },
    ];
    const early = { days: { all: [{ begin: '4:59:58 PM UTC', end: '4:59:58 PM UTC' }] } };
    const { clock, asked } = running('2026-01-01T16:59:57Z', { disk: { interval: 1, subdue: early, subdues } });
    clock.advance(6999);
    expect(asked.map(({ at }) => at.slice(14, 19))).toEqual(['59:57', '59:59', '00:03']);
  });

  test('a subdued check keeps its offset, and a reload with another window applies from the next run', () => {
    const { clock, asked, reload } = running('2026-01-01T16:59:57Z', { disk: { interval: 1 } });
    clock.advance(1000);
    const place = asked[0]?.at.slice(20);
    reload({ disk: { interval: 1, subdue: evening } });
    clock.advance(7000);
    expect(times(asked)).toEqual(
      ['16:59:57', '16:59:58', '16:59:59', '17:00:03', '17:00:04'].map((at) => `2026-01-01T${at}.${place ?? ''}`),
    );
  });
});

function window(begin: string, end: string) {
  return { days: { all: [{ begin, end }] } };
}

test('the time of the next run is known for scheduled checks and undefined for other checks', () => {
  const { clock, schedule, reload } = running('2026-01-01T10:00:00Z', {
    disk: { cron: '30 * * * *' },
    load: { interval: 60 },
    own: { interval: 60, standalone: true },
    quiet: { interval: 60, publish: false },
  });
  const next = (name: string): string | undefined => {
    const ms = schedule.nextRunMs('default', name);
    return ms === undefined ? undefined : new Date(ms).toISOString();
  };
  expect(next('disk')).toBe('2026-01-01T10:30:00.000Z');
  clock.advance(30 * MINUTE_MS);
  expect(next('disk')).toBe('2026-01-01T11:30:00.000Z');
  const left = (schedule.nextRunMs('default', 'load') ?? 0) - clock.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(MINUTE_MS);
  expect([next('own'), next('quiet'), next('nope')]).toEqual([undefined, undefined, undefined]);
  reload({ disk: { cron: '45 * * * *' } });
  expect([next('disk'), next('load')]).toEqual(['2026-01-01T10:45:00.000Z', undefined]);
});

test('a reload that changes nothing does not change the next run of a check', () => {
  const checks: Checks = { disk: { interval: 60 } };
  const { clock, schedule, reload } = running('2026-01-01T10:00:00Z', checks);
  const before = schedule.nextRunMs('default', 'disk');
  clock.advance(1);
  reload(checks);
  expect(schedule.nextRunMs('default', 'disk')).toBe(before);
});

test('a restart skips only the runs during the downtime, and neither repeats nor catches up runs', () => {
  const someTimes = fc.array(
    fc.record({ upMs: fc.integer({ min: 0, max: 200_000 }), awayMs: fc.integer({ min: 1, max: 100_000 }) }),
    { minLength: 1, maxLength: 6 },
  );
  const timings = fc.constantFrom({ interval: 7 }, { interval: 60 }, { cron: '* * * * *' }, { cron: '*/2 * * * *' });
  fc.assert(
    fc.property(someTimes, timings, (spans, timing) => {
      const start = '2026-01-01T10:00:17.250Z';
      const clock = new ManualClock(Date.parse(start));
      const up: (readonly [fromMs: number, toMs: number])[] = [];
      const asked: string[] = [];
      for (const { upMs, awayMs } of spans) {
        const fromMs = clock.now();
        const run = running(start, { disk: timing }, clock);
        clock.advance(upMs);
        run.schedule[Symbol.dispose]();
        up.push([fromMs, clock.now()]);
        asked.push(...times(run.asked));
        clock.advance(awayMs);
      }
      const ideal = running(start, { disk: timing });
      ideal.clock.advance(clock.now() - Date.parse(start));
      const wanted = times(ideal.asked).filter((at) =>
        up.some(([fromMs, toMs]) => fromMs <= Date.parse(at) && Date.parse(at) <= toMs),
      );
      expect(asked).toEqual(wanted);
    }),
  );
});
