import type { ClientRow, EventRow, FeedRows, FeedStats, SilencedRow } from '../../shared/schemas/feed.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { AuditRecord } from '../../shared/schemas/audit.ts';
import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';
import { initialState, type ConsoleState, type EventLoad, type Message, type ScreenSize } from './console-state.ts';
import { AggregateBook, DEFAULT_NEEDS, TREND_STEP_MS, type AggregateNeeds } from './aggregate-book.ts';
import type { Contexts } from './contexts.ts';
import type { Effect } from './effects.ts';
import type { EventRecord } from './event-record.ts';
import { Bell } from './bell.ts';
import { EventRegistry } from './event-registry.ts';
import {
  heardFrame,
  heardStats,
  INITIAL_FEED_STATUS,
  nextConnection,
  type ConnectionState,
  type FeedStatus,
} from './feed-status.ts';
import { mergedStatus } from './merged-feed.ts';
import { HeldRows } from './held-rows.ts';
import { restoreKept, type Kept } from './kept.ts';
import { settleInspect } from './inspect-body.ts';
import { isSameSubject, type InspectLayer, type Subject, type SubjectData, type SubjectKind } from './inspect-layer.ts';
import { isLayerDue, isLoadedLayer, type LayerData, type LoadedLayer, type LoadedLayerKind } from './loaded-layer.ts';
import { CURSOR_AT_TOP, settleCursor, type ListOrder } from './list-cursor.ts';
import type { ListState, SortState } from './list-state.ts';
import { MessageLog } from './message-log.ts';
import { PanePeek } from './pane-peek.ts';
import { eventsLayout, listRows } from './screen-layout.ts';
import type { LastSilence } from './silence-actions.ts';
import { silenceScopeEntries, targetOf, type SilenceForm, type Target } from './silence-form.ts';
import { SilenceHistory } from './silence-history.ts';
import { MatchMemory, type SilenceMatches } from './silence-matches.ts';
import { PreviewMemory, previewSilence, type SilencePreview } from './silence-preview.ts';
import { TableRows } from './table-rows.ts';
import { OwnChanges } from './undo.ts';
import { openDueView } from './view-keys.ts';
import { loadedNow, ViewLoads } from './view-loads.ts';
import { EVENT_COLUMN, eventSort } from './views/event-sort.ts';
import { UpgradePlans } from './upgrade-plans.ts';
import { settleUpgrade } from './views/upgrade-plan.ts';
import { FiguresMemory } from './views/overview-figures.ts';
import { TABLES, tableOf } from './views/tables.ts';
import type { LoadedView, ViewData, ViewLoad } from './views/view-data.ts';
import type { ViewName } from './views/view-names.ts';

/** What there is to draw: nothing but time, figures in the header, or rows in the window. */
export type Urgency = 'none' | 'figures' | 'rows';

const URGENCY: readonly Urgency[] = ['none', 'figures', 'rows'];

/** How long a cursor key keeps the rows where they are. */
export const ORDER_PAUSE_MS = 400;

/** Messages of outcomes stay this long. */
const MESSAGE_MS = 10_000;

/** How often what is known of one thing is asked for again while it is shown: what names many clients, less often. */
const SUBJECT_RELOAD_MS: Readonly<Record<SubjectKind, number>> = {
  client: 2000,
  result: 2000,
  check: 5000,
  aggregate: 5000,
};

/** A filter on time is evaluated again this often. */
const REFILTER_MS = 5000;

/** How often the silences are put in their order again while they are looked at. */
const SILENCES_AGE_MS = 5000;

/** What is said when the backend has no such thing, or not any more. */
const MISSING: Readonly<Record<LoadedLayerKind, string>> = {
  'dead-letter': 'this dead letter is gone: it was retried or dropped',
  handling: 'the backend has neither an event nor a result of this check on this client',
  'silence-entry': 'the backend has no such silence',
};

/** What is known of any layer that is loaded. */
type AnyLoad = ViewLoad<LayerData[LoadedLayerKind]>;

const NO_IDS: readonly string[] = [];

const UNSET_POLICY: SilencePolicy = {
  reason: 'required',
  reason_pattern: null,
  max_expire: null,
  warn_matches: 50,
  apply_to_legacy: false,
};

export interface ConsoleOptions {
  readonly size: ScreenSize;
  readonly backend: string;
  /** Who silences, for the entry's `creator`. */
  readonly creator: string;
  /** Names this console among those that work on plans for upgrades. */
  readonly session: string;
  readonly readOnly: boolean;
  /** Default: 80 percent. */
  readonly aggregateNeeds?: AggregateNeeds;
  /** The backends to choose from; default: none. */
  readonly contexts?: Contexts;
  /** The contexts of a merged list; default: one backend. */
  readonly members?: readonly string[];
  /** What a person has set up, or had set in this context before. */
  readonly kept?: Kept;
  /** Of this backend, when it was shown before. */
  readonly ownChanges?: OwnChanges;
  /** What was said so far, also about other backends. */
  readonly log?: MessageLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What the detail of an event tells beside the event. */
type AboutEvent = Pick<Extract<EventLoad, { kind: 'loaded' }>, 'nextRun' | 'handling'>;

/** What every list can do with its order. */
export interface ListRows {
  /** All rows there are, whatever the filter says. */
  readonly size: number;
  readonly order: ListOrder;
  readonly frozen: boolean;
  /** Pauses the order as it is now. */
  freeze(): void;
  thaw(): void;
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
  /** Of a merged list, each backend by its context; `undefined`: there is one. */
  readonly backends: Map<string, FeedStatus> | undefined;
  readonly loads = new ViewLoads();
  /** What the overview counts over everything. */
  readonly figures = new FiguresMemory();
  /** What was said to the person at this console. */
  readonly log: MessageLog;
  readonly aggregates: AggregateBook;
  readonly silenceHistory = new SilenceHistory();
  readonly ownChanges: OwnChanges;
  readonly plans = new UpgradePlans();
  /** What a silence must keep to; until the backend has said it, what it says by default. */
  silencePolicy: SilencePolicy = UNSET_POLICY;
  /** What the last silence made here was set to. */
  lastSilence: LastSilence | undefined;
  readonly #tables: ReadonlyMap<string, TableRows> = new Map(
    Object.values(TABLES).map((table) => [table.name, new TableRows(table)]),
  );
  state: ConsoleState;
  feed: FeedStatus = INITIAL_FEED_STATUS;
  /** Of the frame that is being drawn: all ages in it count from here. */
  nowMs: number;
  urgency: Urgency = 'rows';
  #version = 0;
  readonly #listeners = new Set<() => void>();
  readonly #held = new HeldRows();
  #effects: Effect[] = [];
  /** What is on the screen; the last event is known only while the list of events fills it. */
  #window: { readonly keys: ReadonlySet<string>; readonly lastEvent: EventRecord | undefined } = {
    keys: new Set(),
    lastEvent: undefined,
  };
  readonly #peek = new PanePeek();
  readonly #bell = new Bell();
  /** Whether the last frame showed a complete list. */
  #wasLive = false;
  readonly #preview = new PreviewMemory();
  readonly #matches = new MatchMemory();
  /** Whether the silences that ended before this console looked were asked for since the last snapshot. */
  #isHistoryAsked = false;
  #silencesAgedAtMs = 0;
  #refilteredAtMs = 0;

  constructor(options: ConsoleOptions) {
    this.options = options;
    this.backends = options.members && new Map(options.members.map((name) => [name, INITIAL_FEED_STATUS]));
    this.ownChanges = options.ownChanges ?? new OwnChanges();
    this.log = options.log ?? new MessageLog();
    this.aggregates = new AggregateBook(options.aggregateNeeds ?? DEFAULT_NEEDS);
    this.state = initialState(options.size, options.readOnly);
    this.nowMs = options.now();
    if (options.kept !== undefined) restoreKept(this, options.kept);
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

  /** What is set in the view that is shown. */
  get list(): ListState {
    return this.state.views[this.state.view];
  }

  updateList(change: Partial<ListState>): void {
    const { view, views } = this.state;
    this.update({ views: { ...views, [view]: { ...views[view], ...change } } });
  }

  /** The rows of the view that is shown. A page has none of its own; nothing of it asks. */
  get rows(): ListRows {
    return this.table ?? this.events;
  }

  /** The rows of the view that is shown, when it is a table. */
  get table(): TableRows | undefined {
    return this.#tables.get(this.state.view);
  }

  get sort(): SortState {
    return this.list.sort ?? { column: tableOf(this.state.view)?.sort ?? EVENT_COLUMN, reversed: false };
  }

  sortBy(sort: SortState): void {
    this.updateList({ sort });
    if (this.table === undefined) this.events.setSort(eventSort(sort));
    else this.table.setSort(sort);
  }

  /** Brings the rows up to date with everything that arrived. Keys may come faster than frames. */
  settleRows(): void {
    if (this.table === undefined) this.events.finishFilter(this.options.now());
    else this.table.settle(this);
  }

  /** The same, with the cursor and the marks. */
  settleList(): void {
    this.settleRows();
    this.#settle();
  }

  /** A row of a table may be another, new or gone. */
  changed(view: ViewName, key: string): void {
    this.#tables.get(view)?.changed(key);
    if (view === this.state.view) this.touch(this.#window.keys.has(key) ? 'rows' : 'figures');
  }

  allChanged(view: ViewName): void {
    this.#tables.get(view)?.allChanged();
    if (view === this.state.view) this.touch('rows');
  }

  say(text: string, tone: Message['tone'] = 'note'): void {
    const message: Message = { text, tone, atMs: this.options.now() };
    this.log.add(message);
    this.update({ message });
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
    if (connection.kind === 'live' && this.state.paused === undefined) this.#endSnapshot(nowMs);
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

  /** One of the backends of a merged list is heard, or not any more. */
  backendChanged(context: string, status: FeedStatus): void {
    const { backends } = this;
    if (backends === undefined) return;
    const isOther = backends.get(context)?.connection.kind !== status.connection.kind;
    backends.set(context, status);
    this.feed = mergedStatus([...backends.values()]);
    this.touch(isOther ? 'rows' : 'figures');
  }

  /**
   * Rows of the feed; `replace`: they open a snapshot of everything. `isNews`: whether they tell of what happens now,
   * outside of a snapshot; default true.
   */
  rowsArrived(
    rows: FeedRows,
    about: { readonly replace: boolean; readonly timeMs: number | undefined; readonly isNews?: boolean },
  ): void {
    const nowMs = this.options.now();
    this.feed = heardFrame(this.feed, about.timeMs, nowMs);
    if (rows.upgrades !== undefined || about.replace) this.#applyPlans(rows.upgrades ?? {}, about.replace);
    const { paused } = this.state;
    if (paused === undefined) {
      this.#applyRows(rows, about.replace, nowMs, about.isNews);
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
    if (this.feed.connection.kind === 'live') this.#endSnapshot(nowMs);
  }

  /** The answer to `load-event`; `undefined`: there is no such event. */
  eventLoaded(target: Target, into: 'detail' | 'pane', event: Event | undefined, about: AboutEvent): void {
    const row = this.events.get(target.key)?.row;
    const load: EventLoad =
      event === undefined ? { kind: 'missing' } : { kind: 'loaded', event, row, ...about, reloading: false };
    this.#showLoad(target, into, load);
  }

  eventFailed(target: Target, into: 'detail' | 'pane', message: string): void {
    this.#showLoad(target, into, { kind: 'failed', message });
  }

  /** The answer to `load-view`. */
  viewLoaded<View extends LoadedView>(view: View, data: ViewData[View]): void {
    this.loads.loaded(view, data, this.options.now());
    if (view === 'aggregates') {
      this.aggregates.load(this.loads.of('aggregates').data ?? [], this.options.now());
    }
    this.#tables.get(view)?.allChanged();
    this.touch('rows');
  }

  viewFailed(view: LoadedView, message: string): void {
    this.loads.failed(view, message);
    this.touch('rows');
  }

  /** The answer to `load-subject`; `undefined`: the backend knows nothing of that name. */
  subjectLoaded(subject: Subject, data: SubjectData | undefined): void {
    if (data === undefined) return this.subjectFailed(subject, `the backend has no ${subject.kind} of this name`);
    const loadedAtMs = this.options.now();
    this.#updateSubject(subject, (load) => ({ ...load, data, loadedAtMs, failure: undefined, isLoading: false }));
  }

  subjectFailed(subject: Subject, failure: string): void {
    this.#updateSubject(subject, (load) => ({ ...load, failure, isLoading: false }));
  }

  /** The answer to `load-layer`; `undefined`: the backend has no such thing. */
  layerLoaded<Kind extends LoadedLayerKind>(kind: Kind, id: string, data: LayerData[Kind] | undefined): void {
    if (data === undefined) return this.layerFailed(kind, id, MISSING[kind]);
    const loadedAtMs = this.options.now();
    this.#updateLoaded(kind, id, (load) => ({ ...load, data, loadedAtMs, failure: undefined, isLoading: false }));
  }

  /** What was loaded before stays. */
  layerFailed(kind: LoadedLayerKind, id: string, failure: string): void {
    this.#updateLoaded(kind, id, (load) => ({ ...load, failure, isLoading: false }));
  }

  silencePolicyLoaded(policy: SilencePolicy): void {
    this.silencePolicy = policy;
    this.touch('rows');
  }

  /** Records of the audit trail, the newest first. */
  endedSilencesLoaded(records: readonly AuditRecord[]): void {
    this.silenceHistory.load(records);
    this.allChanged('silences');
  }

  resized(size: ScreenSize): void {
    this.update({ size });
  }

  /** Key of what is drawn in a row of the list, counted from 0, whatever has moved since. */
  keyAtRow(row: number): string | undefined {
    return [...this.#window.keys][row];
  }

  /** The event that is drawn under the cursor of their list. */
  underCursor(): Target | undefined {
    const { key } = this.state.views.events.cursor;
    return key === undefined ? undefined : targetOf(key);
  }

  /** What the silence dialog would cover now. */
  silencePreview(form: SilenceForm): SilencePreview {
    const entries = silenceScopeEntries(form);
    const subscriptionsOf = (client: string): readonly string[] => this.clients.get(client)?.subscriptions ?? [];
    return this.#preview.of(entries, this.nowMs, () =>
      previewSilence(
        entries,
        this.events.records(),
        subscriptionsOf,
        this.nowMs,
        new Set(form.targets.map(({ key }) => key)),
      ),
    );
  }

  /** The events that a silence covers, or would if it were in effect. */
  silenceMatches(entry: SilencedRow): SilenceMatches {
    return this.#matches.of(this, entry);
  }

  /** Draws a frame: everything that arrived is put in its place, then the listeners hear of it once. */
  paint(): void {
    const nowMs = this.options.now();
    this.nowMs = nowMs;
    openDueView(this, nowMs);
    this.#evaluateFilter(nowMs);
    this.#ageSilences(nowMs);
    this.table?.settle(this);
    this.#pauseOrder(nowMs);
    this.#settle();
    this.#peekUnderCursor(nowMs);
    this.#loadView(nowMs);
    this.#loadTrend(nowMs);
    this.#loadSubject(nowMs);
    this.#loadLayer(nowMs);
    settleInspect(this);
    settleUpgrade(this);
    this.plans.ask(this, nowMs);
    const { message } = this.state;
    if (message !== undefined && nowMs - message.atMs > MESSAGE_MS) this.state = { ...this.state, message: undefined };
    // The rows move when a pause of the order ends, and a view opens when its digit has waited, whatever else happens.
    const { orderPausedUntilMs, digitAtMs } = this.state;
    const isMoving = this.events.filtering || nowMs < orderPausedUntilMs || digitAtMs !== undefined;
    this.urgency = isMoving ? 'rows' : 'none';
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  #applyPlans(rows: FeedRows['upgrades'] & {}, replace: boolean): void {
    // Plans are of one backend.
    if (this.backends !== undefined) return;
    this.plans.rowsArrived(rows, replace);
    this.touch('rows');
  }

  #applyRows(rows: FeedRows, replace: boolean, nowMs: number, isNews = true): void {
    if (replace) {
      this.events.beginSnapshot();
      this.silenced.clear();
      this.#isHistoryAsked = false;
      this.clients.clear();
      this.allChanged('silences');
      this.allChanged('clients');
      this.allChanged('checks');
    }
    for (const [key, row] of Object.entries(rows.events ?? {})) this.#applyEvent(key, row, nowMs, isNews);
    for (const [id, row] of Object.entries(rows.silenced ?? {})) {
      const known = this.silenced.get(id);
      if (row === null && known !== undefined) this.silenceHistory.ended(known, nowMs);
      setOrDelete(this.silenced, id, row);
      this.changed('silences', id);
    }
    for (const [name, row] of Object.entries(rows.clients ?? {})) {
      setOrDelete(this.clients, name, row);
      this.changed('clients', name);
    }
    if (rows.silenced !== undefined) this.touch('rows');
  }

  #applyEvent(key: string, row: EventRow | null, nowMs: number, isNews: boolean): void {
    const known = this.events.get(key)?.row;
    if (row !== null && isNews) this.#bell.heard(this, known, row, nowMs);
    const before = known?.silenced_by ?? NO_IDS;
    this.events.apply(key, row, nowMs, isNews);
    const after = row?.silenced_by ?? NO_IDS;
    // A silence's row counts its events. Most changes are one more result, with the same silences.
    if (before.length > 0 || after.length > 0) for (const id of [...before, ...after]) this.changed('silences', id);
    // The rows of clients and checks count their events.
    const { client, check } = targetOf(key);
    this.changed('clients', client);
    this.changed('checks', check);
    this.touch(this.state.view === 'events' && this.#isInView(key) ? 'rows' : 'figures');
  }

  #isInView(key: string): boolean {
    const { keys, lastEvent } = this.#window;
    if (keys.has(key)) return true;
    const record = this.events.get(key);
    return record !== undefined && (lastEvent === undefined || this.events.isUpTo(record, lastEvent));
  }

  #endSnapshot(nowMs: number): void {
    this.events.endSnapshot(nowMs);
    this.allChanged('clients');
    this.allChanged('checks');
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
    if (wanted && !this.rows.frozen) this.rows.freeze();
    if (!wanted && this.rows.frozen) this.rows.thaw();
    if (this.events.frozen) this.events.settle();
  }

  #settle(): void {
    const isEvents = this.state.view === 'events';
    if (!isEvents && this.table === undefined) return;
    const { order } = this.rows;
    const rows = listRows(this.state);
    const { list } = this;
    // Until the first snapshot is complete the cursor has nothing to follow: it stays at the top.
    const settled = settleCursor(this.#wasLive ? list.cursor : CURSOR_AT_TOP, order, rows);
    // What is asked about it is what was under the cursor before, also when that is gone: never what took its place.
    const cursor = this.#wasLive && this.state.layers.some(isDialog) ? { ...settled, key: list.cursor.key } : settled;
    this.#wasLive = this.feed.everLive;
    const window = order.slice(cursor.top, cursor.top + rows);
    const last = window.length < rows ? undefined : window.at(-1);
    this.#window = {
      keys: new Set(window.map(({ key }) => key)),
      lastEvent: isEvents && last !== undefined ? this.events.get(last.key) : undefined,
    };
    const { view, views } = this.state;
    this.state = { ...this.state, views: { ...views, [view]: { ...list, cursor, marks: this.#livingMarks() } } };
  }

  /** Marks of rows that are gone go, too, unless they are still shown because the order is paused. */
  #livingMarks(): ReadonlySet<string> {
    const { marks } = this.list;
    if (this.rows.frozen || marks.size === 0) return marks;
    const known = this.table ?? this.events;
    const living = [...marks].filter((key) => known.get(key) !== undefined);
    return living.length === marks.size ? marks : new Set(living);
  }

  /** A view that is looked at is kept up to date; nothing is asked for that nobody sees. */
  #loadView(nowMs: number): void {
    this.#loadEndedSilences();
    const view = loadedNow(this.state);
    if (view === undefined || this.state.paused !== undefined) return;
    if (this.feed.connection.kind !== 'live' || !this.loads.isDue(view, nowMs)) return;
    this.loads.asked(view, nowMs);
    this.request({ kind: 'load-view', view });
  }

  /** What the aggregates were like is only known to who has looked all the time. */
  #loadTrend(nowMs: number): void {
    // Aggregates are of one backend.
    if (this.backends !== undefined) return;
    const { isLoading, askedAtMs } = this.loads.of('aggregates');
    if (isLoading || nowMs - askedAtMs < TREND_STEP_MS || this.state.paused !== undefined) return;
    if (this.feed.connection.kind !== 'live') return;
    this.loads.asked('aggregates', nowMs);
    this.request({ kind: 'load-view', view: 'aggregates' });
  }

  /** What fills the screen is kept up to date; behind a dialog it stays as it is. */
  #loadSubject(nowMs: number): void {
    const layer = this.state.layers.at(-1);
    if (layer?.kind !== 'inspect' || this.state.paused !== undefined || this.feed.connection.kind !== 'live') return;
    const { isLoading, askedAtMs } = layer.load;
    if (isLoading || nowMs - askedAtMs < SUBJECT_RELOAD_MS[layer.subject.kind]) return;
    this.#updateSubject(layer.subject, (load) => ({ ...load, isLoading: true, askedAtMs: nowMs }));
    this.request({ kind: 'load-subject', subject: layer.subject });
  }

  #updateSubject(subject: Subject, next: (load: InspectLayer['load']) => InspectLayer['load']): void {
    const layers = this.state.layers.map((layer) =>
      layer.kind === 'inspect' && isSameSubject(layer.subject, subject) ? { ...layer, load: next(layer.load) } : layer,
    );
    this.update({ layers });
  }

  #loadLayer(nowMs: number): void {
    const layer = this.state.layers.at(-1);
    if (!isLoadedLayer(layer) || this.state.paused !== undefined || this.feed.connection.kind !== 'live') return;
    if (!isLayerDue(this, layer, nowMs)) return;
    this.#updateLoaded(layer.kind, layer.id, (load) => ({ ...load, isLoading: true, askedAtMs: nowMs }));
    this.request({ kind: 'load-layer', layer: layer.kind, id: layer.id });
  }

  #updateLoaded(kind: LoadedLayerKind, id: string, next: (load: AnyLoad) => AnyLoad): void {
    const layers = this.state.layers.map((layer) =>
      // What is loaded for a kind only comes back to layers of that kind.
      layer.kind === kind && layer.id === id ? ({ ...layer, load: next(layer.load) } as LoadedLayer) : layer,
    );
    this.update({ layers });
  }

  #loadEndedSilences(): void {
    if (this.#isHistoryAsked || this.state.view !== 'silences' || this.feed.connection.kind !== 'live') return;
    this.#isHistoryAsked = true;
    this.request({ kind: 'load-ended-silences' });
  }

  /** Silences begin, come near their end and leave the table by the clock alone. */
  #ageSilences(nowMs: number): void {
    if (this.state.view !== 'silences' || nowMs - this.#silencesAgedAtMs < SILENCES_AGE_MS) return;
    this.#silencesAgedAtMs = nowMs;
    this.allChanged('silences');
  }

  #peekUnderCursor(nowMs: number): void {
    const target = this.state.view === 'events' ? this.underCursor() : undefined;
    if (target === undefined || eventsLayout(this.state).pane === 0 || this.feed.connection.kind !== 'live') return;
    const { peek } = this.state;
    if (!this.#peek.isDue(target.key, peek, this.events.get(target.key)?.row, nowMs)) return;
    if (peek?.target.key !== target.key) this.state = { ...this.state, peek: { target, load: { kind: 'loading' } } };
    this.request({ kind: 'load-event', target, into: 'pane' });
  }
}

/** Whether the layer asks for a decision about what is listed behind it. */
function isDialog(layer: { readonly kind: string }): boolean {
  return layer.kind === 'silence' || layer.kind === 'confirm' || layer.kind === 'menu' || layer.kind === 'command';
}

function setOrDelete<T>(map: Map<string, T>, key: string, value: T | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}
