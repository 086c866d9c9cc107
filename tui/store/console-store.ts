import {
  eventKey,
  type ClientRow,
  type EventRow,
  type FeedRows,
  type FeedStats,
  type SilencedRow,
} from '../../shared/schemas/feed.ts';
import type { Event } from '../../shared/schemas/event.ts';
import { initialState, type ConsoleState, type EventLoad, type Message, type ScreenSize } from './console-state.ts';
import type { Effect } from './effects.ts';
import { compareRecords, type EventRecord } from './event-record.ts';
import { EventRegistry } from './event-registry.ts';
import {
  heardFrame,
  heardStats,
  INITIAL_FEED_STATUS,
  nextConnection,
  type ConnectionState,
  type FeedStatus,
} from './feed-status.ts';
import { HeldRows } from './held-rows.ts';
import { CURSOR_AT_TOP, settleCursor } from './list-cursor.ts';
import { PanePeek } from './pane-peek.ts';
import { eventsLayout } from './screen-layout.ts';
import { silenceScopeEntries, type SilenceForm, type Target } from './silence-form.ts';
import { PreviewMemory, previewSilence, type SilencePreview } from './silence-preview.ts';

/** What there is to draw: nothing but time, figures in the header, or rows in the window. */
export type Urgency = 'none' | 'figures' | 'rows';

const URGENCY: readonly Urgency[] = ['none', 'figures', 'rows'];

/** How long a cursor key keeps the rows where they are. */
export const ORDER_PAUSE_MS = 400;

/** Messages of outcomes stay this long. */
const MESSAGE_MS = 10_000;

/** A filter on time is evaluated again this often. */
const REFILTER_MS = 5000;

export interface ConsoleOptions {
  readonly size: ScreenSize;
  readonly backend: string;
  /** Who silences, for the entry's `creator`. */
  readonly creator: string;
  readonly readOnly: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Everything that the console knows, outside React: data of the backend that changes thousands of times a second, and
 * the state of the screen. Only `paint` tells the listeners, once per frame.
 */
export class ConsoleStore {
  readonly options: ConsoleOptions;
  readonly events = new EventRegistry();
  readonly silenced = new Map<string, SilencedRow>();
  readonly clients = new Map<string, ClientRow>();
  state: ConsoleState;
  feed: FeedStatus = INITIAL_FEED_STATUS;
  /** Of the frame that is being drawn: all ages in it count from here. */
  nowMs: number;
  urgency: Urgency = 'rows';
  #version = 0;
  readonly #listeners = new Set<() => void>();
  readonly #held = new HeldRows();
  #effects: Effect[] = [];
  #window: { readonly keys: ReadonlySet<string>; readonly last: EventRecord | undefined } = {
    keys: new Set(),
    last: undefined,
  };
  readonly #peek = new PanePeek();
  /** Whether the last frame showed a complete list. */
  #wasLive = false;
  readonly #preview = new PreviewMemory();
  #refilteredAtMs = 0;

  constructor(options: ConsoleOptions) {
    this.options = options;
    this.state = initialState(options.size, options.readOnly);
    this.nowMs = options.now();
  }

  // For useSyncExternalStore: both are passed as functions.
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;

  update(change: Partial<ConsoleState>): void {
    this.state = { ...this.state, ...change };
    this.touch('rows');
  }

  say(text: string, tone: Message['tone'] = 'note'): void {
    this.update({ message: { text, tone, atMs: this.options.now() } });
  }

  touch(urgency: Urgency): void {
    if (URGENCY.indexOf(urgency) > URGENCY.indexOf(this.urgency)) this.urgency = urgency;
  }

  request(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** What is to be done outside, each once. */
  takeEffects(): readonly Effect[] {
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  connectionChanged(connection: ConnectionState): void {
    const nowMs = this.options.now();
    this.feed = nextConnection(this.feed, connection, nowMs);
    if (connection.kind === 'live' && this.state.paused === undefined) this.events.endSnapshot(nowMs);
    this.touch('rows');
  }

  greeted(hello: { readonly name: string; readonly version: string; readonly time: number }): void {
    this.feed = {
      ...heardFrame(this.feed, hello.time, this.options.now()),
      backendName: hello.name,
      backendVersion: hello.version,
    };
    this.touch('figures');
  }

  statsArrived(stats: FeedStats, timeMs: number): void {
    this.feed = heardStats(this.feed, stats, timeMs, this.options.now());
    this.touch('figures');
  }

  /** Rows of the feed; `replace`: they open a snapshot of everything. */
  rowsArrived(rows: FeedRows, about: { readonly replace: boolean; readonly timeMs: number | undefined }): void {
    const nowMs = this.options.now();
    this.feed = heardFrame(this.feed, about.timeMs, nowMs);
    const { paused } = this.state;
    if (paused === undefined) {
      this.#applyRows(rows, about.replace, nowMs);
      return;
    }
    const count = this.#held.hold(rows, about.replace);
    this.state = { ...this.state, paused: { ...paused, unseen: paused.unseen + count } };
    this.touch('figures');
  }

  pause(): void {
    this.update({ paused: { sinceMs: this.options.now(), unseen: 0 } });
  }

  resume(): void {
    const nowMs = this.options.now();
    this.update({ paused: undefined });
    const held = this.#held.take();
    this.#applyRows(held.rows, held.replace, nowMs);
    if (this.feed.connection.kind === 'live') this.events.endSnapshot(nowMs);
  }

  /** The answer to `load-event`; `undefined`: there is no such event. */
  eventLoaded(target: Target, into: 'detail' | 'pane', event: Event | undefined, nextRun?: number): void {
    const row = this.events.get(target.key)?.row;
    const load: EventLoad =
      event === undefined ? { kind: 'missing' } : { kind: 'loaded', event, row, nextRun, reloading: false };
    this.#showLoad(target, into, load);
  }

  eventFailed(target: Target, into: 'detail' | 'pane', message: string): void {
    this.#showLoad(target, into, { kind: 'failed', message });
  }

  resized(size: ScreenSize): void {
    this.update({ size });
  }

  /** The row of the list that is drawn under the cursor. */
  underCursor(): Target | undefined {
    const { key } = this.state.cursor;
    return key === undefined ? undefined : targetOf(key);
  }

  /** What the silence dialog would cover now. */
  silencePreview(form: SilenceForm): SilencePreview {
    const entries = silenceScopeEntries(form);
    const subscriptionsOf = (client: string): readonly string[] => this.clients.get(client)?.subscriptions ?? [];
    return this.#preview.of(entries, this.nowMs, () =>
      previewSilence(entries, this.events.records(), subscriptionsOf, this.nowMs),
    );
  }

  /** Draws a frame: everything that arrived is put in its place, then the listeners hear of it once. */
  paint(): void {
    const nowMs = this.options.now();
    this.nowMs = nowMs;
    this.#evaluateFilter(nowMs);
    this.#pauseOrder(nowMs);
    this.#settle();
    this.#peekUnderCursor(nowMs);
    const { message } = this.state;
    if (message !== undefined && nowMs - message.atMs > MESSAGE_MS) this.state = { ...this.state, message: undefined };
    // The rows move when a pause of the order ends, whether or not anything else happens then.
    this.urgency = this.events.filtering || nowMs < this.state.orderPausedUntilMs ? 'rows' : 'none';
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  #applyRows(rows: FeedRows, replace: boolean, nowMs: number): void {
    if (replace) {
      this.events.beginSnapshot();
      this.silenced.clear();
      this.clients.clear();
    }
    for (const [key, row] of Object.entries(rows.events ?? {})) this.#applyEvent(key, row, nowMs);
    for (const [id, row] of Object.entries(rows.silenced ?? {})) setOrDelete(this.silenced, id, row);
    for (const [name, row] of Object.entries(rows.clients ?? {})) setOrDelete(this.clients, name, row);
    if (rows.silenced !== undefined) this.touch('rows');
  }

  #applyEvent(key: string, row: EventRow | null, nowMs: number): void {
    this.events.apply(key, row, nowMs);
    const { keys, last } = this.#window;
    const record = this.events.get(key);
    const comesIntoView = record !== undefined && (last === undefined || compareRecords(record, last) <= 0);
    this.touch(keys.has(key) || comesIntoView ? 'rows' : 'figures');
  }

  #showLoad(target: Target, into: 'detail' | 'pane', load: EventLoad): void {
    if (into === 'pane') {
      if (this.state.peek?.target.key === target.key) this.update({ peek: { target, load } });
      return;
    }
    this.update({
      layers: this.state.layers.map((layer) =>
        layer.kind === 'detail' && layer.target.key === target.key ? { ...layer, load } : layer,
      ),
    });
  }

  #evaluateFilter(nowMs: number): void {
    if (this.events.usesTime && nowMs - this.#refilteredAtMs >= REFILTER_MS) {
      this.#refilteredAtMs = nowMs;
      this.events.refilter();
    }
    this.events.work(nowMs);
  }

  #pauseOrder(nowMs: number): void {
    const { layers, prompt, orderPausedUntilMs } = this.state;
    const wanted = prompt !== undefined || layers.some(isDialog) || nowMs < orderPausedUntilMs;
    if (wanted && !this.events.frozen) this.events.freeze();
    if (!wanted && this.events.frozen) this.events.thaw();
  }

  #settle(): void {
    const { order } = this.events;
    const { list } = eventsLayout(this.state);
    // Until the first snapshot is complete the cursor has no event to follow: it stays at the top.
    const cursor = settleCursor(this.#wasLive ? this.state.cursor : CURSOR_AT_TOP, order, list);
    this.#wasLive = this.feed.everLive;
    const window = order.slice(cursor.top, cursor.top + list);
    this.#window = {
      keys: new Set(window.map((record) => record.key)),
      last: window.length < list ? undefined : window.at(-1),
    };
    this.state = { ...this.state, cursor, marks: this.#livingMarks() };
  }

  /** Marks of events that are over go, unless they are still shown because the order is paused. */
  #livingMarks(): ReadonlySet<string> {
    const { marks } = this.state;
    if (this.events.frozen || marks.size === 0) return marks;
    const living = [...marks].filter((key) => this.events.get(key) !== undefined);
    return living.length === marks.size ? marks : new Set(living);
  }

  #peekUnderCursor(nowMs: number): void {
    const target = this.underCursor();
    if (target === undefined || eventsLayout(this.state).pane === 0 || this.feed.connection.kind !== 'live') return;
    const { peek } = this.state;
    if (!this.#peek.isDue(target.key, peek, this.events.get(target.key)?.row, nowMs)) return;
    if (peek?.target.key !== target.key) this.state = { ...this.state, peek: { target, load: { kind: 'loading' } } };
    this.request({ kind: 'load-event', target, into: 'pane' });
  }
}

/** Whether the layer asks for a decision about what is listed behind it. */
function isDialog(layer: { readonly kind: string }): boolean {
  return layer.kind === 'silence' || layer.kind === 'confirm';
}

/** Names cannot hold a slash, so a key is read back without a doubt. */
export function targetOf(key: string): Target {
  const slash = key.indexOf('/');
  const client = key.slice(0, slash);
  const check = key.slice(slash + 1);
  return { key: eventKey(client, check), client, check };
}

function setOrDelete<T>(map: Map<string, T>, key: string, value: T | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}
