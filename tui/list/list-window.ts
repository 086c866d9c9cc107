import { followNewest } from './follow-newest.ts';
import type { EventRecord } from '../model/event-record.ts';
import { CURSOR_AT_TOP, settleCursor, type ListCursor } from '../state/list-cursor.ts';
import { desiredCursor, type ListState } from '../state/list-state.ts';
import { listRows } from '../state/screen-layout.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ListOfView } from './list-of-view.ts';
import type { MessageSink, Opened, Shown, Settles } from '../state/ports.ts';
import type { Layer } from '../state/layers/layer.ts';

/** Time that a user needs to see, decide and press a key. */
export const REACTION_MS = 400;

/** The visible part of the list. With each frame it updates cursor, marks and window. */
export class ListWindow {
  #keys: ReadonlySet<string> = new Set();
  /** The last drawn event; only known while the list of events fills the screen. */
  #lastEvent: EventRecord | undefined;
  /** True if the last frame showed a complete list. */
  #wasLive = false;
  /** True if the user is about to change the order, which moves another row under the cursor on purpose. */
  #isReordered = false;
  /**
   * The time when a change from the backend last moved another row under the cursor, or removed the last mark.
   */
  #shiftedAtMs = -Infinity;
  /** Key under the cursor when the view was left, until a frame shows the view again. */
  #unseen: string | undefined;

  /** Returns whether the row of this key is drawn. */
  holds(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Returns whether an event is drawn, or belongs above the last drawn one. */
  reaches({ events }: Pick<LiveData, 'events'>, key: string, record: EventRecord | undefined): boolean {
    if (this.#keys.has(key)) return true;
    return record !== undefined && (this.#lastEvent === undefined || events.isUpTo(record, this.#lastEvent));
  }

  /** Returns the key of the row that was drawn at an index of the window, even if the rows have moved since. */
  keyAtRow(row: number): string | undefined {
    return [...this.#keys][row];
  }

  /** Pauses the order while the user moves the cursor, types a filter or answers a dialog. */
  pauseOrder({ state, rows }: Shown & Pick<ListOfView, 'rows'>, nowMs: number): void {
    const { layers, prompt, orderPausedUntilMs } = state;
    const shouldPause = prompt !== undefined || layers.some(isDialog) || nowMs < orderPausedUntilMs;
    if (shouldPause && !rows.frozen) rows.freeze();
    if (!shouldPause && rows.frozen) rows.thaw();
    if (rows.frozen) rows.settle();
  }

  /** Records that the user's action may move another row under the cursor, also some frames later. */
  expectOrder(): void {
    this.#isReordered = true;
  }

  /** Records that another list is shown, which the user has not seen yet. */
  open({ list }: Pick<ListOfView, 'list'>): void {
    this.#unseen = list.cursor.key;
  }

  /** Records that a frame shows the list. */
  seen(): void {
    this.#unseen = undefined;
  }

  /**
   * Records a movement of the cursor. A row that came to its target since the last frame is not the one that
   * the user meant.
   */
  noteMove({ key }: Pick<ListCursor, 'key'>, by: number, { list, options }: Opened & Pick<ListOfView, 'list'>): void {
    const drawn = [...this.#keys];
    const at = key === undefined ? -1 : drawn.indexOf(key);
    const targetKey = at === -1 ? undefined : drawn[at + by];
    if (targetKey !== undefined && targetKey !== list.cursor.key) this.#shiftedAtMs = options.now();
  }

  /**
   * Returns true if a key would act on another row than the user saw. It does so only once, because a user who
   * repeats the key has seen the change.
   */
  takeShift({ list, options }: Opened & Pick<ListOfView, 'list'>): boolean {
    const isUnseen = this.#unseen !== undefined && this.#unseen !== list.cursor.key;
    const isShifted = options.now() - this.#shiftedAtMs < REACTION_MS;
    this.#unseen = undefined;
    this.#shiftedAtMs = -Infinity;
    return isUnseen || isShifted;
  }

  /** True if a filter or order of the user is not in effect yet. */
  get isOrderExpected(): boolean {
    return this.#isReordered;
  }

  /** Returns whether the first matches of a new filter fill the window at the position of the cursor. */
  isFilledBy({ state, list, rows, feed }: Shown & Pick<LiveData, 'feed'> & ListOfView, nowMs: number): boolean {
    const { beginning } = rows;
    // The newest row may be the last of all matches.
    if (beginning === undefined || list.following) return false;
    const cursor = cursorOf(list, feed.everLive);
    const { key } = cursor;
    if (key !== undefined && beginning.indexOf(key) === -1 && rows.willMatch(key, nowMs)) return false;
    const height = listRows(state);
    const { top } = settleCursor(cursor, { ...beginning, length: Infinity }, height);
    return beginning.length >= top + height;
  }

  settle(store: Settles & MessageSink & Opened & Pick<LiveData, 'events' | 'feed'> & ListOfView): void {
    if (store.table === undefined) return;
    const before = store.list;
    followNewest(store);
    const { list, rows } = store;
    const { order } = rows;
    const height = listRows(store.state);
    const settled = settleCursor(cursorOf(list, this.#wasLive), order, height);
    // A dialog refers to the row that was under the cursor before, even if it is gone, and never to its
    // successor.
    const cursor = this.#wasLive && store.state.layers.some(isDialog) ? { ...settled, key: list.cursor.key } : settled;
    this.#wasLive = store.feed.everLive;
    const marks = remainingMarks(store);
    this.#noteShift(store, before, { ...list, cursor, marks });
    const window = order.slice(cursor.top, cursor.top + height);
    const last = window.length < height ? undefined : window.at(-1);
    this.#keys = new Set(window.map(({ key }) => key));
    this.#lastEvent = store.state.view === 'events' && last !== undefined ? store.events.get(last.key) : undefined;
    const { view, views } = store.state;
    store.settle({ views: { ...views, [view]: { ...list, cursor, marks } } });
  }

  #noteShift({ rows, options }: Opened & ListOfView, before: ListState, after: ListState): void {
    const { key } = before.cursor;
    const isOther =
      (key !== undefined && key !== after.cursor.key) || (before.marks.size > 0 && after.marks.size === 0);
    // A user who has just changed the order has not chosen a row of the previous one.
    if (this.#isReordered) this.#shiftedAtMs = -Infinity;
    else if (isOther) this.#shiftedAtMs = options.now();
    // The change is visible once the filter is complete and the order is no longer paused.
    if (!rows.filtering && !rows.frozen) this.#isReordered = false;
  }
}

/**
 * Returns the cursor. Until the first snapshot is complete it stays at the top, because there is nothing to
 * follow.
 */
function cursorOf(list: ListState, wasLive: boolean): ListCursor {
  return wasLive ? desiredCursor(list) : CURSOR_AT_TOP;
}

/** Returns the marks without those of rows that are gone, unless a paused order still shows them. */
function remainingMarks({ list: { marks }, rows }: ListOfView): ReadonlySet<string> {
  if (rows.frozen || marks.size === 0) return marks;
  const remaining = [...marks].filter((key) => rows.get(key) !== undefined);
  return remaining.length === marks.size ? marks : new Set(remaining);
}

/** Returns whether the layer asks for a decision about the list behind it. */
function isDialog({ kind }: Layer): boolean {
  return kind === 'silence' || kind === 'confirm' || kind === 'menu' || kind === 'command';
}
