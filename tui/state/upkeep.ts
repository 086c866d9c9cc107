import { TREND_STEP_MS } from '../model/aggregate-book.ts';
import type { SubjectKind } from './layers/inspect.ts';
import { updateLoaded, updateSubject } from './layer-loads.ts';
import { PanePeek } from './pane-peek.ts';
import { listLayout } from './screen-layout.ts';
import { type ConsoleState, eventUnderCursor } from './console-state.ts';
import { isFollowedView, isLoadedView, type FollowedView, type LoadedView, type ViewLoad } from '../model/view-data.ts';
import type { Screen, Rows, Asks, Shown, Settles } from './ports.ts';
import type { Known, Places } from '../model/known.ts';
import { BACKEND_COLUMN } from '../model/where-column.ts';
import { isLoadedLayer, type LoadedLayer, type LoadedLayerKind } from './layers/loaded.ts';
import { isFull } from './layers/layer.ts';

/** How often what is known of one thing is asked for again while it is shown: what names many clients, less often. */
const SUBJECT_RELOAD_MS: Readonly<Record<SubjectKind, number>> = {
  client: 2000,
  result: 2000,
  check: 5000,
  aggregate: 5000,
};

/** How often the silences are put in their order again while they are looked at. */
const SILENCES_AGE_MS = 5000;

/** Keeps what is looked at up to date; nothing is asked for that nobody sees, or again while the feed is paused. */
export class Upkeep {
  readonly #peek = new PanePeek();
  /** Whether the silences that ended before this console looked were asked for since the last snapshot. */
  #isHistoryAsked = false;
  /** Whether how long a silence may last was asked for since the last snapshot: `K` asks for the longest. */
  #isPolicyAsked = false;
  #silencesAgedAtMs = 0;

  /** The feed begins again: what it does not tell is asked for again, too. */
  startOver(): void {
    this.#isHistoryAsked = false;
    this.#isPolicyAsked = false;
  }

  /** Silences begin, come near their end and leave the table by the clock alone. */
  ageSilences(store: Shown & Rows, nowMs: number): void {
    if (store.state.view !== 'silences' || nowMs - this.#silencesAgedAtMs < SILENCES_AGE_MS) return;
    this.#silencesAgedAtMs = nowMs;
    store.allChanged('silences');
  }

  /** Asks for what is due. */
  ask(store: Screen & Settles & Asks & Known & Places, nowMs: number): void {
    if (store.feed.connection.kind !== 'live') return;
    this.#peekUnderCursor(store, nowMs);
    this.#askEndedSilences(store);
    this.#askPolicy(store);
    askView(store, nowMs);
    askDay(store, nowMs);
    askSubject(store, nowMs);
    askLayer(store, nowMs);
    if (store.state.paused !== undefined) return;
    askTrend(store, nowMs);
    askCluster(store, nowMs);
  }

  #askEndedSilences(store: Shown & Asks): void {
    if (this.#isHistoryAsked || store.state.view !== 'silences') return;
    this.#isHistoryAsked = true;
    store.request({ kind: 'load-ended-silences' });
  }

  #askPolicy(store: Asks): void {
    if (this.#isPolicyAsked) return;
    this.#isPolicyAsked = true;
    store.request({ kind: 'load-silence-policy' });
  }

  #peekUnderCursor(store: Settles & Asks & Pick<Known, 'events'>, nowMs: number): void {
    const target = store.state.view === 'events' ? eventUnderCursor(store.state) : undefined;
    if (target === undefined || listLayout(store.state).pane === 0) return;
    const { peek } = store.state;
    if (!this.#peek.isDue(target.key, peek, store.events.get(target.key)?.row, nowMs)) return;
    if (peek?.target.key !== target.key) store.settle({ peek: { target, load: { kind: 'loading' } } });
    store.request({ kind: 'load-event', target, into: 'pane' });
  }
}

/** Whether it stands still because of a pause: not what is opened in one, of which nothing was seen yet. */
export function standsStill({ state }: Shown, { loadedAtMs }: Pick<ViewLoad<unknown>, 'loadedAtMs'>): boolean {
  return state.paused !== undefined && loadedAtMs !== undefined;
}

function askView(store: Shown & Asks & Pick<Known, 'loads'>, nowMs: number): void {
  const view = loadedNow(store.state);
  if (view === undefined || view === followedNow(store) || standsStill(store, store.loads.of(view))) return;
  if (!store.loads.isDue(view, nowMs)) return;
  store.loads.asked(view, nowMs);
  store.request({ kind: 'load-view', view });
}

/** What the aggregates were like is only known to who has looked all the time. */
function askTrend(store: Asks & Pick<Known, 'loads'> & Places, nowMs: number): void {
  // Aggregates are of one backend.
  if (store.whereColumn === BACKEND_COLUMN) return;
  const { isLoading, askedAtMs } = store.loads.of('aggregates');
  if (isLoading || nowMs - askedAtMs < TREND_STEP_MS) return;
  store.loads.asked('aggregates', nowMs);
  store.request({ kind: 'load-view', view: 'aggregates' });
}

/** How often the state of a store that several share is asked for, for the header; a view of it asks more often. */
const CLUSTER_MS = 5000;

function askCluster(store: Asks & Pick<Known, 'loads' | 'feed'>, nowMs: number): void {
  const { feed, loads } = store;
  const { isLoading, askedAtMs } = loads.of('cluster');
  if (!feed.isShared || isLoading || nowMs - askedAtMs < CLUSTER_MS) return;
  loads.asked('cluster', nowMs);
  store.request({ kind: 'load-view', view: 'cluster' });
}

/** How often the last day is asked for: the backend has to read all of it. */
const DAY_RELOAD_MS = 300_000;

function askDay(store: Shown & Asks & Pick<Known, 'loads'>, nowMs: number): void {
  const load = store.loads.of('day');
  const { isLoading, askedAtMs } = load;
  if (loadedNow(store.state) !== 'overview' || standsStill(store, load)) return;
  if (isLoading || nowMs - askedAtMs < DAY_RELOAD_MS) return;
  store.loads.asked('day', nowMs);
  store.request({ kind: 'load-view', view: 'day' });
}

/** What fills the screen; behind a dialog it stays as it is. */
function askSubject(store: Screen & Asks, nowMs: number): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'inspect' || standsStill(store, layer.load)) return;
  const { isLoading, askedAtMs } = layer.load;
  if (isLoading || nowMs - askedAtMs < SUBJECT_RELOAD_MS[layer.subject.kind]) return;
  updateSubject(store, layer.subject, (load) => ({ ...load, isLoading: true, askedAtMs: nowMs }));
  store.request({ kind: 'load-subject', subject: layer.subject });
}

function askLayer(store: Screen & Asks & Pick<Known, 'silenced'>, nowMs: number): void {
  const layer = store.state.layers.at(-1);
  if (!isLoadedLayer(layer) || standsStill(store, layer.load) || !isLayerDue(store, layer, nowMs)) return;
  updateLoaded(store, layer.kind, layer.id, (load) => ({ ...load, isLoading: true, askedAtMs: nowMs }));
  store.request({ kind: 'load-layer', layer: layer.kind, id: layer.id });
}

/** The view that is looked at, where the feed tells of it; of the past nothing is told. */
export function followedNow({ state, loads }: Shown & Pick<Known, 'loads'>): FollowedView | undefined {
  const view = loadedNow(state);
  return state.past === undefined && isFollowedView(view) && loads.isFollowed(view) ? view : undefined;
}

/** Whose data is looked at and so is kept up to date: the view's, unless something that fills the screen hides it. */
function loadedNow({ view, layers }: Pick<ConsoleState, 'view' | 'layers'>): LoadedView | undefined {
  const full = layers.findLast(isFull);
  if (full?.kind === 'log') return full.tab === 'audit' ? 'log' : undefined;
  if (full !== undefined) return undefined;
  if (view === 'silences') return 'kept-back';
  return isLoadedView(view) ? view : undefined;
}

/** Whether to ask for what the layer is about now: never twice at the same time. */
function isLayerDue({ silenced }: Pick<Known, 'silenced'>, layer: LoadedLayer, nowMs: number): boolean {
  const { isLoading, askedAtMs } = layer.load;
  // A silence that ended is in the trail and on this console, and nowhere else.
  if (layer.kind === 'silence-entry' && !silenced.has(layer.id)) return false;
  return !isLoading && nowMs - askedAtMs >= LAYER_RELOAD_MS[layer.kind];
}

/** How often each is asked for again: what nothing but its end changes, less often. */
const LAYER_RELOAD_MS: Readonly<Record<LoadedLayerKind, number>> = {
  'dead-letter': 5000,
  handling: 2000,
  member: 2000,
  'silence-entry': 5000,
  report: 300_000,
  timeline: 10_000,
  'timeline-search': 30_000,
};
