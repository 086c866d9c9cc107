import { describe, expect, test } from 'vitest';
import { longestFirst, troubleOf, worstFirst, type Trouble } from '../../../../shared/domain/report/checks.ts';
import { Noise } from '../../../../shared/domain/report/noise.ts';
import { FirstOf } from '../../../../shared/domain/report/first-of.ts';
import type { StatusChange } from '../../../../shared/domain/timeline/availability.ts';

/** A report from second 100 to 200. */
const SPAN = { sinceMs: 100_000, untilMs: 200_000 };

/** @param turns time in seconds, status before, status after; the newest first */
const past = (
  turns: readonly (readonly [number, number | undefined, number | undefined])[],
  status?: number,
): Parameters<typeof troubleOf>[0] => ({
  client: 'web-1',
  check: 'disk',
  status,
  statusChanges: turns.map(([at, was, after]): StatusChange => ({ atMs: at * 1000, was, status: after })),
});

const of = (...turns: (readonly [number, number | undefined, number | undefined])[]): Trouble | undefined =>
  troubleOf(past(turns), SPAN, 0);

const SWITCH = { rule: 'behind-switch', client: 'sw-1', check: 'uplink' };
const ROUTER = { ...SWITCH, client: 'r-1' };

/** The change of status that begins an outage at this second. */
const broke = (at: number): StatusChange => ({ atMs: at * 1000, was: 0, status: 2 });

describe('the inhibitor of a reported check (spec, report 1)', () => {
  const ended = (at: number, inhibitor?: typeof SWITCH): StatusChange => ({
    atMs: at * 1000,
    was: 2,
    status: 0,
    inhibitor,
  });

  test.each<{ name: string; turns: StatusChange[]; now?: typeof SWITCH; expected: typeof SWITCH | undefined }>([
    { name: 'what did so to its end', turns: [ended(180, SWITCH), broke(150)], expected: SWITCH },
    { name: 'nothing, where its end was told', turns: [ended(180), broke(150)], expected: undefined },
    {
      name: 'nothing, where one outage was told',
      turns: [ended(190, SWITCH), broke(180), ended(160), broke(150)],
      expected: undefined,
    },
    {
      name: 'of several what did so last',
      turns: [ended(190, ROUTER), broke(180), ended(160, SWITCH), broke(150)],
      expected: ROUTER,
    },
    { name: 'of what is open what does so now', turns: [broke(150)], now: SWITCH, expected: SWITCH },
    { name: 'nothing, where it is open and was freed', turns: [broke(150)], expected: undefined },
    {
      name: 'of what ended after the span what did so until then',
      turns: [ended(210, SWITCH), broke(150)],
      expected: SWITCH,
    },
    {
      name: 'nothing, where it was told after the span',
      turns: [ended(210), broke(150)],
      now: SWITCH,
      expected: undefined,
    },
  ])('the inhibitor of a reported check is $name', ({ turns, now, expected }) => {
    const found = troubleOf(
      { client: 'web-1', check: 'ping', status: turns[0]?.status, statusChanges: turns, inhibitor: now },
      SPAN,
      0,
    );
    expect(found?.inhibited_by).toEqual(expected);
  });

  test('inhibited checks are reported after the others', () => {
    const quiet = troubleOf(
      { client: 'a', check: 'ping', status: 2, statusChanges: [broke(110)], inhibitor: SWITCH },
      SPAN,
      0,
    );
    const loud = troubleOf({ client: 'b', check: 'ping', status: 2, statusChanges: [broke(190)] }, SPAN, 0);
    const both = [quiet, loud].filter((one) => one !== undefined);
    for (const order of [worstFirst, longestFirst])
      expect(both.toSorted(order).map(({ client }) => client)).toEqual(['b', 'a']);
  });
});

describe('a failing check in the report (spec, report 1)', () => {
  test('a check that was OK during the whole span is not reported', () => {
    expect([of([150, undefined, 0]), of([90, 2, 0])]).toEqual([undefined, undefined]);
  });

  test.each<{ name: string; found: Trouble | undefined; expected: Partial<Trouble> }>([
    {
      name: 'what broke and recovered says from when to when',
      found: of([180, 2, 0], [150, 0, 2]),
      expected: { status: 0, worst: 2, began: 150_000, ended: 180_000, outages: 1, down: 30 },
    },
    {
      name: 'several outages are one line, from the first to the last',
      found: of([190, 1, 0], [180, 0, 1], [130, 2, 0], [120, 0, 2]),
      expected: { worst: 2, began: 120_000, ended: 190_000, outages: 2, down: 20 },
    },
    {
      name: 'what is open says since when without a break, whatever its status was meanwhile',
      found: of([180, 2, 1], [170, 0, 2], [130, 2, 0], [120, 0, 2]),
      expected: { status: 1, worst: 2, began: 170_000, ended: null, outages: 2, down: 40 },
    },
    {
      name: 'what was open before began before',
      found: of([150, 2, 0]),
      expected: { began: null, ended: 150_000, down: 50 },
    },
    {
      name: 'what was deleted is over, and no status is known',
      found: of([150, 2, undefined], [120, 0, 2]),
      expected: { began: 120_000, ended: 150_000, down: 30 },
    },
    {
      name: 'a warning is worse than what nobody knows',
      found: of([180, 3, 1], [150, 0, 3]),
      expected: { worst: 1, down: 50 },
    },
    {
      name: 'what recovers at its end is over',
      found: of([200, 2, 0], [150, 0, 2]),
      expected: { status: 0, ended: 200_000 },
    },
    {
      name: 'what breaks at its end is open',
      found: of([200, 0, 2], [150, undefined, 0]),
      expected: { status: 2, began: 200_000, ended: null, outages: 1, down: 0 },
    },
    {
      name: 'what came after the end counts for how it ended',
      found: of([250, 2, 0], [150, 0, 2]),
      expected: { status: 2, ended: null, down: 50 },
    },
  ])('a failing check is reported: $name', ({ found, expected }) => {
    expect(found).toMatchObject(expected);
  });

  test('a check without transitions has its current status for the whole span', () => {
    expect(troubleOf(past([], 2), SPAN, 0)).toMatchObject({
      status: 2,
      began: null,
      ended: null,
      outages: 1,
      down: 100,
    });
  });

  test('the report says nothing about the time before the retention', () => {
    expect(troubleOf(past([], 2), SPAN, 150_000)).toMatchObject({ began: null, down: 50 });
  });

  test('silenced time is part of the failing time', () => {
    const silenced = [{ sinceMs: 140_000, untilMs: 170_000 }];
    expect(troubleOf(past([[150, 0, 2]]), SPAN, 0, silenced)).toMatchObject({ down: 50, silenced: 20 });
  });
});

const trouble = (client: string, more: Partial<Trouble> = {}): Trouble => ({
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

const named = (items: readonly Trouble[]): string[] => items.map(({ client }) => client);

test('open problems are sorted by severity and age, resolved ones by duration', () => {
  const all = [
    trouble('unknown', { status: 3, down: 30 }),
    trouble('warning', { status: 1, down: 40 }),
    trouble('newer', { began: 5, down: 20 }),
    trouble('older', { began: null, down: 10 }),
  ];
  expect(named(all.toSorted(worstFirst))).toEqual(['older', 'newer', 'warning', 'unknown']);
  expect(named(all.toSorted(longestFirst))).toEqual(['warning', 'unknown', 'newer', 'older']);
});

test('the noisiest checks are those with the most outages, with the client that had them', () => {
  const noise = new Noise();
  for (const [client, check, outages] of [
    ['web-1', 'disk', 2],
    ['web-2', 'disk', 5],
    ['web-1', 'load', 1],
    ['web-1', 'swap', 9],
  ] as const) {
    noise.count(check, trouble(client, { check, outages }), {});
  }
  expect(noise.first(2)).toEqual([
    { check: 'swap', outages: 9, clients: 1, client: 'web-1', client_outages: 9 },
    { check: 'disk', outages: 7, clients: 2, client: 'web-2', client_outages: 5 },
  ]);
});

test('a list of the first items keeps only the limit but counts all', () => {
  const first = new FirstOf<number>(3, (a, b) => a - b);
  for (const one of [5, 3, 9, 1, 8, 2, 7, 4, 6]) first.add(one);
  expect([first.items(), first.count]).toEqual([[1, 2, 3], 9]);
});
