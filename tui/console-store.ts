import type { FeedState } from '../shared/client/feed-client.ts';
import { eventKey } from '../shared/domain/event-key.ts';
import type { ClientRow, EventRow, FeedBriefs, FeedRows, FeedStats, SilencedRow } from '../shared/schemas/feed.ts';
import type { SilencePolicy } from '../shared/schemas/silence-policy.ts';
import { initialState, type ConsoleState, type PastMoment, type ScreenSize } from './state/console-state.ts';
import { BackendResponses, type ResponseState } from './state/answers.ts';
import { applyRows, applySnapshotEvents } from './state/apply-rows.ts';
import { ConsoleAggregates, DEFAULT_AGGREGATE_THRESHOLDS } from './model/aggregate-book.ts';
import type { Effect } from './state/effects.ts';
import { Bell } from './state/bell.ts';
import { EventFolds } from './model/event-folds.ts';
import { EventRegistry } from './model/event-registry.ts';
import {
  updateFromFrame,
  updateFromHello,
  updateFromStats,
  INITIAL_FEED_STATUS,
  updateConnection,
  type FeedStatus,
  type Hello,
  RATES_MAX,
} from './model/feed-status.ts';
import { mergedStatus } from './model/merged-feed.ts';
import { BufferedRows } from './model/buffered-rows.ts';
import { settleInspect } from './screens/inspect/body.ts';
import { INITIAL_LIST, type ListState } from './state/list-state.ts';
import { ListWindow } from './list/list-window.ts';
import { MessageLog, type ConsoleMessage } from './model/message-log.ts';
import { Upkeep } from './state/upkeep.ts';
import { silenceScopeEntries } from './screens/silences/form.ts';
import { SilenceHistory } from './model/silence-history.ts';
import { SnapshotRows } from './model/snapshot-rows.ts';
import { SavedViewCounts } from './screens/saved-counts.ts';
import { SilenceRecent } from './screens/silences/recent-problems.ts';
import { MatchCache, type SilenceMatches } from './model/silence-matches.ts';
import { PreviewCache, previewFromCounts, previewSilence, type SilencePreview } from './model/silence-preview.ts';
import { TableRows } from './list/table-rows.ts';
import { RequestedRuns } from './state/requested-runs.ts';
import { OwnChanges } from './state/undo.ts';
import { ViewLoads } from './model/view-loads.ts';
import { EVERY_NAMESPACE } from '../shared/schemas/namespace.ts';
import { BACKEND_COLUMN, NAMESPACE_COLUMN, type WhereColumn } from './model/where-column.ts';
import { UpgradePlans } from './model/plans.ts';
import { settleUpgrade } from './screens/plans/plan.ts';
import { FiguresCache } from './model/overview-figures.ts';
import { TABLES_BY_VIEW, tableOf } from './screens/tables.ts';
import { orderOf, type AnyTable } from './list/list-table.ts';
import { eventKeysOf } from './list/selected-rows.ts';
import { defaultSort } from './screens/view-columns.ts';
import type { LoadedView } from './model/view-data.ts';
import { VIEWS, type ViewName } from './state/view-names.ts';
import type { FoldCriterion } from './model/fold-by.ts';
import type { SortState } from './model/list-order.ts';
import type { ConsoleOptions } from './state/console-options.ts';
import type { ListOfView } from './list/list-of-view.ts';
import type { ListRows } from './model/list-rows.ts';
import type { LiveData } from './model/live-data.ts';
import type { ActionPorts } from './keys/action-ports.ts';
import type { ChangedRowsRecorder, Frames, Screen, Urgency } from './state/ports.ts';
import { SILENCE_WARN_MATCHES } from '../shared/schemas/fixed-limits.ts';
import { applyFilter } from './list/search-prompt.ts';
import type { ScreenSettings } from './state/screen-settings.ts';
import type { SilenceForm, LastSilence } from './state/layers/silence.ts';

const URGENCIES: readonly Urgency[] = ['none', 'figures', 'rows'];

/** Time for which a message stays on the screen, in milliseconds. */
const MESSAGE_MS = 10_000;

/** Interval at which a filter that depends on the current time is evaluated again, in milliseconds. */
const REFILTER_MS = 5000;

const UNSET_POLICY: SilencePolicy = {
  reason: 'required',
  reason_pattern: null,
  max_expire: null,
  warn_matches: SILENCE_WARN_MATCHES,
  apply_to_v1: false,
};

/**
 * The state of the console: data of the backend and the state of the screen. It is kept outside React, because the data
 * can change thousands of times a second. The interfaces that the class implements describe its members. Keys and feed
 * rows change the state, `tick` prepares it for a frame, and `paint` notifies the listeners once per frame.
 */
export class ConsoleStore implements ActionPorts, Frames, ChangedRowsRecorder, ResponseState {
  readonly options: ConsoleOptions;
  readonly events = new EventRegistry();
  readonly silenced = new SnapshotRows<SilencedRow>();
  readonly clients = new SnapshotRows<ClientRow>();
  readonly folds = new EventFolds(this.events);
  readonly backends: Map<string, FeedStatus> | undefined;
  namespaces: readonly string[] = [];
  /** Names of the namespaces whose rows have arrived. Only a list of all namespaces adds to it. */
  readonly #shownNamespaces = new Set<string>();
  readonly loads = new ViewLoads();
  readonly savedCounts = new SavedViewCounts();
  readonly figures = new FiguresCache();
  readonly log: MessageLog;
  readonly aggregates: ConsoleAggregates;
  readonly silenceHistory = new SilenceHistory();
  readonly silenceRecent = new SilenceRecent();
  readonly answers = new BackendResponses(this);
  readonly window = new ListWindow();
  /** Requests the data that the screen shows and that is due for a load or a reload. */
  readonly upkeep = new Upkeep();
  readonly ownChanges: OwnChanges;
  readonly plans = new UpgradePlans();
  readonly requestedRuns = new RequestedRuns();
  silencePolicy: SilencePolicy = UNSET_POLICY;
  lastSilence: LastSilence | undefined;
  silenceDraft: SilenceForm | undefined;
  readonly #tables: ReadonlyMap<string, TableRows> = new Map(
    Object.values(TABLES_BY_VIEW).flatMap((table) =>
      table.source ? [[table.name, new TableRows(table, table.source)]] : [],
    ),
  );
  readonly #lists: readonly ListRows[] = [this.events, ...this.#tables.values()];
  state: ConsoleState;
  feed: FeedStatus = INITIAL_FEED_STATUS;
  nowMs: number;
  urgency: Urgency = 'rows';
  #version = 0;
  readonly #listeners = new Set<() => void>();
  readonly #bufferedRows = new BufferedRows();
  #effects: Effect[] = [];
  readonly #bell = new Bell();
  readonly #preview = new PreviewCache();
  readonly #matches = new MatchCache();
  #refilteredAtMs = 0;

  constructor(options: ConsoleOptions) {
    this.options = options;
    this.backends =
      options.mergedContexts && new Map(options.mergedContexts.map((name) => [name, INITIAL_FEED_STATUS]));
    this.ownChanges = options.ownChanges ?? new OwnChanges();
    this.log = options.log ?? new MessageLog();
    this.aggregates = new ConsoleAggregates(options.aggregateNeeds ?? DEFAULT_AGGREGATE_THRESHOLDS);
    this.state = initialState(options.size, options.readOnly);
    this.nowMs = options.now();
    if (options.savedSettings !== undefined) restoreScreenSettings(this, options.savedSettings);
  }

  // `subscribe` and `version` are arrow functions, because `useSyncExternalStore` calls them without `this`.
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;

  update(change: Partial<ConsoleState>): void {
    this.adjustState(change);
    this.requestFrame('rows');
  }

  adjustState(change: Partial<ConsoleState>): void {
    this.state = { ...this.state, ...change };
  }

  get whereColumn(): WhereColumn {
    if (this.backends !== undefined) return BACKEND_COLUMN;
    return this.options.namespace === EVERY_NAMESPACE ? NAMESPACE_COLUMN : undefined;
  }

  sourceNames(): Iterable<string> {
    return this.backends?.keys() ?? this.#shownNamespaces;
  }

  /** Records that rows of this namespace have arrived since the console was opened. */
  noteNamespace(name: string): void {
    this.#shownNamespaces.add(name);
  }

  get list(): ListState {
    return this.state.views[this.state.view];
  }

  updateList(change: Partial<ListState>): void {
    const { view, views } = this.state;
    this.update({ views: { ...views, [view]: { ...views[view], ...change } } });
  }

  get rows(): ListRows {
    return this.#tables.get(this.state.view) ?? (this.folds.criterion === undefined ? this.events : this.folds);
  }

  get table(): AnyTable | undefined {
    return tableOf(this.state.view);
  }

  get sort(): SortState {
    return this.list.sort ?? { column: defaultSort(this.state.view), reversed: false };
  }

  sortBy(sort: SortState): void {
    this.updateList({ sort });
    if (this.table !== undefined) this.rows.setSort(orderOf(this.table, sort));
    // The list is sorted at once, because the next key can come before the next frame.
    this.settleList();
  }

  foldBy(by: FoldCriterion | undefined): void {
    const { events: list } = this.state.views;
    // The cursor stays on its event: on the fold that contains it, or on the first event of the fold.
    const key =
      list.cursor.key === undefined ? undefined : (this.folds.fold(list.cursor.key)?.first?.key ?? list.cursor.key);
    const marks = new Set([...list.marks].flatMap((marked) => eventKeysOf(this.folds, marked)));
    this.folds.setCriterion(by);
    this.window.expectOrder();
    this.update({
      views: { ...this.state.views, events: { ...list, fold: by, cursor: { ...list.cursor, key }, marks } },
      orderPausedUntilMs: 0,
    });
    if (this.state.view === 'events') this.settleList();
  }

  settleRows(): void {
    this.#tables.get(this.state.view)?.refresh(this);
    this.rows.finishFilter(this.#shownMs(this.options.now()));
  }

  /** True while any list evaluates its filter, or builds the texts that a filter searches. */
  get isFiltering(): boolean {
    return this.#lists.some(({ filtering }) => filtering);
  }

  /**
   * Evaluates the next chunk of rows for each filter that is not in effect yet.
   *
   * @returns true when all filters are in effect
   */
  advanceFilters(nowMs: number): boolean {
    const shownMs = this.#shownMs(nowMs);
    const isDone = this.#lists.map((rows) => rows.work(shownMs)).every(Boolean);
    if (this.window.isFilledBy(this, shownMs)) this.rows.showBeginning();
    return isDone;
  }

  /**
   * Returns the time for which ages, states and filters are computed: the shown moment of the past, or `nowMs` for live
   * data.
   */
  #shownMs(nowMs: number): number {
    return this.state.past?.atMs ?? nowMs;
  }

  settleList(): void {
    this.settleRows();
    this.window.expectOrder();
    this.window.settle(this);
  }

  changed(view: ViewName, key: string): void {
    this.#tables.get(view)?.changed(key);
    if (view === this.state.view) this.requestFrame(this.window.holds(key) ? 'rows' : 'figures');
  }

  allChanged(view: ViewName | LoadedView): void {
    this.#tables.get(view)?.allChanged();
    if (view === this.state.view) this.requestFrame('rows');
  }

  say(text: string, tone: ConsoleMessage['tone'] = 'note'): void {
    const message: ConsoleMessage = { text, tone, atMs: this.options.now() };
    this.log.add(message);
    this.update({ message });
  }

  requestFrame(urgency: Urgency): void {
    if (URGENCIES.indexOf(urgency) > URGENCIES.indexOf(this.urgency)) this.urgency = urgency;
  }

  rememberSilence(silence: LastSilence): void {
    this.lastSilence = silence;
  }

  keepSilenceDraft(form: SilenceForm | undefined): void {
    this.silenceDraft = form;
  }

  silencePolicyLoaded(policy: SilencePolicy): void {
    this.silencePolicy = policy;
    this.requestFrame('rows');
  }

  namespacesLoaded(names: readonly string[]): void {
    this.namespaces = names;
    this.requestFrame('rows');
  }

  request(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** Removes the pending effects from the queue and returns them. */
  takeEffects(): readonly Effect[] {
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  connectionChanged(connection: FeedState): void {
    const nowMs = this.options.now();
    this.feed = updateConnection(this.feed, connection, nowMs);
    if (connection.kind === 'live' && this.state.paused === undefined) this.#endSnapshot();
    this.requestFrame('rows');
  }

  greeted(hello: Hello): void {
    this.feed = updateFromHello(this.feed, hello, this.options.now());
    this.requestFrame('figures');
  }

  /** Continues the chart of result rates with the rates of an earlier store, which ended `ageMs` milliseconds ago. */
  keepRates(rates: readonly number[], ageMs: number): void {
    // There is one rate per second. Those that the chart would not show any more are left out.
    const oldest = Math.max(0, rates.length + Math.floor(ageMs / 1000) - RATES_MAX);
    this.feed = { ...this.feed, rates: [...rates.slice(oldest), ...this.feed.rates] };
  }

  statsArrived(stats: FeedStats, timeMs: number): void {
    this.feed = updateFromStats(this.feed, stats, timeMs, this.options.now());
    this.requestFrame('figures');
  }

  /** Updates the feed status of one backend while the events of several backends are shown in one list. */
  backendChanged(context: string, status: FeedStatus): void {
    const { backends } = this;
    if (backends === undefined) return;
    const isOther = backends.get(context)?.connection.kind !== status.connection.kind;
    backends.set(context, status);
    this.feed = mergedStatus([...backends.values()]);
    this.requestFrame(isOther ? 'rows' : 'figures');
  }

  /**
   * Applies rows of the feed, or buffers them while the console is paused. `replace` is true if the rows begin a full
   * snapshot. `isNews` is true if the rows report current changes outside of a snapshot; default true.
   */
  rowsArrived(
    rows: FeedRows,
    details: {
      readonly replace: boolean;
      readonly timeMs: number | undefined;
      readonly isNews?: boolean;
      readonly brief?: FeedBriefs | undefined;
    },
  ): void {
    const nowMs = this.options.now();
    this.feed = updateFromFrame(this.feed, details.timeMs, nowMs);
    if (rows.upgrades !== undefined || details.replace) this.#applyPlans(rows.upgrades ?? {}, details.replace);
    const { paused } = this.state;
    if (paused === undefined) {
      const { replace, isNews = true, brief } = details;
      applyRows(this, this.#bell, rows, { replace, nowMs, isNews, brief });
      return;
    }
    // Briefs (changes without the full row) need no buffer: while the console is paused, it requests the full rows of
    // all events.
    this.#hold(paused, rows, details.replace);
  }

  /**
   * Applies more events of the snapshot that `rowsArrived` began.
   *
   * @param isNews true if the events can have opened since an earlier snapshot; false for the first snapshot
   */
  snapshotEventsArrived(events: readonly EventRow[], isNews = this.feed.hasBeenLive): void {
    const { paused } = this.state;
    if (paused === undefined) {
      applySnapshotEvents(this, this.#bell, events, { nowMs: this.options.now(), isNews });
      return;
    }
    this.#hold(
      paused,
      { events: Object.fromEntries(events.map((row) => [eventKey(row.client, row.check), row])) },
      false,
    );
  }

  #hold(paused: NonNullable<ConsoleState['paused']>, rows: FeedRows, replace: boolean): void {
    const count = this.#bufferedRows.add(rows, replace);
    // This change requests no frame. The screen shows only the number of buffered rows, and the frame that is drawn
    // each second updates it.
    this.adjustState({ paused: { ...paused, unseen: paused.unseen + count } });
  }

  /**
   * Replaces the lists with those of a past moment. In a store that already shows a past moment, the cursor keeps its
   * row.
   */
  pastArrived(past: PastMoment, rows: FeedRows): void {
    this.feed = updateConnection(this.feed, { kind: 'live' }, this.options.now());
    this.#takePast(past, rows, true);
    this.#endSnapshot();
  }

  /**
   * Applies the changes between the shown moment and another past moment, or adds rows of the shown moment. If
   * `rows.silenced` is not `undefined`, it contains all silences of the moment.
   */
  pastChanged(past: PastMoment, rows: FeedRows): void {
    if (rows.silenced !== undefined) {
      this.silenced.clear();
      this.allChanged('silences');
    }
    this.#takePast(past, rows, false);
  }

  #takePast(past: PastMoment, rows: FeedRows, replace: boolean): void {
    const isMoved = past.atMs !== this.state.past?.atMs;
    this.adjustState({ past });
    this.nowMs = past.atMs;
    applyRows(this, this.#bell, rows, { replace, nowMs: past.atMs, isNews: false });
    if (isMoved && this.rows.usesTime) this.rows.refilter();
    this.requestFrame('rows');
  }

  pause(): void {
    this.update({ paused: { sinceMs: this.options.now(), unseen: 0 } });
  }

  resume(): void {
    const nowMs = this.options.now();
    this.update({ paused: undefined });
    const bufferedRows = this.#bufferedRows.drain();
    applyRows(this, this.#bell, bufferedRows.rows, {
      replace: bufferedRows.replace,
      nowMs,
      isNews: true,
      isLate: true,
    });
    if (this.feed.connection.kind === 'live') this.#endSnapshot();
  }

  resized(size: ScreenSize): void {
    this.update({ size });
  }

  silencePreview(form: SilenceForm): SilencePreview {
    const entries = silenceScopeEntries(form);
    // Only the backend knows what a search matches, unless the silence is already in effect.
    const isSearch = entries.some(({ selector }) => selector !== undefined) && form.origin?.kind !== 'change';
    if (isSearch && this.whereColumn === undefined) return previewFromCounts(this.silenceRecent.of(form)?.events);
    const subscriptionsOf = (client: string): readonly string[] => this.clients.get(client)?.subscriptions ?? [];
    return this.#preview.previewOf(entries, this.nowMs, () =>
      previewSilence(
        entries,
        this.events.records(),
        subscriptionsOf,
        this.nowMs,
        new Set(form.targets.map(({ key }) => key)),
      ),
    );
  }

  silenceMatches(entry: SilencedRow): SilenceMatches {
    return this.#matches.matchesFor(this, entry);
  }

  /**
   * Prepares a frame: updates cursor, filters and order with everything that arrived, and requests the data that is
   * due.
   *
   * @param nowMs current time in epoch milliseconds; for live data, all ages of the next frame refer to it
   */
  tick(nowMs: number): void {
    this.nowMs = this.#shownMs(nowMs);
    this.#evaluateFilter(nowMs);
    this.upkeep.ageSilences(this, nowMs);
    this.#forgetMessage(nowMs);
    this.#tables.get(this.state.view)?.refresh(this);
    this.window.pauseOrder(this, nowMs);
    this.window.settle(this);
    this.window.seen();
    this.upkeep.requestDueData(this, nowMs);
    this.requestedRuns.poll(this, nowMs);
    settleInspect(this);
    settleUpgrade(this);
    this.#askPlans(nowMs);
    this.silenceRecent.ask(this, nowMs);
    this.savedCounts.work(this);
  }

  /** Draws a frame by notifying the listeners once. It shows the state as prepared by the last `tick`. */
  paint(): void {
    // Another frame with rows is needed while a filter is evaluated, and when paused sorting resumes.
    const isMoving = this.isFiltering || this.options.now() < this.state.orderPausedUntilMs;
    this.urgency = isMoving ? 'rows' : this.silenceRecent.isWaiting ? 'figures' : 'none';
    this.#version += 1;
    this.folds.frameDrawn();
    for (const listener of this.#listeners) listener();
  }

  #forgetMessage(nowMs: number): void {
    const { message } = this.state;
    if (message !== undefined && nowMs - message.atMs > MESSAGE_MS) this.adjustState({ message: undefined });
  }

  #askPlans(nowMs: number): void {
    if (this.feed.connection.kind !== 'live') return;
    const { session } = this.options;
    for (const effect of this.plans.due({ session, isShown: this.state.view === 'upgrade' }, nowMs))
      this.request(effect);
  }

  #applyPlans(rows: FeedRows['upgrades'] & {}, replace: boolean): void {
    // A plan belongs to one backend, so a merged list of several backends shows no plans.
    if (this.backends !== undefined) return;
    this.plans.rowsArrived(rows, replace);
    this.requestFrame('rows');
  }

  #endSnapshot(): void {
    this.events.endSnapshot();
    this.silenced.endSnapshot();
    this.clients.endSnapshot();
    this.allChanged('silences');
    this.allChanged('clients');
    this.allChanged('checks');
  }

  #evaluateFilter(nowMs: number): void {
    if (this.rows.usesTime && nowMs - this.#refilteredAtMs >= REFILTER_MS) {
      this.#refilteredAtMs = nowMs;
      this.rows.refilter();
    }
    this.advanceFilters(nowMs);
  }
}

/** Applies the screen settings of an earlier store or of the configuration file. */
function restoreScreenSettings(
  store: Screen & Pick<LiveData, 'events'> & ListOfView,
  { view, views, common }: ScreenSettings,
): void {
  store.update(common);
  for (const { name } of VIEWS) {
    const kept = views[name];
    if (kept === undefined) continue;
    store.update({ view: name, views: { ...store.state.views, [name]: { ...INITIAL_LIST, ...kept } } });
    if (kept.filter.text !== '') applyFilter(store, kept.filter.text);
    if (kept.sort !== undefined) store.sortBy(kept.sort);
    if (kept.fold !== undefined) store.foldBy(kept.fold);
  }
  store.update({ view });
}
