import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextCheckState, NO_CHECK_STATE, type CheckState } from '../../../shared/domain/event.ts';
import { historyOf } from '../../../shared/domain/history.ts';
import { okOccurrences } from '../../../shared/domain/ok-count.ts';
import { propertyRuns } from '../../support/property-runs.ts';

function stateAfter(statuses: readonly number[], begin: CheckState = NO_CHECK_STATE): CheckState {
  return statuses.reduce<CheckState>((state, status, at) => {
    return nextCheckState(state, { status, executed: at }, { now: at, newId: () => 'id' }).state;
  }, begin);
}

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

/**
 * Counts equal statuses in a row. As in Sensu Go, an OK that is the very first result is not counted; a problem counts
 * from its first result.
 */
function countOccurrences(statuses: readonly number[]): { occurrences: number; watermark: number } {
  let occurrences = 1;
  let watermark = 1;
  for (const [at, status] of statuses.entries()) {
    if (at === 0) continue;
    const isFirstOk = at === 1 && status === 0;
    occurrences = status === statuses[at - 1] && !isFirstOk ? occurrences + 1 : 1;
    if (status !== 0 && statuses[at - 1] === 0) watermark = 1;
    else watermark = Math.max(watermark, occurrences);
  }
  return { occurrences, watermark };
}

describe('OK results', () => {
  test.each([1, 2, 3, 21, 22, 23, 24, 30, 1000])(
    '%d OK results in a row are counted, without the very first result of the check',
    (count) => {
      const occurrences = Math.max(1, count - 1);
      expect(okOccurrences(stateAfter(times(count, 0)))).toEqual({ occurrences, watermark: occurrences });
    },
  );

  test.each([1, 20, 21, 22, 23, 500])(
    '%d OK results after a problem are counted from the end of the problem',
    (count) => {
      expect(okOccurrences(stateAfter([0, 2, ...times(count, 0)])).occurrences).toBe(count);
    },
  );

  test('the watermark of a long problem stays until there are more OK results than the watermark', () => {
    const state = stateAfter([0, ...times(60, 2), ...times(59, 0)]);
    expect(okOccurrences(state)).toEqual({ occurrences: 59, watermark: 60 });
    expect(okOccurrences(stateAfter([0, 0], state))).toEqual({ occurrences: 61, watermark: 61 });
  });

  test('a stored check of an earlier version without an OK count starts with the count of its history', () => {
    const state: CheckState = { ...NO_CHECK_STATE, history: historyOf(times(22, 0)) };
    expect(okOccurrences(state).occurrences).toBe(21);
    expect(okOccurrences(stateAfter([0, 0], state)).occurrences).toBe(23);
  });

  test('a status above 3 in the history does not stop the count of OK results', () => {
    expect(okOccurrences(stateAfter([127, ...times(40, 0)])).occurrences).toBe(40);
  });

  test('OK results are counted as Sensu Go counts them', () => {
    const runs = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom(0, 0, 1, 2, 127)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 40 }), (earlier, last) => {
        const statuses = [...earlier.flatMap(([count, status]) => times(count, status)), ...times(last, 0)];
        expect(okOccurrences(stateAfter(statuses))).toEqual(countOccurrences(statuses));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('handlers of every result get the OK count, and checks of type metric count as in Sensu Core', () => {
    const before = stateAfter(times(30, 0));
    const surroundings = { now: 1, newId: () => 'id', notifiesOk: true };
    const ok = { status: 0, executed: 1 };
    const occurrencesOf = (result: Parameters<typeof nextCheckState>[1]): unknown => {
      const { transition } = nextCheckState(before, result, surroundings);
      return transition.kind === 'none' ? undefined : [transition.kind, transition.event.occurrences];
    };
    expect(occurrencesOf(ok)).toEqual(['ok', 30]);
    expect(occurrencesOf({ ...ok, type: 'metric', event_metadata: {} })).toEqual(['metric', 30]);
    expect(occurrencesOf({ ...ok, type: 'metric' })).toEqual(['metric', 1]);
  });
});
