import { describe, expect, test } from 'vitest';
import {
  nextCheckState,
  NO_CHECK_STATE,
  type CheckState,
  type DecidingResult,
  type EventTransition,
} from '../../../shared/domain/event.ts';
import { recoveryWords, resolveAfterOf } from '../../../shared/domain/recovery.ts';

type ResultInput = number | (Partial<DecidingResult> & { readonly status: number });

const MINUTE = 60;

interface Step {
  readonly kind: EventTransition['kind'];
  readonly state: CheckState;
}

/** Processes the results in order, a minute apart unless a result has its own time of execution. */
function processResults(results: readonly ResultInput[], common: Partial<DecidingResult>): Step[] {
  let state = NO_CHECK_STATE;
  return results.map((told, index) => {
    const now = 6000 + index * MINUTE;
    const result = { executed: now, ...common, ...(typeof told === 'number' ? { status: told } : told) };
    const next = nextCheckState(state, result, { now, newId: () => 'an id' });
    state = next.state;
    return { kind: next.transition.kind, state };
  });
}

/** Returns the transition of each result, and how far the event has recovered after it. */
function recoveries(results: readonly ResultInput[], common: Partial<DecidingResult>): string[] {
  return processResults(results, common).map(({ kind, state: { event } }) =>
    event?.recovery === undefined ? kind : `${kind}, ${recoveryWords(event.recovery)}`,
  );
}

describe('late resolution (spec, recovery 1)', () => {
  test.each<{ name: string; common: Partial<DecidingResult>; results: ResultInput[]; expected: string[] }>([
    {
      name: 'an event is resolved by the required number of OK results in a row',
      common: { resolve_after: 3 },
      results: [2, 0, 0, 0, 0],
      expected: ['open', 'none, 1 of 3 OK', 'none, 2 of 3 OK', 'resolve', 'none'],
    },
    {
      name: 'a problem starts the count of OK results again',
      common: { resolve_after: 2 },
      results: [2, 0, 2, 0, 1, 0, 0],
      expected: ['open', 'none, 1 of 2 OK', 'open', 'none, 1 of 2 OK', 'open', 'none, 1 of 2 OK', 'resolve'],
    },
    {
      name: 'resolve_after: 1 resolves at the first OK result',
      common: { resolve_after: 1 },
      results: [2, 0],
      expected: ['open', 'resolve'],
    },
    {
      name: 'a duration resolves at the first OK result after that duration',
      common: { resolve_after: '2m' },
      results: [2, 0, 0, 0],
      expected: ['open', 'none, OK for 0s of 2m', 'none, OK for 1m of 2m', 'resolve'],
    },
    {
      name: 'a late result counts for the time of its execution',
      common: { resolve_after: '2m' },
      results: [2, { status: 0, executed: 100 }, { status: 0, executed: 160 }, { status: 0, executed: 220 }],
      expected: ['open', 'none, OK for 0s of 2m', 'none, OK for 1m of 2m', 'resolve'],
    },
    {
      name: 'a clock that is set back starts the duration again instead of keeping the event open forever',
      common: { resolve_after: '1m' },
      results: [
        2,
        { status: 0, executed: 5000 },
        { status: 0, executed: 100 },
        { status: 0, executed: 130 },
        { status: 0, executed: 160 },
      ],
      expected: ['open', 'none, OK for 0s of 1m', 'none, OK for 0s of 1m', 'none, OK for 30s of 1m', 'resolve'],
    },
    {
      name: 'force_resolve resolves at once',
      common: { resolve_after: 9 },
      results: [2, 0, { status: 0, force_resolve: true }],
      expected: ['open', 'none, 1 of 9 OK', 'resolve'],
    },
    {
      name: 'an event with auto_resolve: false neither recovers nor resolves',
      common: { resolve_after: 1, auto_resolve: false },
      results: [2, 0, 0],
      expected: ['open', 'none', 'none'],
    },
    {
      name: 'an OK result with auto_resolve: false ends a recovery',
      common: { resolve_after: 3 },
      results: [2, 0, { status: 0, auto_resolve: false }, 0],
      expected: ['open', 'none, 1 of 3 OK', 'none', 'none, 1 of 3 OK'],
    },
    {
      name: 'a changed resolve_after applies from the next OK result on and counts earlier OK results',
      common: {},
      results: [
        2,
        { status: 0, resolve_after: 9 },
        { status: 0, resolve_after: 9 },
        { status: 0, resolve_after: '3m' },
        { status: 0, resolve_after: 4 },
      ],
      expected: ['open', 'none, 1 of 9 OK', 'none, 2 of 9 OK', 'none, OK for 2m of 3m', 'resolve'],
    },
    {
      name: 'the next OK result resolves after resolve_after is removed',
      common: {},
      results: [2, { status: 0, resolve_after: 9 }, 0],
      expected: ['open', 'none, 1 of 9 OK', 'resolve'],
    },
    {
      name: 'an invalid resolve_after has no effect',
      common: { resolve_after: 'soon' },
      results: [2, 0],
      expected: ['open', 'resolve'],
    },
    {
      name: 'OK results of a metric check are handled during a recovery',
      common: { resolve_after: 2, type: 'metric' },
      results: [2, 0, 0],
      expected: ['open', 'metric, 1 of 2 OK', 'resolve'],
    },
  ])('a resolution with resolve_after follows the rule: $name', ({ results, common, expected }) => {
    expect(recoveries(results, common)).toEqual(expected);
  });

  test('a metric of a recovering event is not notified as resolved', () => {
    const metric = { executed: 1, resolve_after: 2, type: 'metric' };
    const surroundings = { now: 1, newId: () => 'an id' };
    const { state } = nextCheckState(NO_CHECK_STATE, { ...metric, status: 2 }, surroundings);
    const { transition } = nextCheckState(state, { ...metric, status: 0 }, surroundings);
    expect(transition).toMatchObject({ kind: 'metric', event: { action: 'create', status: 0 } });
  });

  test('a relapse into the same status continues the occurrences and sends no new notification', () => {
    const counted = processResults([2, 2, 0, 2, 0, 1], { resolve_after: 3 }).map(({ state: { event } }) => [
      event?.occurrences,
      event?.watermark,
      event?.lastStateChange,
    ]);
    expect(counted).toEqual([
      [1, 1, 6000],
      [2, 2, 6000],
      [2, 2, 6000],
      [3, 3, 6000],
      [3, 3, 6000],
      [1, 3, 6000 + 5 * MINUTE],
    ]);
  });

  test('a flapping event stays open, and resolves once it has stopped flapping and recovered', () => {
    const flaps = { low_flap_threshold: 10, high_flap_threshold: 30, resolve_after: 4 };
    const stormy = Array.from({ length: 24 }, (_, at) => (at % 2) * 2);
    const steps = processResults([...stormy, ...Array.from({ length: 21 }, () => 0)], flaps);
    const last = steps.findLast(({ state }) => state.event !== undefined);
    expect(last?.state.event).toMatchObject({ action: 'flapping', recovery: { after: 4 } });
    expect(last?.state.event?.recovery?.results).toBeGreaterThan(4);
    const at = steps.findLastIndex(({ state }) => state.event !== undefined);
    expect(steps[at + 1]?.kind).toBe('resolve');
  });

  test('an event that stopped flapping and has not recovered yet is open and not flapping', () => {
    const flaps = { low_flap_threshold: 10, high_flap_threshold: 30, resolve_after: '1h' };
    const stormy = Array.from({ length: 24 }, (_, at) => (at % 2) * 2);
    const steps = processResults([...stormy, ...Array.from({ length: 21 }, () => 0)], flaps);
    expect(steps.at(-1)?.state.event).toMatchObject({ action: 'create', recovery: { since: 6000 + 24 * MINUTE } });
  });
});

test.each([
  [3, 3],
  ['5m', '5m'],
  ['1h30m', '1h30m'],
  [0, undefined],
  [-1, undefined],
  [1.5, undefined],
  ['3', undefined],
  ['0s', undefined],
  ['', undefined],
  ['1h2h', undefined],
  [true, undefined],
  [null, undefined],
])('the attribute resolve_after: %j is parsed as %j', (value, expected) => {
  expect(resolveAfterOf(value)).toBe(expected);
});
