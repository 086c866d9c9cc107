import type { AuditRecord } from '../../shared/schemas/audit.ts';
import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Frames, ChangedRowsRecorder, Screen } from './ports.ts';
import type { InspectSubject, SubjectData } from './layers/inspect.ts';
import { updateLoaded, updateSubject } from './layer-loads.ts';
import type { LoadedView, ViewData } from '../model/view-data.ts';
import type { EventTarget } from '../model/target.ts';
import type { LayerData, LoadedLayerKind } from './layers/loaded.ts';
import type { EventLoad } from './layers/detail.ts';
import type { RequestedRuns } from './requested-runs.ts';

/** The message that the backend does not have an object, by the kind of the screen that shows it. */
const MISSING_MESSAGES: Readonly<Record<LoadedLayerKind, string>> = {
  member: 'this member is no longer part of the cluster',
  schedule: 'this schedule is no longer defined',
  'dead-letter': 'this dead letter no longer exists: it was retried or dropped',
  handling: 'no event and no result for this check on this client',
  'silence-entry': 'no such silence',
  report: 'this version of the backend has no reports',
  timeline: 'this version of the backend has no timeline',
  series: 'this version of the backend has no series, or the result was deleted',
  'timeline-search': 'this version of the backend has no timeline',
  incident: 'this version of the backend has no timeline',
};

/** The interfaces of the store that `BackendResponses` needs to store responses. */
type AnswerPorts = Screen & Frames & LiveData & ChangedRowsRecorder;

/** The data that is loaded together with an event: its next run, how the handlers handle it, and its activity. */
type EventContext = Pick<Extract<EventLoad, { kind: 'loaded' }>, 'row' | 'nextRun' | 'handling' | 'activity'>;

/** The part of the store in which responses of the backend are stored. */
export interface ResponseState {
  readonly answers: BackendResponses;
  /** The runs of checks that the user requested last. */
  readonly requestedRuns: RequestedRuns;
  namespacesLoaded(names: readonly string[]): void;
  silencePolicyLoaded(policy: SilencePolicy): void;
}

/**
 * Stores responses of the backend, or the failure of a request. After a failure, a screen keeps the data that was
 * loaded before. The pane below the list shows the failure instead of the data.
 */
export class BackendResponses {
  readonly #store: AnswerPorts;

  constructor(store: AnswerPorts) {
    this.#store = store;
  }

  /** Stores the response to `load-event`. `event` is `undefined` if the event does not exist. */
  eventLoaded(target: EventTarget, into: 'detail' | 'pane', event: Event | undefined, context: EventContext): void {
    const load: EventLoad =
      event === undefined ? { kind: 'missing' } : { kind: 'loaded', event, ...context, reloading: false };
    this.#showLoad(target, into, load);
  }

  eventFailed(target: EventTarget, into: 'detail' | 'pane', message: string): void {
    this.#showLoad(target, into, { kind: 'failed', message });
  }

  /** Stores the response to the effect `load-view`. */
  viewLoaded<View extends LoadedView>(view: View, data: ViewData[View]): void {
    const { loads, aggregates, options } = this.#store;
    loads.loaded(view, data, options.now());
    if (view === 'aggregates') aggregates.load(loads.loadOf('aggregates').data ?? [], options.now());
    this.#store.allChanged(view === 'kept-back' ? 'silences' : view);
    this.#store.requestFrame('rows');
  }

  viewFailed(view: LoadedView, message: string): void {
    this.#store.loads.failed(view, message);
    this.#store.requestFrame('rows');
  }

  /**
   * Stores the response to `load-subject`. `data` is `undefined` if the backend has no client, check, aggregate or
   * result of this name.
   */
  subjectLoaded(subject: InspectSubject, data: SubjectData | undefined): void {
    if (data === undefined) return this.subjectFailed(subject, `there is no ${subject.kind} with this name`);
    const loadedAtMs = this.#store.options.now();
    updateSubject(this.#store, subject, (load) => ({
      ...load,
      data,
      loadedAtMs,
      failure: undefined,
      isLoading: false,
    }));
  }

  subjectFailed(subject: InspectSubject, failure: string): void {
    updateSubject(this.#store, subject, (load) => ({ ...load, failure, isLoading: false }));
  }

  /** Stores the response to `load-layer`. `data` is `undefined` if the backend has no such object. */
  layerLoaded<Kind extends LoadedLayerKind>(kind: Kind, id: string, data: LayerData[Kind] | undefined): void {
    if (data === undefined) return this.layerFailed(kind, id, MISSING_MESSAGES[kind]);
    const loadedAtMs = this.#store.options.now();
    updateLoaded(this.#store, kind, id, (load) => ({
      ...load,
      data,
      loadedAtMs,
      failure: undefined,
      isLoading: false,
    }));
  }

  layerFailed(kind: LoadedLayerKind, id: string, failure: string): void {
    updateLoaded(this.#store, kind, id, (load) => ({ ...load, failure, isLoading: false }));
  }

  /** Stores the silences that ended according to records of the audit trail. The newest record comes first. */
  endedSilencesLoaded(records: readonly AuditRecord[]): void {
    this.#store.silenceHistory.load(records, this.#store.options.namespace);
    this.#store.allChanged('silences');
  }

  #showLoad(target: EventTarget, into: 'detail' | 'pane', load: EventLoad): void {
    const { state } = this.#store;
    if (into === 'pane') {
      if (state.peek?.target.key === target.key) this.#store.update({ peek: { target, load } });
      return;
    }
    const layers = this.#store.state.layers.map((layer) =>
      layer.kind === 'detail' && layer.target.key === target.key
        ? { ...layer, load: nextLoad(layer.load, load) }
        : layer,
    );
    this.#store.update({ layers });
  }
}

/**
 * Returns the load state of a shown event after a response. If the request failed, an event that was loaded before
 * stays visible.
 */
function nextLoad(previous: EventLoad, load: EventLoad): EventLoad {
  if (previous.kind !== 'loaded' || load.kind === 'loaded' || load.kind === 'loading') return load;
  const { failure: _failure, ...loaded } = previous;
  return { ...loaded, reloading: false, ...(load.kind === 'failed' && { failure: load.message }) };
}
