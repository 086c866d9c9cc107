import { ColumnMeasure } from './content-widths.ts';
import { followNewest } from './follow-newest.ts';
import type { EventRecord } from '../model/event-record.ts';
import { CURSOR_AT_TOP, settleCursor, type ListCursor } from '../state/list-cursor.ts';
import { desiredCursor, type ListState } from '../state/list-state.ts';
import { listRows } from '../state/screen-layout.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ListOfView } from './list-of-view.ts';
import type { Screen, ScreenView, StateAdjuster } from '../state/ports.ts';
import type { Layer } from '../state/layers/layer.ts';

/**
 * Time in milliseconds that a user needs to notice a change and press a key. A key pressed within this time may be
 * meant for the previous row.
 */
export const REACTION_MS = 400;

/**
 * Tracks the visible part of a list: its rows (the window), the cursor and the marks. Before each frame it updates
 * cursor, marks and window.
 */
export class ListWindow {
  readonly measure = new ColumnMeasure();
  #keys: ReadonlySet<string> = new Set();
  /** The last visible event; `undefined` unless the events view is shown and its window is full. */
  #lastEvent: EventRecord | undefined;
  /** True if the window shows folds, so that a change of any event can change a visible row. */
  #isFolded = false;
  /** True if the first snapshot was complete at the last call of `settle`. */
  #wasLive = false;
  /**
   * True until the filter or sort order that the user chose is in effect. Such a change moves another row under the
   * cursor on purpose.
   */
  #isReordered = false;
  /**
   * The time in epoch milliseconds when a change from the backend last moved another row under the cursor, or removed
   * the last mark.
   */
  #shiftedAtMs = -Infinity;
  /**
   * Key of the row that was under the cursor when the user last left the opened view; `undefined` once a frame shows
   * the view.
   */
  #unseen: string | undefined;

  /** Returns whether the row with this key is on the screen. */
  holds(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Returns whether an event is on the screen or in a fold, or is sorted before the last visible event. */
  reaches({ events }: Pick<LiveData, 'events'>, key: string, record: EventRecord | undefined): boolean {
    if (this.#isFolded || this.#keys.has(key)) return true;
    return record !== undefined && (this.#lastEvent === undefined || events.isAtOrBefore(record, this.#lastEvent));
  }

  /**
   * Returns the key of the row that was drawn at an index, counted from the first visible row, even if the rows have
   * moved since.
   */
  keyAtRow(row: number): string | undefined {
    return [...this.#keys][row];
  }

  /**
   * Pauses the sorting of the list while the user moves the cursor, types a filter or answers a dialog; otherwise
   * resumes it.
   */
  pauseOrder({ state, rows }: ScreenView & Pick<ListOfView, 'rows'>, nowMs: number): void {
    const { layers, prompt, orderPausedUntilMs } = state;
    const shouldPause = prompt !== undefined || layers.some(isDialog) || nowMs < orderPausedUntilMs;
    if (shouldPause && !rows.frozen) rows.freeze();
    if (!shouldPause && rows.frozen) rows.thaw();
    if (rows.frozen) rows.mergeInserted();
  }

  /**
   * Records that the user changed the filter or the sort order. This can move another row under the cursor, even some
   * frames later.
   */
  expectOrder(): void {
    this.#isReordered = true;
  }

  /** Records that another list was opened, so that a key does not act on a row that the user has not seen yet. */
  open({ list }: Pick<ListOfView, 'list'>): void {
    this.#unseen = list.cursor.key;
  }

  /** Records that a frame shows the list, so that the user sees the row under the cursor. */
  seen(): void {
    this.#unseen = undefined;
  }

  /**
   * Records that the user moved the cursor by `by` rows. If the cursor is then not on the row that was drawn there, the
   * next key is treated as possibly meant for that other row.
   */
  recordCursorMove(
    { key }: Pick<ListCursor, 'key'>,
    by: number,
    { list, options }: ScreenView & Pick<ListOfView, 'list'>,
  ): void {
    const drawn = [...this.#keys];
    const at = key === undefined ? -1 : drawn.indexOf(key);
    const targetKey = at === -1 ? undefined : drawn[at + by];
    if (targetKey !== undefined && targetKey !== list.cursor.key) this.#shiftedAtMs = options.now();
  }

  /**
   * Returns true if a key would act on another row than the user saw. The next call returns false, because a user who
   * repeats the key has seen the change.
   */
  consumeShift({ list, options }: ScreenView & Pick<ListOfView, 'list'>): boolean {
    const isUnseen = this.#unseen !== undefined && this.#unseen !== list.cursor.key;
    const isShifted = options.now() - this.#shiftedAtMs < REACTION_MS;
    this.#unseen = undefined;
    this.#shiftedAtMs = -Infinity;
    return isUnseen || isShifted;
  }

  /** True if the filter or sort order that the user chose is not in effect yet. */
  get isOrderExpected(): boolean {
    return this.#isReordered;
  }

  /** Returns whether the matches found so far for a new filter fill the window, so that they can be shown at once. */
  isFilledBy({ state, list, rows, feed }: ScreenView & Pick<LiveData, 'feed'> & ListOfView, nowMs: number): boolean {
    const { firstMatches: beginning } = rows;
    // A list that follows the newest row needs all matches, because the newest row can be the last of them.
    if (beginning === undefined || list.following) return false;
    const cursor = cursorOf(list, feed.hasBeenLive);
    const { key } = cursor;
    if (key !== undefined && beginning.indexOf(key) === -1 && rows.willMatch(key, nowMs)) return false;
    const height = listRows(state);
    const { top } = settleCursor(cursor, { ...beginning, length: Infinity }, height);
    return beginning.length >= top + height;
  }

  settle(store: StateAdjuster & Screen & Pick<LiveData, 'events' | 'feed'> & ListOfView): void {
    if (store.table === undefined) return;
    const before = store.list;
    followNewest(store);
    const { list, rows } = store;
    const { order } = rows;
    const height = listRows(store.state);
    const settled = settleCursor(cursorOf(list, this.#wasLive), order, height);
    // While a dialog is open, the cursor stays on its row, even if the row is gone, and does not move to the next row.
    const cursor = this.#wasLive && store.state.layers.some(isDialog) ? { ...settled, key: list.cursor.key } : settled;
    this.#wasLive = store.feed.hasBeenLive;
    const marks = remainingMarks(store);
    this.#noteShift(store, before, { ...list, cursor, marks });
    const window = order.slice(cursor.top, cursor.top + height);
    const last = window.length < height ? undefined : window.at(-1);
    this.#keys = new Set(window.map(({ key }) => key));
    this.#isFolded = list.fold !== undefined;
    this.#lastEvent = store.state.view === 'events' && last !== undefined ? store.events.get(last.key) : undefined;
    const { view, views } = store.state;
    store.adjustState({ views: { ...views, [view]: { ...list, cursor, marks } } });
  }

  #noteShift({ rows, options }: ScreenView & ListOfView, before: ListState, after: ListState): void {
    const { key } = before.cursor;
    const isOther =
      (key !== undefined && key !== after.cursor.key) || (before.marks.size > 0 && after.marks.size === 0);
    // If the user changed the order, another row under the cursor is expected and the next key is not rejected.
    if (this.#isReordered) this.#shiftedAtMs = -Infinity;
    else if (isOther) this.#shiftedAtMs = options.now();
    // The user's filter and order are in effect once the filter is evaluated and sorting is no longer paused.
    if (!rows.filtering && !rows.frozen) this.#isReordered = false;
  }
}

/** Returns the cursor that the user wants. Until the first snapshot is complete, it stays at the top of the list. */
function cursorOf(list: ListState, wasLive: boolean): ListCursor {
  return wasLive ? desiredCursor(list) : CURSOR_AT_TOP;
}

/**
 * Returns the keys of marked rows that still exist. While sorting is paused it returns all marks, because rows that are
 * gone are still shown.
 */
function remainingMarks({ list: { marks }, rows }: ListOfView): ReadonlySet<string> {
  if (rows.frozen || marks.size === 0) return marks;
  const remaining = [...marks].filter((key) => rows.get(key) !== undefined);
  return remaining.length === marks.size ? marks : new Set(remaining);
}

/** Returns whether the layer is a dialog, menu or command line that can act on the rows of the list behind it. */
function isDialog({ kind }: Layer): boolean {
  return kind === 'silence' || kind === 'confirm' || kind === 'menu' || kind === 'command';
}
