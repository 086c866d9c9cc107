import { expect, test } from 'vitest';
import { joinRenamedCheckStates } from '../../../shared/domain/check-rename.ts';
import { nextCheckState, NO_CHECK_STATE, type CheckState } from '../../../shared/domain/event.ts';
import { statusesOf } from '../../../shared/domain/history.ts';

/**
 * Returns the check state after these statuses, one a minute. The id of an event contains the minute in which it
 * opened.
 */
function stateAfter(statuses: readonly number[], startMinute: number): CheckState {
  return statuses.reduce<CheckState>((state, status, index) => {
    const now = (startMinute + index) * 60;
    const result = { status, executed: now };
    return nextCheckState(state, result, { now, newId: () => `event-${String(startMinute + index)}` }).state;
  }, NO_CHECK_STATE);
}

function pick(event: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).filter(([name]) => names.includes(name)));
}

test.each<{
  name: string;
  before: number[];
  after: number[];
  history: number[];
  event: Record<string, unknown> | undefined;
}>([
  {
    name: 'an event that is open under both names continues with its earlier id',
    before: [0, 2, 2],
    after: [2, 2],
    history: [0, 2, 2, 2, 2],
    event: { id: 'event-1', occurrences: 4, watermark: 4, status: 2, lastStateChange: 60 },
  },
  {
    name: 'another severity starts the occurrences again',
    before: [1, 1, 1],
    after: [2],
    history: [1, 1, 1, 2],
    event: { id: 'event-0', occurrences: 1, watermark: 3, status: 2 },
  },
  {
    name: 'a problem that is resolved under the new name is resolved',
    before: [2],
    after: [0],
    history: [2, 0],
    event: undefined,
  },
  {
    name: 'an event that opened under the new name stays unchanged',
    before: [0],
    after: [2],
    history: [0, 2],
    event: { id: 'event-1', occurrences: 1, watermark: 1 },
  },
  {
    name: 'the history keeps the newest 21 statuses',
    before: Array.from({ length: 21 }, () => 1),
    after: [0, 0, 0],
    history: [...Array.from({ length: 18 }, () => 1), 0, 0, 0],
    event: undefined,
  },
])('a rename to the name of an existing check merges both states: $name', ({ before, after, history, event }) => {
  const state = joinRenamedCheckStates(stateAfter(before, 0), stateAfter(after, before.length), []);
  expect(statusesOf(state.history)).toEqual(history);
  expect(state.event === undefined ? undefined : pick(state.event, Object.keys(event ?? {}))).toEqual(event);
});

test('the last OK time of two merged checks is the later one of both checks', () => {
  expect(joinRenamedCheckStates(stateAfter([0], 0), stateAfter([2], 1), []).lastOk).toBe(0);
  expect(joinRenamedCheckStates(stateAfter([0], 0), stateAfter([0], 5), []).lastOk).toBe(300);
});
