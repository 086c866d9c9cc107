import type { ListOrder } from '../model/list-order.ts';

/** Where the cursor of a list is: on what it lists, not on a row of the screen. */
export interface ListCursor {
  /** What is under it; `undefined` while the list is empty. */
  readonly key: string | undefined;
  /** Its row when it was last drawn: where the cursor stays when that goes away. */
  readonly index: number;
  /** First row of the window. */
  readonly top: number;
}

export const CURSOR_AT_TOP: ListCursor = { key: undefined, index: 0, top: 0 };

/**
 * The cursor in a list that may have changed: it follows what it is on and keeps its place on the screen, except that a
 * window at the top of the list stays there for as long as the cursor fits in, so that what is new comes into view.
 */
export function settleCursor(cursor: ListCursor, order: ListOrder, rows: number): ListCursor {
  const found = cursor.key === undefined ? -1 : order.indexOf(cursor.key);
  const index = found === -1 ? clamp(cursor.index, 0, order.length - 1) : found;
  const top = cursor.top === 0 ? 0 : cursor.top + index - cursor.index;
  return { key: order.at(index)?.key, index, top: windowTop(top, index, order.length, rows) };
}

/** The cursor on another row; the window moves as little as it can. */
export function moveCursor(cursor: ListCursor, toIndex: number, order: ListOrder, rows: number): ListCursor {
  const index = clamp(toIndex, 0, order.length - 1);
  return { key: order.at(index)?.key, index, top: windowTop(cursor.top, index, order.length, rows) };
}

function windowTop(wanted: number, index: number, length: number, rows: number): number {
  const shown = Math.max(1, rows);
  return clamp(clamp(wanted, index - shown + 1, index), 0, length - shown);
}

/** `low` wins when the range is empty. */
export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}
