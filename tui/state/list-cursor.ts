import type { ListOrder } from '../model/list-order.ts';

/** The cursor of a list. It refers to an item of the list and not to a row of the screen. */
export interface ListCursor {
  /** Key of the row under the cursor; `undefined` while the list is empty. */
  readonly key: string | undefined;
  /** Index of the item when it was last drawn. If the item disappears, the cursor stays at this index. */
  readonly index: number;
  /** Index of the first visible row. */
  readonly top: number;
}

export const CURSOR_AT_TOP: ListCursor = { key: undefined, index: 0, top: 0 };

/**
 * Returns the cursor in a list that may have changed. The cursor follows its item, at the same position on the screen.
 * A window at the top of the list stays at the top while the cursor fits in, so that new items become visible.
 */
export function settleCursor(cursor: ListCursor, order: ListOrder, rows: number): ListCursor {
  const keyIndex = cursor.key === undefined ? -1 : order.indexOf(cursor.key);
  const index = keyIndex === -1 ? clamp(cursor.index, 0, order.length - 1) : keyIndex;
  const top = cursor.top === 0 ? 0 : cursor.top + index - cursor.index;
  return { key: order.at(index)?.key, index, top: windowTop(top, index, order.length, rows) };
}

/** Returns the cursor after a move to another index. The window scrolls as little as possible. */
export function moveCursor(cursor: ListCursor, toIndex: number, order: ListOrder, rows: number): ListCursor {
  const index = clamp(toIndex, 0, order.length - 1);
  return { key: order.at(index)?.key, index, top: windowTop(cursor.top, index, order.length, rows) };
}

function windowTop(desiredTop: number, index: number, length: number, rows: number): number {
  const shown = Math.max(1, rows);
  return clamp(clamp(desiredTop, index - shown + 1, index), 0, length - shown);
}

/** Limits a value to a range; `low` wins if the range is empty. */
export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}
