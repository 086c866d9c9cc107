import { describe, expect, test } from 'vitest';
import { EventRecord } from '../../../tui/model/event-record.ts';
import { CURSOR_AT_TOP, moveCursor, settleCursor, type ListCursor } from '../../../tui/state/list-cursor.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import type { ListOrder } from '../../../tui/model/list-order.ts';

const ROWS = 4;

describe('a changed list', () => {
  test.each<{ name: string; cursor: ListCursor; keys: string; expected: ListCursor }>([
    {
      name: 'the cursor follows its event, and a window at the top of the list stays at the top',
      cursor: { key: 'b', index: 1, top: 0 },
      keys: 'xabcdef',
      expected: { key: 'b', index: 2, top: 0 },
    },
    {
      name: 'a window at the top scrolls if the cursor would leave the window',
      cursor: { key: 'd', index: 3, top: 0 },
      keys: 'xyabcdef',
      expected: { key: 'd', index: 5, top: 2 },
    },
    {
      name: 'an event further down keeps its position on the screen',
      cursor: { key: 'e', index: 4, top: 2 },
      keys: 'xyabcdefgh',
      expected: { key: 'e', index: 6, top: 4 },
    },
    {
      name: 'the cursor of a removed event stays on the row that takes the same position',
      cursor: { key: 'b', index: 1, top: 0 },
      keys: 'acd',
      expected: { key: 'c', index: 1, top: 0 },
    },
    {
      name: 'the cursor of a removed last event moves to the new last event',
      cursor: { key: 'd', index: 3, top: 0 },
      keys: 'ab',
      expected: { key: 'b', index: 1, top: 0 },
    },
    {
      name: 'the cursor of an empty list is on no row',
      cursor: { key: 'b', index: 1, top: 1 },
      keys: '',
      expected: CURSOR_AT_TOP,
    },
    {
      name: 'the cursor of a list that was empty is on the first row',
      cursor: CURSOR_AT_TOP,
      keys: 'abc',
      expected: { key: 'a', index: 0, top: 0 },
    },
  ])('the cursor of a changed list is placed: $name', ({ cursor, keys, expected }) => {
    expect(settleCursor(cursor, orderOf(keys), ROWS)).toEqual(expected);
  });
});

describe('a moved cursor', () => {
  test.each<{ name: string; from: ListCursor; to: number; expected: ListCursor }>([
    {
      name: 'a move within the window does not scroll',
      from: { key: 'b', index: 1, top: 0 },
      to: 3,
      expected: { key: 'd', index: 3, top: 0 },
    },
    {
      name: 'a move below the window scrolls as little as possible',
      from: { key: 'd', index: 3, top: 0 },
      to: 4,
      expected: { key: 'e', index: 4, top: 1 },
    },
    {
      name: 'a move above the window scrolls as little as possible',
      from: { key: 'd', index: 3, top: 3 },
      to: 2,
      expected: { key: 'c', index: 2, top: 2 },
    },
    {
      name: 'a move past the end stops at the last row',
      from: { key: 'a', index: 0, top: 0 },
      to: 99,
      expected: { key: 'h', index: 7, top: 4 },
    },
    {
      name: 'a move before the start stops at the first row',
      from: { key: 'h', index: 7, top: 4 },
      to: -9,
      expected: { key: 'a', index: 0, top: 0 },
    },
  ])('a moved cursor scrolls the window of the list: $name', ({ from, to, expected }) => {
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
