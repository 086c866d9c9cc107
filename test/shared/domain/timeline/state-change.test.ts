import { describe, expect, test } from 'vitest';
import {
  nextCheckState,
  NO_CHECK_STATE,
  type CheckState,
  type DecidingResult,
} from '../../../../shared/domain/event.ts';
import { removalOf, stateChangeOf, type StateChange } from '../../../../shared/domain/timeline/state-change.ts';

const SURROUNDINGS = { now: 1000, newId: () => 'an id' };
const FLAPS = { low_flap_threshold: 10, high_flap_threshold: 30 };

/** Returns the kind of the status change that each result causes, or `undefined` if it causes none. */
function turnsOf(results: readonly Omit<DecidingResult, 'executed'>[]): (StateChange['kind'] | undefined)[] {
  return stateChangesOf(results).map((turn) => turn?.kind);
}

function stateChangesOf(results: readonly Omit<DecidingResult, 'executed'>[]): (StateChange | undefined)[] {
  let before: CheckState = NO_CHECK_STATE;
  return results.map((result) => {
    const { state } = nextCheckState(before, { executed: 1, ...result }, SURROUNDINGS);
    const turn = stateChangeOf(before, state);
    before = state;
    return turn;
  });
}

const statuses = (...all: readonly number[]): { status: number }[] => all.map((status) => ({ status }));

describe('a result in the timeline (spec, timeline 1)', () => {
  test.each([
    ['the first OK is recorded, and OK results after it are not', statuses(0, 0, 0), ['new', undefined, undefined]],
    [
      'the create and the resolve of an event are recorded, and repeats are not',
      statuses(0, 2, 2, 2, 0),
      ['new', 'create', undefined, undefined, 'resolve'],
    ],
    ['a failing first result is recorded as a create', statuses(1, 0), ['create', 'resolve']],
    [
      'a new status is recorded as a change',
      statuses(1, 2, 1, 1, 3, 0),
      ['create', 'change', 'change', undefined, 'change', 'resolve'],
    ],
    [
      'an OK result that does not resolve the event is not recorded',
      [
        { status: 2, auto_resolve: false },
        { status: 0, auto_resolve: false },
        { status: 0, force_resolve: true },
      ],
      ['create', undefined, 'resolve'],
    ],
    [
      'recovery, relapse and resolve of an event are recorded',
      [2, 0, 0, 2, 0, 1, 0, 0, 0].map((status) => ({ status, resolve_after: 3 })),
      ['create', 'recovering', undefined, 'relapse', 'recovering', 'change', 'recovering', undefined, 'resolve'],
    ],
    [
      'OK results of a metric check are not recorded',
      [
        { status: 0, type: 'metric' },
        { status: 0, type: 'metric' },
      ],
      ['new', undefined],
    ],
  ])('a result is recorded in the timeline or not: %s', (_rule, results, expected) => {
    expect(turnsOf(results)).toEqual(expected);
  });

  test('a transition contains the status before and after, and the occurrences', () => {
    expect(stateChangesOf(statuses(0, 2, 2, 0)).filter((turn) => turn !== undefined)).toEqual([
      { kind: 'new', status: 0 },
      { kind: 'create', was: 0, status: 2, occurrences: 1 },
      { kind: 'resolve', was: 2, status: 0, occurrences: 2 },
    ]);
    expect(stateChangesOf(statuses(2))[0]).toEqual({ kind: 'create', status: 2, occurrences: 1 });
  });

  test('flapping is recorded with its begin, its end and the statuses in between', () => {
    const results = Array.from({ length: 30 }, (_, at) => ({ status: at % 2 === 0 ? 2 : 1, ...FLAPS }));
    const calm = Array.from({ length: 30 }, () => ({ status: 2, ...FLAPS }));
    const turns = stateChangesOf([...results, ...calm]).filter((turn) => turn !== undefined);
    const begin = turns.findIndex(({ kind }) => kind === 'flapping');
    const end = turns.findIndex(({ kind }) => kind === 'steady');
    expect(begin).toBeGreaterThan(0);
    expect(turns.slice(begin, end).every(({ flapping }) => flapping === true)).toBe(true);
    expect(turns[end]).toMatchObject({ kind: 'steady', status: 2 });
    expect(turns[end]).not.toHaveProperty('flapping');
    expect(turns.slice(begin + 1, end).every(({ kind }) => kind === 'change')).toBe(true);
  });
});

test('the transition of a resolve names the inhibitor that suppressed the event', () => {
  const { state } = nextCheckState(NO_CHECK_STATE, { status: 2, executed: 1 }, SURROUNDINGS);
  const inhibitor = { rule: 'behind-switch', client: 'sw-1', check: 'uplink' };
  const notifications = { inhibitedBy: { ...inhibitor, fingerprint: 'f' } };
  const inhibited = { ...state, ...(state.event && { event: { ...state.event, notifications } }) };
  const after = nextCheckState(inhibited, { status: 0, executed: 2 }, SURROUNDINGS).state;
  expect(stateChangeOf(inhibited, after)).toEqual({
    kind: 'resolve',
    was: 2,
    status: 0,
    occurrences: 1,
    inhibited_by: inhibitor,
  });
});

test('the transition of a removal contains the last status, and a removal without a status is not recorded', () => {
  const { state } = nextCheckState(NO_CHECK_STATE, { status: 1, executed: 1 }, SURROUNDINGS);
  expect(removalOf(state)).toEqual({ kind: 'remove', was: 1 });
  expect(removalOf(NO_CHECK_STATE)).toBeUndefined();
});
