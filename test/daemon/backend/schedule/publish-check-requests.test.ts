import { expect, onTestFinished, test } from 'vitest';
import { Definitions } from '../../../../daemon/backend/model/config/definitions.ts';
import { CheckRequests } from '../../../../daemon/backend/checks/runs.ts';
import { Registry } from '../../../../daemon/backend/model/registry/registry.ts';
import { publishCheckRequests } from '../../../../daemon/backend/schedule/publish-check-requests.ts';
import type { CheckRequest } from '../../../../shared/schemas/agent.ts';
import type { CheckDefinition } from '../../../../shared/schemas/check.ts';
import type { PlanningClock } from '../../../../daemon/backend/ports.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { TABLES } from '../../../../daemon/backend/model/tables/tables.ts';

interface Published {
  readonly atMs: number;
  readonly to: string;
  readonly check: CheckRequest;
}

/** A store that returns nothing, because there are no clients. */
const NO_STORE = { getMany: () => Promise.resolve([]) };

/** Publishes check requests for `spanMs`, and returns the requests that agents got in that time. */
function publishedIn(
  checks: Readonly<Record<string, CheckDefinition>>,
  spanMs: number,
  clock = new ManualClock(),
): Published[] {
  const published: Published[] = [];
  const definitions = new Definitions({ checks: new Map(Object.entries(checks)), handlers: new Map() });
  const log = new RecordedLog();
  const requests = new CheckRequests({
    definitions,
    registry: new Registry(TABLES),
    store: NO_STORE,
    clock,
    log,
    publish: (_namespace, to, check) => published.push({ atMs: clock.now(), to, check }),
  });
  const publisher = publishCheckRequests({
    definitions,
    clock,
    log,
    publish: (namespace, check) => requests.publish(namespace, check),
  });
  clock.advance(spanMs);
  publisher[Symbol.dispose]();
  expect(clock.pending).toBe(0);
  return published;
}

const aCheck: CheckDefinition = { command: 'check-disk', subscribers: ['web'], interval: 60 };

test('a check is requested once in each interval, always at the same offset', () => {
  const times = publishedIn({ disk: aCheck }, 300_000).map(({ atMs }) => atMs);
  expect(times).toHaveLength(5);
  expect(new Set(times.map((atMs) => atMs % 60_000)).size).toBe(1);
});

test('a check keeps its offset within the interval across a restart at any time', () => {
  const [first] = publishedIn({ disk: aCheck }, 60_000);
  const later = new ManualClock();
  later.advance(12_345_678);
  const [second] = publishedIn({ disk: aCheck }, 60_000, later);
  expect((second?.atMs ?? 0) % 60_000).toBe((first?.atMs ?? 1) % 60_000);
});

test('the requests of many checks are spread over their interval', () => {
  const checks = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`check-${String(at)}`, aCheck]));
  const places = publishedIn(checks, 60_000).map(({ atMs }) => Math.floor((atMs % 60_000) / 10_000));
  expect(places).toHaveLength(60);
  for (let sixth = 0; sixth < 6; sixth++) expect(places.filter((place) => place === sixth).length).toBeGreaterThan(3);
});

test('a check request goes to every subscription, without the attributes of the schedule', () => {
  const published = publishedIn({ disk: { ...aCheck, subscribers: ['web', 'db'], timeout: 10, team: 'ops' } }, 60_000);
  expect(published.map(({ to }) => to)).toEqual(['web', 'db']);
  const [{ atMs, check } = { atMs: 0, check: undefined }] = published;
  expect(check).toEqual({
    name: 'disk',
    command: 'check-disk',
    timeout: 10,
    team: 'ops',
    issued: Math.floor(atMs / 1000),
  });
});

test.each<{ name: string; attributes: Partial<CheckDefinition> }>([
  { name: 'a standalone check', attributes: { standalone: true } },
  { name: 'a check with publish: false', attributes: { publish: false } },
])('no check request is sent for $name', ({ attributes }) => {
  expect(publishedIn({ disk: { ...aCheck, ...attributes } }, 120_000)).toEqual([]);
});

test('a machine that slept through several runs of a check sends one check request', () => {
  const clock = new ManualClock();
  const definitions = new Definitions({ checks: new Map([['disk', aCheck]]), handlers: new Map() });
  let runs = 0;
  let sleptMs = 0;
  const publisher = publishCheckRequests({
    definitions,
    // The machine slept: its timers stood still while its time continued.
    clock: { ...bound(clock), now: () => clock.now() + sleptMs, steady: () => clock.steady() + sleptMs },
    log: new RecordedLog(),
    publish: async () => void runs++,
  });
  onTestFinished(() => publisher[Symbol.dispose]());
  clock.advance(60_000);
  expect(runs).toBe(1);
  sleptMs = 600_000;
  clock.advance(60_000);
  expect(runs).toBe(2);
});

function bound(clock: ManualClock): PlanningClock {
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task) => clock.after(delayMs, task),
    every: (periodMs, task) => clock.every(periodMs, task),
  };
}
