import { TREND_STEP_MS } from '../model/aggregate-book.ts';
import type { InspectLayer, SubjectKind } from './layers/inspect.ts';
import { updateLoaded, updateSubject } from './layer-loads.ts';
import { PaneLoadTimer } from './pane-peek.ts';
import { shownPane } from './screen-layout.ts';
import { type ConsoleState, eventUnderCursor } from './console-state.ts';
import { isFollowedView, isLoadedView, type FollowedView, type LoadedView, type ViewLoad } from '../model/view-data.ts';
import type { Screen, ChangedRowsRecorder, ScreenView, StateAdjuster } from './ports.ts';
import type { LiveData } from '../model/live-data.ts';
import { BACKEND_COLUMN } from '../model/where-column.ts';
import { isLoadedLayer, type LoadedLayer, type LoadedLayerKind } from './layers/loaded.ts';
import { isFull } from './layers/layer.ts';

/**
 * Reload interval of a client, check, aggregate or result while its screen is shown, in milliseconds. Data about many
 * clients is reloaded less often.
 */
const SUBJECT_RELOAD_MS: Readonly<Record<SubjectKind, number>> = {
  client: 2000,
  result: 2000,
  check: 5000,
  aggregate: 5000,
};

/** Minimum time between two reloads of the event on the detail screen, in milliseconds. */
const DETAIL_RELOAD_MS = 1000;

/** Time since the last look at the event on the detail screen after which a change is not known to be recent. */
const DETAIL_GAP_MS = 3000;

/** Interval at which the shown silences are sorted again, in milliseconds. */
const SILENCES_AGE_MS = 5000;

/**
 * Requests data that is visible and due for a reload. In the background it also requests the values for the header and
 * for the trend of aggregates. While the console is paused, data that is already loaded is not reloaded.
 */
export class Upkeep {
  readonly #peek = new PaneLoadTimer();
  /** True if the ended silences were requested since the last snapshot. */
  #isHistoryRequested = false;
  /**
   * True if the policy for silences was requested since the last snapshot. An acknowledgment lasts for the maximum
   * duration of the policy.
   */
  #isPolicyRequested = false;
  #silencesAgedAtMs = 0;
  #detailRequestedAtMs = 0;
  #detailFollowedAtMs = 0;

  /** Makes data that the feed does not contain due again, because a new snapshot begins. */
  startOver(): void {
    this.#isHistoryRequested = false;
    this.#isPolicyRequested = false;
  }

  /** Marks the rows of all silences as changed, because with time silences begin, come near their end, and expire. */
  ageSilences(store: ScreenView & ChangedRowsRecorder, nowMs: number): void {
    if (store.state.view !== 'silences' || nowMs - this.#silencesAgedAtMs < SILENCES_AGE_MS) return;
    this.#silencesAgedAtMs = nowMs;
    store.allChanged('silences');
  }

  /** Requests all data that is due for a load or a reload. */
  requestDueData(store: Screen & StateAdjuster & LiveData, nowMs: number): void {
    if (store.feed.connection.kind !== 'live') return;
    this.#peekUnderCursor(store, nowMs);
    this.#requestEndedSilences(store);
    this.#requestPolicy(store);
    requestView(store, nowMs);
    requestDay(store, nowMs);
    requestSubjects(store, nowMs);
    requestLayers(store, nowMs);
    if (store.state.paused !== undefined) return;
    this.#followDetail(store, nowMs);
    requestTrend(store, nowMs);
    requestCluster(store, nowMs);
    requestOnCall(store, nowMs);
  }

  #requestEndedSilences(store: Screen): void {
    if (this.#isHistoryRequested || store.state.view !== 'silences') return;
    this.#isHistoryRequested = true;
    store.request({ kind: 'load-ended-silences' });
  }

  #requestPolicy(store: Screen): void {
    if (this.#isPolicyRequested) return;
    this.#isPolicyRequested = true;
    store.request({ kind: 'load-silence-policy' });
  }

  /**
   * Keeps the event on the detail screen up to date: records when it resolves, and loads it again when its row has
   * changed.
   */
  #followDetail(store: StateAdjuster & Screen & Pick<LiveData, 'events'>, nowMs: number): void {
    const layer = store.state.layers.at(-1);
    if (layer?.kind !== 'detail' || store.state.past !== undefined) return;
    const { target, load } = layer;
    const row = store.events.get(target.key)?.row;
    const hasResolved = row === undefined && layer.row !== undefined;
    // After a pause the time of the resolution is unknown.
    const noticedAtMs = nowMs - this.#detailFollowedAtMs < DETAIL_GAP_MS ? nowMs : 0;
    this.#detailFollowedAtMs = nowMs;
    const resolvedAtMs = hasResolved ? (layer.resolvedAtMs ?? noticedAtMs) : undefined;
    if ((row !== undefined && row !== layer.row) || resolvedAtMs !== layer.resolvedAtMs) {
      store.adjustState({
        layers: [...store.state.layers.slice(0, -1), { ...layer, row: row ?? layer.row, resolvedAtMs }],
      });
    }
    const isOld =
      load.kind === 'missing' ||
      (load.kind === 'loaded' && !load.reloading && (load.row !== row || load.failure !== undefined));
    if (row === undefined || !isOld || nowMs - this.#detailRequestedAtMs < DETAIL_RELOAD_MS) return;
    this.#detailRequestedAtMs = nowMs;
    const reloading = load.kind === 'loaded' ? { ...load, reloading: true } : load;
    store.adjustState({
      layers: [...store.state.layers.slice(0, -1), { ...layer, row, resolvedAtMs, load: reloading }],
    });
    store.request({ kind: 'load-event', target, into: 'detail', isDetailed: true });
  }

  #peekUnderCursor(store: StateAdjuster & Screen & Pick<LiveData, 'events'>, nowMs: number): void {
    const target = store.state.view === 'events' ? eventUnderCursor(store.state) : undefined;
    const placement = shownPane(store.state);
    if (target === undefined || placement === 'off') return;
    const { peek } = store.state;
    if (!this.#peek.isDue(target.key, peek, store.events.get(target.key)?.row, nowMs)) return;
    if (peek?.target.key !== target.key) store.adjustState({ peek: { target, load: { kind: 'loading' } } });
    store.request({ kind: 'load-event', target, into: 'pane', isDetailed: placement === 'beside' });
  }
}

/**
 * Returns true if data must not be reloaded, because the console is paused. A screen that was opened during the pause
 * still loads its data once.
 */
export function isFrozenByPause({ state }: ScreenView, { loadedAtMs }: Pick<ViewLoad<unknown>, 'loadedAtMs'>): boolean {
  return state.paused !== undefined && loadedAtMs !== undefined;
}

function requestView(store: Screen & Pick<LiveData, 'loads'>, nowMs: number): void {
  const view = visibleLoadedView(store.state);
  if (view === undefined || view === followedNow(store) || isFrozenByPause(store, store.loads.loadOf(view))) return;
  if (!store.loads.isDue(view, nowMs)) return;
  store.loads.recordRequest(view, nowMs);
  store.request({ kind: 'load-view', view });
}

/** Requests the aggregates even if they are not shown, because their trend needs values at regular times. */
function requestTrend(store: Screen & LiveData, nowMs: number): void {
  // Aggregates belong to one backend, so a merged list of several backends has none.
  if (store.whereColumn === BACKEND_COLUMN) return;
  const { isLoading, requestedAtMs } = store.loads.loadOf('aggregates');
  if (isLoading || nowMs - requestedAtMs < TREND_STEP_MS) return;
  store.loads.recordRequest('aggregates', nowMs);
  store.request({ kind: 'load-view', view: 'aggregates' });
}

/**
 * Interval at which the cluster state is requested for the header, in milliseconds. The cluster view requests it more
 * often.
 */
const CLUSTER_MS = 5000;

function requestCluster(store: Screen & Pick<LiveData, 'loads' | 'feed'>, nowMs: number): void {
  const { feed, loads } = store;
  const { isLoading, requestedAtMs } = loads.loadOf('cluster');
  if (!feed.isShared || isLoading || nowMs - requestedAtMs < CLUSTER_MS) return;
  loads.recordRequest('cluster', nowMs);
  store.request({ kind: 'load-view', view: 'cluster' });
}

/**
 * Interval at which the schedules are requested for the header, in milliseconds. The view of schedules requests them
 * more often.
 */
const ON_CALL_MS = 60_000;

function requestOnCall(store: Screen & LiveData, nowMs: number): void {
  // A list of several backends has no schedules.
  if (store.whereColumn === BACKEND_COLUMN) return;
  const { isLoading, requestedAtMs } = store.loads.loadOf('on-call');
  if (isLoading || nowMs - requestedAtMs < ON_CALL_MS) return;
  store.loads.recordRequest('on-call', nowMs);
  store.request({ kind: 'load-view', view: 'on-call' });
}

/**
 * Interval at which the overview requests the report of the last day, in milliseconds. The report is expensive for the
 * backend.
 */
const DAY_RELOAD_MS = 300_000;

function requestDay(store: Screen & Pick<LiveData, 'loads'>, nowMs: number): void {
  const load = store.loads.loadOf('day');
  const { isLoading, requestedAtMs } = load;
  if (visibleLoadedView(store.state) !== 'overview' || isFrozenByPause(store, load)) return;
  if (isLoading || nowMs - requestedAtMs < DAY_RELOAD_MS) return;
  store.loads.recordRequest('day', nowMs);
  store.request({ kind: 'load-view', view: 'day' });
}

/**
 * Reloads the client, check, aggregate or result that the topmost screen shows. While a dialog is over that screen,
 * nothing is reloaded.
 */
function requestSubjects(store: Screen, nowMs: number): void {
  for (const layer of store.state.layers) {
    if (layer.kind !== 'inspect' || !isRequestable(store, layer)) continue;
    const { isLoading, requestedAtMs } = layer.load;
    if (isLoading || nowMs - requestedAtMs < SUBJECT_RELOAD_MS[layer.subject.kind]) continue;
    updateSubject(store, layer.subject, (load) => ({ ...load, isLoading: true, requestedAtMs: nowMs }));
    store.request({ kind: 'load-subject', subject: layer.subject });
  }
}

function requestLayers(store: Screen & Pick<LiveData, 'silenced'>, nowMs: number): void {
  for (const layer of store.state.layers) {
    if (!isLoadedLayer(layer) || !isRequestable(store, layer) || !isLayerDue(store, layer, nowMs)) continue;
    // While the past is shown, a history is loaded once: it cannot change.
    if (store.state.past !== undefined && layer.load.loadedAtMs !== undefined) continue;
    updateLoaded(store, layer.kind, layer.id, (load) => ({ ...load, isLoading: true, requestedAtMs: nowMs }));
    store.request({ kind: 'load-layer', layer: layer.kind, id: layer.id });
  }
}

/**
 * True if the data of a layer may be requested now: it is the topmost layer, or another layer covered it before its
 * first request, because keys that open both layers arrived together.
 */
function isRequestable(store: Screen, layer: LoadedLayer | InspectLayer): boolean {
  const isTop = layer === store.state.layers.at(-1);
  return (isTop || layer.load.requestedAtMs === -Infinity) && !isFrozenByPause(store, layer.load);
}

/**
 * Returns the shown view if a feed sends its changes; otherwise `undefined`. It is also `undefined` for a past moment.
 */
export function followedNow({ state, loads }: ScreenView & Pick<LiveData, 'loads'>): FollowedView | undefined {
  const view = visibleLoadedView(state);
  return state.past === undefined && isFollowedView(view) && loads.isFollowed(view) ? view : undefined;
}

/**
 * Returns the view whose data is visible; `undefined` if a layer that fills the screen hides the view. The audit tab of
 * the log counts as the view `log`.
 */
function visibleLoadedView({ view, layers }: Pick<ConsoleState, 'view' | 'layers'>): LoadedView | undefined {
  const full = layers.findLast(isFull);
  if (full?.kind === 'log') return full.tab === 'audit' ? 'log' : undefined;
  if (full !== undefined) return undefined;
  if (view === 'silences') return 'kept-back';
  return isLoadedView(view) ? view : undefined;
}

/**
 * Returns whether the data of a screen over the view is due for a reload. While a request for it is pending, returns
 * false.
 */
function isLayerDue({ silenced }: Pick<LiveData, 'silenced'>, layer: LoadedLayer, nowMs: number): boolean {
  const { isLoading, requestedAtMs } = layer.load;
  // The backend has no details of an ended silence. The console has it only from the audit trail or from the time
  // before its end.
  if (layer.kind === 'silence-entry' && !silenced.has(layer.id)) return false;
  return !isLoading && nowMs - requestedAtMs >= LAYER_RELOAD_MS[layer.kind];
}

/**
 * Reload interval for each kind of screen over a view, in milliseconds. Data that rarely changes is reloaded less
 * often.
 */
const LAYER_RELOAD_MS: Readonly<Record<LoadedLayerKind, number>> = {
  'dead-letter': 5000,
  handling: 2000,
  member: 2000,
  schedule: 2000,
  'silence-entry': 5000,
  report: 300_000,
  timeline: 10_000,
  'timeline-search': 30_000,
  incident: 10_000,
  series: 30_000,
};
