import { expect, test } from 'vitest';
import { checkStateOfEvent } from '../../../../shared/domain/v2/event-state.ts';
import { statusesOf } from '../../../../shared/domain/history.ts';

const NOW = 1_603_386_050;

/** Returns the state of a check whose event in Sensu Go has these attributes. */
function stateOf(check: Record<string, unknown>, event: Record<string, unknown> = {}) {
  const status = Number(check['status'] ?? 0);
  const result = { name: 'x', output: '', status, executed: NOW, issued: NOW };
  return checkStateOfEvent({ timestamp: NOW, ...event, check }, result, () => 'new');
}

function runs(...statuses: number[]): readonly { status: number; executed: number }[] {
  return statuses.map((status, at) => ({ status, executed: NOW - 60 * (statuses.length - 1 - at) }));
}

test('a failing check that is restored from a v2 dump becomes an open event that continues its counts', () => {
  const check = { status: 2, state: 'failing', history: runs(0, 2, 2), occurrences: 2, occurrences_watermark: 4 };
  const { history, lastOk, event } = stateOf({ ...check, last_ok: NOW - 120 }, { id: 'e-1' });
  expect(statusesOf(history)).toEqual([0, 2, 2]);
  expect(lastOk).toBe(NOW - 120);
  expect(event).toEqual({
    id: 'e-1',
    action: 'create',
    status: 2,
    occurrences: 2,
    watermark: 4,
    timestamp: NOW,
    lastStateChange: NOW - 60,
    lastOk: NOW - 120,
    totalStateChange: 0,
    notifications: {},
  });
});

test.each([
  ['a passing check', { status: 0, state: 'passing', history: runs(2, 0) }, undefined],
  ['a flapping check with status OK', { status: 0, state: 'flapping', history: runs(2, 0) }, 'flapping'],
  ['a flapping check', { status: 1, state: 'flapping', history: runs(0, 1) }, 'flapping'],
  ['a check without a state', { status: 3 }, 'create'],
])('the event of a restored check depends on its state: %s', (_what, check, action) => {
  expect(stateOf(check).event?.action).toBe(action);
});

test.each<[string, unknown, number[]]>([
  ['a missing history', undefined, [2]],
  ['a history without the last result', runs(0, 1), [0, 1, 2]],
  ['a history with invalid entries', [null, 'x', { status: '2' }, { status: 2 }], [2]],
  ['a history that is too long', runs(...Array.from({ length: 30 }, () => 2)), Array.from({ length: 21 }, () => 2)],
])('the history of a restored check is repaired: %s', (_what, history, statuses) => {
  expect(statusesOf(stateOf({ status: 2, history }).history)).toEqual(statuses);
});

test.each([
  ['invalid numbers', { occurrences: 'many', occurrences_watermark: -1, total_state_change: -5, last_ok: 0 }],
  ['missing numbers', {}],
])('invalid counts of a restored check become the counts of a first result: %s', (_what, counts) => {
  expect(stateOf({ status: 2, ...counts }).event).toMatchObject({
    id: 'new',
    occurrences: 1,
    watermark: 1,
    totalStateChange: 0,
    lastOk: null,
  });
});
