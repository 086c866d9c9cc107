import { describe, expect, test } from 'vitest';
import { EventRecord } from '../../../tui/model/event-record.ts';
import { CURSOR_AT_TOP, moveCursor, settleCursor, type ListCursor } from '../../../tui/state/list-cursor.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import type { ListOrder } from '../../../tui/model/list-order.ts';

const ROWS = 4;

describe('a changed list', () => {
  test.each<{ name: string; cursor: ListCursor; keys: string; expected: ListCursor }>([
    {
      name: 'the cursor follows its event, and a window at the top stays there',
      cursor: { key: 'b', index: 1, top: 0 },
      keys: 'xabcdef',
      expected: { key: 'b', index: 2, top: 0 },
    },
    {
      name: 'a window at the top moves when its cursor would leave it',
      cursor: { key: 'd', index: 3, top: 0 },
      keys: 'xyabcdef',
      expected: { key: 'd', index: 5, top: 2 },
    },
    {
      name: 'further down the event keeps its place on the screen',
      cursor: { key: 'e', index: 4, top: 2 },
      keys: 'xyabcdefgh',
      expected: { key: 'e', index: 6, top: 4 },
    },
    {
      name: 'an event that is gone leaves the cursor on the row that took its place',
      cursor: { key: 'b', index: 1, top: 0 },
      keys: 'acd',
      expected: { key: 'c', index: 1, top: 0 },
    },
    {
      name: 'after the last event is gone, the last one that is left',
      cursor: { key: 'd', index: 3, top: 0 },
      keys: 'ab',
      expected: { key: 'b', index: 1, top: 0 },
    },
    {
      name: 'in an empty list it is on nothing',
      cursor: { key: 'b', index: 1, top: 1 },
      keys: '',
      expected: CURSOR_AT_TOP,
    },
    {
      name: 'a list that grew from nothing has it at the top',
      cursor: CURSOR_AT_TOP,
      keys: 'abc',
      expected: { key: 'a', index: 0, top: 0 },
    },
  ])('a changed list settles its cursor: $name', ({ cursor, keys, expected }) => {
    expect(settleCursor(cursor, orderOf(keys), ROWS)).toEqual(expected);
  });
});

describe('a moved cursor', () => {
  test.each<{ name: string; from: ListCursor; to: number; expected: ListCursor }>([
    {
      name: 'within the window nothing scrolls',
      from: { key: 'b', index: 1, top: 0 },
      to: 3,
      expected: { key: 'd', index: 3, top: 0 },
    },
    {
      name: 'below it the window follows by as little as it can',
      from: { key: 'd', index: 3, top: 0 },
      to: 4,
      expected: { key: 'e', index: 4, top: 1 },
    },
    { name: 'above it, too', from: { key: 'd', index: 3, top: 3 }, to: 2, expected: { key: 'c', index: 2, top: 2 } },
    {
      name: 'past the end is the end',
      from: { key: 'a', index: 0, top: 0 },
      to: 99,
      expected: { key: 'h', index: 7, top: 4 },
    },
    {
      name: 'before the start is the start',
      from: { key: 'h', index: 7, top: 4 },
      to: -9,
      expected: { key: 'a', index: 0, top: 0 },
    },
  ])('a moved cursor scrolls its window: $name', ({ from, to, expected }) => {
    expect(moveCursor(from, to, orderOf('abcdefgh'), ROWS)).toEqual(expected);
  });
});

function orderOf(keys: string): ListOrder {
  const records = Array.from(keys, (key) => new EventRecord(key, anEventRow({ client: key })));
  return {
    length: records.length,
    indexOf: (key) => records.findIndex((record) => record.key === key),
    at: (index) => records[index],
    slice: (start, end) => records.slice(start, end),
  };
}
