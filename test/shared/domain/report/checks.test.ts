import { describe, expect, test } from 'vitest';
import {
  compareByDownTime,
  checkProblemOf,
  compareByStatus,
  type CheckProblem,
} from '../../../../shared/domain/report/checks.ts';
import { NoiseCollector } from '../../../../shared/domain/report/noise.ts';
import { FirstItems } from '../../../../shared/domain/report/first-of.ts';
import type { StatusChange } from '../../../../shared/domain/timeline/availability.ts';

/** The period of a report, from second 100 to second 200. */
const SPAN = { sinceMs: 100_000, untilMs: 200_000 };

/**
 * Returns the past of a check.
 *
 * @param turns time in seconds, status before and status after each change; the newest change first
 */
const historyOf = (
  turns: readonly (readonly [number, number | undefined, number | undefined])[],
  status?: number,
): Parameters<typeof checkProblemOf>[0] => ({
  client: 'web-1',
  check: 'disk',
  status,
  statusChanges: turns.map(([at, was, after]): StatusChange => ({
    atMs: at * 1000,
    previousStatus: was,
    status: after,
  })),
});

const of = (...turns: (readonly [number, number | undefined, number | undefined])[]): CheckProblem | undefined =>
  checkProblemOf(historyOf(turns), SPAN, 0);

const SWITCH = { rule: 'behind-switch', client: 'sw-1', check: 'uplink' };
const ROUTER = { ...SWITCH, client: 'r-1' };

/** Returns the change of status that begins an outage at this second. */
const broke = (at: number): StatusChange => ({ atMs: at * 1000, previousStatus: 0, status: 2 });

describe('the inhibitor of a reported check (spec, report 1)', () => {
  const ended = (at: number, inhibitor?: typeof SWITCH): StatusChange => ({
    atMs: at * 1000,
    previousStatus: 2,
    status: 0,
    inhibitor,
  });

  test.each<{ name: string; statusChanges: StatusChange[]; now?: typeof SWITCH; expected: typeof SWITCH | undefined }>([
    {
      name: 'the inhibitor at the resolve of the problem',
      statusChanges: [ended(180, SWITCH), broke(150)],
      expected: SWITCH,
    },
    { name: 'none if the resolve was notified', statusChanges: [ended(180), broke(150)], expected: undefined },
    {
      name: 'none if any of the outages was notified',
      statusChanges: [ended(190, SWITCH), broke(180), ended(160), broke(150)],
      expected: undefined,
    },
    {
      name: 'the inhibitor of the last outage',
      statusChanges: [ended(190, ROUTER), broke(180), ended(160, SWITCH), broke(150)],
      expected: ROUTER,
    },
    { name: 'the current inhibitor of an open problem', statusChanges: [broke(150)], now: SWITCH, expected: SWITCH },
    { name: 'none if the problem is open and no longer inhibited', statusChanges: [broke(150)], expected: undefined },
    {
      name: 'the inhibitor at a resolve after the span',
      statusChanges: [ended(210, SWITCH), broke(150)],
      expected: SWITCH,
    },
    {
      name: 'none if a resolve after the span was notified',
      statusChanges: [ended(210), broke(150)],
      now: SWITCH,
      expected: undefined,
    },
  ])('the report names the inhibitor of a failing check: $name', ({ statusChanges, now, expected }) => {
    const found = checkProblemOf(
      { client: 'web-1', check: 'ping', status: statusChanges[0]?.status, statusChanges, inhibitor: now },
      SPAN,
      0,
    );
    expect(found?.inhibited_by).toEqual(expected);
  });

  test('the report lists inhibited checks after all other checks', () => {
    const quiet = checkProblemOf(
      { client: 'a', check: 'ping', status: 2, statusChanges: [broke(110)], inhibitor: SWITCH },
      SPAN,
      0,
    );
    const loud = checkProblemOf({ client: 'b', check: 'ping', status: 2, statusChanges: [broke(190)] }, SPAN, 0);
    const both = [quiet, loud].filter((one) => one !== undefined);
    for (const order of [compareByStatus, compareByDownTime])
      expect(both.toSorted(order).map(({ client }) => client)).toEqual(['b', 'a']);
  });
});

describe('a failing check in the report (spec, report 1)', () => {
  test('a check that was OK during the whole span is not reported', () => {
    expect([of([150, undefined, 0]), of([90, 2, 0])]).toEqual([undefined, undefined]);
  });

  test.each<{ name: string; problem: CheckProblem | undefined; expected: Partial<CheckProblem> }>([
    {
      name: 'a resolved outage has its begin and end',
      problem: of([180, 2, 0], [150, 0, 2]),
      expected: { status: 0, worst: 2, began: 150_000, ended: 180_000, outages: 1, down: 30 },
    },
    {
      name: 'several outages are one entry from the first begin to the last end',
      problem: of([190, 1, 0], [180, 0, 1], [130, 2, 0], [120, 0, 2]),
      expected: { worst: 2, began: 120_000, ended: 190_000, outages: 2, down: 20 },
    },
    {
      name: 'an open outage has the begin of its uninterrupted failure, whatever the statuses are',
      problem: of([180, 2, 1], [170, 0, 2], [130, 2, 0], [120, 0, 2]),
      expected: { status: 1, worst: 2, began: 170_000, ended: null, outages: 2, down: 40 },
    },
    {
      name: 'an outage that was open before the span has no begin',
      problem: of([150, 2, 0]),
      expected: { began: null, ended: 150_000, down: 50 },
    },
    {
      name: 'a deleted check ends its outage without a status',
      problem: of([150, 2, undefined], [120, 0, 2]),
      expected: { began: 120_000, ended: 150_000, down: 30 },
    },
    {
      name: 'a warning is worse than an unknown status',
      problem: of([180, 3, 1], [150, 0, 3]),
      expected: { worst: 1, down: 50 },
    },
    {
      name: 'an outage that is resolved at the end of the span is over',
      problem: of([200, 2, 0], [150, 0, 2]),
      expected: { status: 0, ended: 200_000 },
    },
    {
      name: 'an outage that begins at the end of the span is open',
      problem: of([200, 0, 2], [150, undefined, 0]),
      expected: { status: 2, began: 200_000, ended: null, outages: 1, down: 0 },
    },
    {
      name: 'a change after the span determines the status at the end of the span',
      problem: of([250, 2, 0], [150, 0, 2]),
      expected: { status: 2, ended: null, down: 50 },
    },
  ])('the report describes a failing check: $name', ({ problem, expected }) => {
    expect(problem).toMatchObject(expected);
  });

  test('a check without transitions has its current status for the whole span', () => {
    expect(checkProblemOf(historyOf([], 2), SPAN, 0)).toMatchObject({
      status: 2,
      began: null,
      ended: null,
      outages: 1,
      down: 100,
    });
  });

  test('the report contains nothing about the time before the retention', () => {
    expect(checkProblemOf(historyOf([], 2), SPAN, 150_000)).toMatchObject({ began: null, down: 50 });
  });

  test('the report counts silenced time as part of the failing time', () => {
    const silenced = [{ sinceMs: 140_000, untilMs: 170_000 }];
    expect(checkProblemOf(historyOf([[150, 0, 2]]), SPAN, 0, silenced)).toMatchObject({ down: 50, silenced: 20 });
  });
});

const problemOnClient = (client: string, more: Partial<CheckProblem> = {}): CheckProblem => ({
  client,
  check: 'disk',
  status: 2,
  worst: 2,
  began: 0,
  ended: null,
  outages: 1,
  down: 10,
  silenced: 0,
  ...more,
});

const clientNames = (items: readonly CheckProblem[]): string[] => items.map(({ client }) => client);

test('the report sorts open problems by severity and age, and resolved problems by duration', () => {
  const all = [
    problemOnClient('unknown', { status: 3, down: 30 }),
    problemOnClient('warning', { status: 1, down: 40 }),
    problemOnClient('newer', { began: 5, down: 20 }),
    problemOnClient('older', { began: null, down: 10 }),
  ];
  expect(clientNames(all.toSorted(compareByStatus))).toEqual(['older', 'newer', 'warning', 'unknown']);
  expect(clientNames(all.toSorted(compareByDownTime))).toEqual(['warning', 'unknown', 'newer', 'older']);
});

test('the report lists the checks with the most outages, each with its client with the most outages', () => {
  const noise = new NoiseCollector();
  for (const [client, check, outages] of [
    ['web-1', 'disk', 2],
    ['web-2', 'disk', 5],
    ['web-1', 'load', 1],
    ['web-1', 'swap', 9],
  ] as const) {
    noise.count(check, problemOnClient(client, { check, outages }), {});
  }
  expect(noise.first(2)).toEqual([
    { check: 'swap', outages: 9, clients: 1, client: 'web-1', client_outages: 9 },
    { check: 'disk', outages: 7, clients: 2, client: 'web-2', client_outages: 5 },
  ]);
});

test('a limited list of the report keeps the first items and counts all items', () => {
  const first = new FirstItems<number>(3, (a, b) => a - b);
  for (const one of [5, 3, 9, 1, 8, 2, 7, 4, 6]) first.add(one);
  expect([first.items(), first.count]).toEqual([[1, 2, 3], 9]);
});
