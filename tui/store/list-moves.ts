import { ORDER_PAUSE_MS, type ConsoleStore } from './console-store.ts';
import { moveCursor, settleCursor, type ListCursor } from './list-cursor.ts';
import { listRows } from './screen-layout.ts';

/** The cursor in the order as it is now, which may have moved on since the last frame. For movements only. */
export function cursorNow(store: ConsoleStore): ListCursor {
  return settleCursor(store.list.cursor, store.rows.order, listRows(store.state));
}

export function moveTo(store: ConsoleStore, index: number): void {
  // The cursor moves in the order that is on the screen, and that order stays for a moment.
  if (!store.rows.frozen) store.rows.freeze();
  store.updateList({ cursor: moveCursor(cursorNow(store), index, store.rows.order, listRows(store.state)) });
  store.update({ orderPausedUntilMs: store.options.now() + ORDER_PAUSE_MS });
}
