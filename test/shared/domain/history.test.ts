import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EMPTY_HISTORY,
  historyFromShownStatuses,
  HISTORY_LENGTH,
  historyOf,
  statusesWithoutFirst,
  pushStatus,
  statusAtAge,
  statusesOf,
} from '../../../shared/domain/history.ts';

/** A status: mostly one of the usual four, sometimes another number that a script may return. */
const status = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 0, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 4, 127, 255, 2 ** 31) },
);
const statuses = fc.array(status, { maxLength: 60 });

test('the history of a check keeps the last 21 statuses, the oldest first', () => {
  const pushed = Array.from({ length: 30 }, (_, index) => index % 4);
  expect(statusesOf(pushed.reduce((history, each) => pushStatus(history, each), EMPTY_HISTORY))).toEqual(
    pushed.slice(-21),
  );
  expect(HISTORY_LENGTH).toBe(21);
});

test('the history of a check equals an array of the last 21 statuses after every result', () => {
  fc.assert(
    fc.property(statuses, (all) => {
      let history = EMPTY_HISTORY;
      for (const [index, each] of all.entries()) {
        history = pushStatus(history, each);
        expect(statusesOf(history)).toEqual(all.slice(0, index + 1).slice(-HISTORY_LENGTH));
      }
    }),
  );
});

test('the history of a check knows the very first status, which the v2 API leaves out', () => {
  for (const length of [0, 1, 2, 20, 21, 22, 23, 40]) {
    const all = Array.from({ length }, (_, index) => index % 4);
    expect(statusesWithoutFirst(historyOf(all))).toEqual(all.slice(1).slice(-HISTORY_LENGTH));
    expect(statusesOf(historyOf(all))).toEqual(all.slice(-HISTORY_LENGTH));
  }
});

test.each([1, 20, 21])('a history that is read from %i statuses returns the same statuses', (length) => {
  const shown = Array.from({ length }, (_, index) => (index === 0 ? 127 : index % 4));
  expect(statusesOf(historyFromShownStatuses(shown))).toEqual(shown);
});

test('a history is the same whether its statuses were appended or parsed', () => {
  fc.assert(
    fc.property(statuses, (all) => {
      expect(historyOf(all)).toEqual(all.reduce((history, each) => pushStatus(history, each), EMPTY_HISTORY));
      expect(statusesOf(historyOf(all))).toEqual(all.slice(-HISTORY_LENGTH));
    }),
  );
});

test('a history is indexed from the newest status', () => {
  fc.assert(
    fc.property(statuses, fc.nat(30), (all, age) => {
      expect(statusAtAge(historyOf(all), age)).toBe(all.slice(-HISTORY_LENGTH).at(-1 - age));
    }),
  );
  expect(statusAtAge(historyOf(Array.from({ length: 30 }, () => 1)), 20)).toBe(1);
  expect(statusAtAge(historyOf(Array.from({ length: 30 }, () => 1)), 21)).toBeUndefined();
});

describe('statuses that do not fit in two bits', () => {
  test('the history stores statuses that do not fit in two bits unchanged', () => {
    expect(statusesOf(historyOf([0, 127, -1, 2]))).toEqual([0, 127, -1, 2]);
  });

  test('large statuses need extra memory only while the history contains a large status', () => {
    const wide = pushStatus(historyOf([0, 1, 2]), 127);
    expect(wide.wide).toEqual([0, 1, 2, 127]);
    const narrow = Array.from({ length: HISTORY_LENGTH + 1 }, () => 1).reduce(
      (history, each) => pushStatus(history, each),
      wide,
    );
    expect(narrow.wide).toBeUndefined();
    expect(statusesOf(narrow)).toEqual(Array.from({ length: HISTORY_LENGTH }, () => 1));
  });
});
