import { followNewest } from './following.ts';
import type { EventRecord } from '../model/event-record.ts';
import { CURSOR_AT_TOP, settleCursor, type ListCursor } from '../state/list-cursor.ts';
import { wantedCursor, type ListState } from '../state/list-state.ts';
import { listRows } from '../state/screen-layout.ts';
import type { Known } from '../model/known.ts';
import type { ListOfView } from './list-of-view.ts';
import type { Says, Opened, Shown, Settles } from '../state/ports.ts';
import type { Layer } from '../state/layers/layer.ts';

/** What a person sees, decides and presses takes about so long. */
export const REACTION_MS = 400;

/** The part of the list that is drawn: with each frame cursor, marks and window are put where they are now. */
export class ListWindow {
  #keys: ReadonlySet<string> = new Set();
  /** The last event that is drawn, known only while the list of events fills the screen. */
  #lastEvent: EventRecord | undefined;
  /** Whether the last frame showed a complete list. */
  #wasLive = false;
  /** Whether somebody is about to change the order: then another row comes under the cursor because it is wanted. */
  #isReordered = false;
  /** When what came from the backend last put another row under the cursor, or took the last mark away. */
  #shiftedAtMs = -Infinity;
  /** What the cursor was on when the view was left, until a frame shows it again. */
  #unseen: string | undefined;

  /** Whether the row of this key is drawn. */
  holds(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Whether an event is drawn, or belongs above the last one that is. */
  reaches({ events }: Pick<Known, 'events'>, key: string, record: EventRecord | undefined): boolean {
    if (this.#keys.has(key)) return true;
    return record !== undefined && (this.#lastEvent === undefined || events.isUpTo(record, this.#lastEvent));
  }

  /** Key of what is drawn in a row of the list, counted from 0, whatever has moved since. */
  keyAtRow(row: number): string | undefined {
    return [...this.#keys][row];
  }

  /** The order stands still while somebody moves the cursor, types a filter or is asked something. */
  pauseOrder({ state, rows }: Shown & Pick<ListOfView, 'rows'>, nowMs: number): void {
    const { layers, prompt, orderPausedUntilMs } = state;
    const wanted = prompt !== undefined || layers.some(isDialog) || nowMs < orderPausedUntilMs;
    if (wanted && !rows.frozen) rows.freeze();
    if (!wanted && rows.frozen) rows.thaw();
    if (rows.frozen) rows.settle();
  }

  /** Another row may come under the cursor by what a person does, also some frames later. */
  expectOrder(): void {
    this.#isReordered = true;
  }

  /** The list is another one, which nobody has seen yet. */
  open({ list }: Pick<ListOfView, 'list'>): void {
    this.#unseen = list.cursor.key;
  }

  /** A frame shows it. */
  seen(): void {
    this.#unseen = undefined;
  }

  /** The cursor was moved by some rows: what has come there since the last frame is not what was meant. */
  noteMove({ key }: Pick<ListCursor, 'key'>, by: number, { list, options }: Opened & Pick<ListOfView, 'list'>): void {
    const drawn = [...this.#keys];
    const at = key === undefined ? -1 : drawn.indexOf(key);
    const meant = at === -1 ? undefined : drawn[at + by];
    if (meant !== undefined && meant !== list.cursor.key) this.#shiftedAtMs = options.now();
  }

  /**
   * Whether a key would be about another row than it was when somebody decided on it. It is told once: who presses the key
   * again knows it.
   */
  takeShift({ list, options }: Opened & Pick<ListOfView, 'list'>): boolean {
    const isUnseen = this.#unseen !== undefined && this.#unseen !== list.cursor.key;
    const isShifted = options.now() - this.#shiftedAtMs < REACTION_MS;
    this.#unseen = undefined;
    this.#shiftedAtMs = -Infinity;
    return isUnseen || isShifted;
  }

  /** Whether one's own filter or order is on its way. */
  get isOrderExpected(): boolean {
    return this.#isReordered;
  }

  /** Whether the beginning of what a new filter finds is enough to draw, wherever the cursor goes by it. */
  isFilledBy({ state, list, rows, feed }: Shown & Pick<Known, 'feed'> & ListOfView, nowMs: number): boolean {
    const { beginning } = rows;
    // The newest may be the last of all.
    if (beginning === undefined || list.following) return false;
    const cursor = cursorOf(list, feed.everLive);
    const { key } = cursor;
    if (key !== undefined && beginning.indexOf(key) === -1 && rows.isToBeFound(key, nowMs)) return false;
    const height = listRows(state);
    const { top } = settleCursor(cursor, { ...beginning, length: Infinity }, height);
    return beginning.length >= top + height;
  }

  settle(store: Settles & Says & Opened & Pick<Known, 'events' | 'feed'> & ListOfView): void {
    if (store.table === undefined) return;
    const before = store.list;
    followNewest(store);
    const { list, rows } = store;
    const { order } = rows;
    const height = listRows(store.state);
    const settled = settleCursor(cursorOf(list, this.#wasLive), order, height);
    // What is asked about it is what was under the cursor before, also when that is gone: never what took its place.
    const cursor = this.#wasLive && store.state.layers.some(isDialog) ? { ...settled, key: list.cursor.key } : settled;
    this.#wasLive = store.feed.everLive;
    const marks = livingMarks(store);
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
    // Who has just asked for another order has not decided on what was there before.
    if (this.#isReordered) this.#shiftedAtMs = -Infinity;
    else if (isOther) this.#shiftedAtMs = options.now();
    // What is asked for comes when the filter has been through all events, and the order moves again.
    if (!rows.filtering && !rows.frozen) this.#isReordered = false;
  }
}

/** Until the first snapshot is complete the cursor has nothing to follow: it stays at the top. */
function cursorOf(list: ListState, wasLive: boolean): ListCursor {
  return wasLive ? wantedCursor(list) : CURSOR_AT_TOP;
}

/** Marks of rows that are gone go, too, unless they are still shown because the order is paused. */
function livingMarks({ list: { marks }, rows }: ListOfView): ReadonlySet<string> {
  if (rows.frozen || marks.size === 0) return marks;
  const living = [...marks].filter((key) => rows.get(key) !== undefined);
  return living.length === marks.size ? marks : new Set(living);
}

/** Whether the layer asks for a decision about what is listed behind it. */
function isDialog({ kind }: Layer): boolean {
  return kind === 'silence' || kind === 'confirm' || kind === 'menu' || kind === 'command';
}
