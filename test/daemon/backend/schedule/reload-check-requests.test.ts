import { expect, onTestFinished, test } from 'vitest';
import { Definitions, type NamedCheck } from '../../../../daemon/backend/model/config/definitions.ts';
import { publishCheckRequests } from '../../../../daemon/backend/schedule/publish-check-requests.ts';
import type { CheckDefinition } from '../../../../shared/schemas/check.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

const aCheck: CheckDefinition = { command: 'check-disk', subscribers: ['web'], interval: 60 };

/** Starts a publisher of check requests whose check definitions the test can replace. */
function running(checks: Readonly<Record<string, CheckDefinition>>): {
  readonly clock: ManualClock;
  reload(checks: Readonly<Record<string, CheckDefinition>>): void;
  /** Advances the clock by `spanMs`, and returns the requests that agents got in that time. */
  publishedIn(spanMs: number): { atMs: number; check: NamedCheck }[];
} {
  const clock = new ManualClock();
  const sections = (some: typeof checks): ConstructorParameters<typeof Definitions>[0] => ({
    checks: new Map(Object.entries(some)),
    handlers: new Map(),
  });
  const definitions = new Definitions(sections(checks));
  let published: { atMs: number; check: NamedCheck }[] = [];
  const publisher = publishCheckRequests({
    definitions,
    clock,
    log: new RecordedLog(),
    publish: async (_namespace, check) => void published.push({ atMs: clock.now(), check }),
  });
  onTestFinished(() => {
    publisher[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
  return {
    clock,
    reload: (next) => definitions.replace(sections(next)),
    publishedIn: (spanMs) => {
      published = [];
      clock.advance(spanMs);
      return published;
    },
  };
}

const HOUR_MS = 3_600_000;

test('a check whose interval does not change keeps its offset across any number of reloads', () => {
  const checks = running({ disk: aCheck });
  const [first] = checks.publishedIn(60_000);
  const place = (first?.atMs ?? 0) % 60_000;
  const runs: number[] = [];
  // The interval is not a multiple of 37 seconds, so the reloads happen at many offsets in it.
  for (let elapsedMs = 0; elapsedMs < HOUR_MS; elapsedMs += 37_000) {
    checks.reload({ disk: { ...aCheck, command: `check-disk ${String(elapsedMs)}` } });
    for (const { atMs } of checks.publishedIn(37_000)) {
      expect(atMs % 60_000).toBe(place);
      runs.push(atMs);
    }
  }
  // No run is missing or duplicated.
  const gaps = runs.slice(1).map((atMs, at) => atMs - (runs[at] ?? 0));
  expect(new Set(gaps)).toEqual(new Set([60_000]));
});

test('the next check request after a reload uses the new definition of the check', () => {
  const checks = running({ disk: aCheck });
  checks.reload({ disk: { ...aCheck, command: 'check-disk --new', subscribers: ['db'] } });
  expect(checks.publishedIn(60_000)).toMatchObject([
    { check: { name: 'disk', command: 'check-disk --new', subscribers: ['db'] } },
  ]);
});

test('a reload schedules new checks and no longer schedules removed or unpublished checks', () => {
  const checks = running({ disk: aCheck, load: aCheck, ping: aCheck });
  checks.reload({ disk: aCheck, load: { ...aCheck, publish: false }, cpu: aCheck });
  expect(new Set(checks.publishedIn(120_000).map(({ check }) => check.name))).toEqual(new Set(['disk', 'cpu']));
});

test('a check whose interval changes has one fixed offset in the new interval', () => {
  const checks = running({ disk: aCheck });
  checks.publishedIn(60_000);
  checks.reload({ disk: { ...aCheck, interval: 10 } });
  const places = checks.publishedIn(60_000).map(({ atMs }) => atMs % 10_000);
  expect(places).toHaveLength(6);
  expect(new Set(places).size).toBe(1);
});
