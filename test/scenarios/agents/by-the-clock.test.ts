import { describe, expect, test, vi } from 'vitest';
import { ClockedFleet } from '../../support/clocked-fleet.ts';
import { recordsRuns } from '../../support/recorded-runs.ts';

type Attributes = Readonly<Record<string, unknown>>;

const BERLIN = 'Europe/Berlin';

/** Formats a time in UTC without its milliseconds. */
const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

/** Returns the scheduled times of the runs, in UTC. */
async function moments(fleet: ClockedFleet): Promise<string[]> {
  return (await fleet.runs()).map(({ check }) => utc(check.issued * 1000));
}

/**
 * Advances the clock by this many seconds. The result of an expected run may arrive within the second in which it is
 * due, and must have arrived when that second is over.
 */
async function runsIn(fleet: ClockedFleet, seconds: number, expected: readonly string[]): Promise<string[]> {
  for (let passed = 0; passed < seconds; passed++) {
    await fleet.pass(1);
    const now = utc(fleet.clock.now());
    const isOver = (moment: string): boolean => moment < now;
    const over = expected.filter(isOver);
    const due = expected.filter((moment) => moment <= now);
    await vi.waitFor(async () => {
      expect((await moments(fleet)).filter(isOver)).toEqual(over);
      const result = await fleet.api.result('web-1', 'own');
      expect([over.length, due.length]).toContain(result?.check.history?.length ?? 0);
    });
  }
  return await moments(fleet);
}

// The agent schedules standalone checks, and the backend schedules checks with subscriptions. Both follow the same
// rules.
describe.each(['machine', 'backend'] as const)('a check that the %s schedules', (by) => {
  /** Opens a fleet of one machine that runs the given check. */
  async function scheduled(startMs: number, check: Attributes): Promise<ClockedFleet> {
    const own = (dir: string): Attributes => ({ ...recordsRuns(dir), ...check });
    const fleet = await ClockedFleet.open(startMs, (dir) =>
      by === 'backend' ? { own: { ...own(dir), subscribers: ['web'] } } : {},
    );
    const checks = by === 'machine' ? { own: { ...own(fleet.dir), standalone: true } } : {};
    await fleet.agent('web-1', { subscriptions: ['web'], checks });
    return fleet;
  }

  test.each<{ name: string; start: string; cron: string; timezone: string; expected: string[] }>([
    {
      name: 'a check runs at the times of its cron schedule and at no other time',
      start: '2026-01-01T10:04:57Z',
      cron: '*/5 * * * *',
      timezone: 'UTC',
      expected: ['2026-01-01T10:05:00'],
    },
    {
      name: 'the cron schedule of a check is evaluated in the time zone of the check',
      start: '2026-07-01T21:59:57Z',
      cron: '0 0 * * *',
      timezone: BERLIN,
      expected: ['2026-07-01T22:00:00'],
    },
    {
      name: 'a cron time that is skipped when the clock is set forward runs right after the gap',
      start: '2026-03-29T00:59:57Z',
      cron: '30 2 * * *',
      timezone: BERLIN,
      expected: ['2026-03-29T01:00:00'],
    },
    {
      name: 'a cron time that occurs twice when the clock is set back runs at its first occurrence',
      start: '2026-10-25T00:29:57Z',
      cron: '30 2 * * *',
      timezone: BERLIN,
      expected: ['2026-10-25T00:30:00'],
    },
    {
      name: 'a cron time that occurs twice when the clock is set back does not run at its second occurrence',
      start: '2026-10-25T01:29:57Z',
      cron: '30 2 * * *',
      timezone: BERLIN,
      expected: [],
    },
  ])('a scheduled check runs at its cron times: $name', async ({ start, cron, timezone, expected }) => {
    await using fleet = await scheduled(Date.parse(start), { cron, timezone });
    expect(await runsIn(fleet, 5, expected)).toEqual(expected);
  });

  /** Each case is tested second by second, starting two seconds before `from`. */
  test.each<{ name: string; from: string; days: Attributes; timezone: string; runs: number[]; seconds: number }>([
    {
      name: 'a check is subdued from the first to the last second of a window',
      from: '2026-01-01T17:00:00Z',
      days: { all: [{ begin: '5:00 PM', end: '5:00:02 PM' }] },
      timezone: 'UTC',
      runs: [-2, -1, 3, 4],
      seconds: 7,
    },
    {
      name: 'a window whose begin and end are equal lasts one second',
      from: '2026-01-01T17:00:00Z',
      days: { thursday: [{ begin: '17:00', end: '17:00' }] },
      timezone: 'UTC',
      runs: [-2, -1, 1, 2],
      seconds: 5,
    },
    {
      name: 'a window may have a time zone of its own',
      from: '2026-01-01T17:00:00Z',
      days: { all: [{ begin: '12:00 PM EST', end: '12:00:01 PM EST' }] },
      timezone: BERLIN,
      runs: [-2, -1, 2, 3],
      seconds: 6,
    },
    {
      name: 'a window of Friday runs past midnight into Saturday',
      from: '2026-01-02T23:59:59Z',
      days: { friday: [{ begin: '11:59:59 PM', end: '12:00:01 AM' }] },
      timezone: 'UTC',
      runs: [-2, -1, 3, 4],
      seconds: 7,
    },
    {
      name: 'a window of Friday does not begin in the night from Thursday to Friday',
      from: '2026-01-01T23:59:59Z',
      days: { friday: [{ begin: '11:59:59 PM', end: '12:00:01 AM' }] },
      timezone: 'UTC',
      runs: [-2, -1, 0, 1, 2],
      seconds: 5,
    },
    {
      name: 'a window whose begin the clock skips starts after the gap',
      from: '2026-03-29T01:00:00Z',
      days: { sunday: [{ begin: '2:30 AM', end: '3:00:01 AM' }] },
      timezone: BERLIN,
      runs: [-2, -1, 2, 3],
      seconds: 6,
    },
    {
      name: 'a window that occurs twice when the clock is set back applies the first time',
      from: '2026-10-25T00:59:58Z',
      days: { sunday: [{ begin: '2:59:58 AM', end: '2:59:59 AM' }] },
      timezone: BERLIN,
      runs: [-2, -1, 2, 3],
      seconds: 6,
    },
    {
      name: 'a window that occurs twice when the clock is set back applies the second time as well',
      from: '2026-10-25T01:59:58Z',
      days: { sunday: [{ begin: '2:59:58 AM', end: '2:59:59 AM' }] },
      timezone: BERLIN,
      runs: [-2, -1, 2, 3],
      seconds: 6,
    },
  ])('a scheduled check does not run while it is subdued: $name', async ({ from, days, timezone, runs, seconds }) => {
    const fromMs = Date.parse(from);
    await using fleet = await scheduled(fromMs - 2000, { interval: 1, timezone, subdue: { days } });
    const expected = runs.map((second) => utc(fromMs + second * 1000));
    expect(await runsIn(fleet, seconds, expected)).toEqual(expected);
  });
});
