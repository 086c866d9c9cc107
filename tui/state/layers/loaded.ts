import type { CheckHistory } from '../../../shared/schemas/availability.ts';
import type { Report, ReportAction, ReportEscalation } from '../../../shared/schemas/report.ts';
import type { SeriesResponse } from '../../../shared/schemas/series.ts';
import type { TimelineRow } from '../../../shared/schemas/timeline.ts';
import type { DeadLetterSummary } from '../../../shared/schemas/dead-letter.ts';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import type { ScheduleDetail } from '../../../shared/schemas/on-call.ts';
import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import type { SilencedDetail } from '../../../shared/schemas/silenced.ts';
import type { SearchField } from '../search-field.ts';
import type { ViewLoad } from '../../model/view-data.ts';

/** The data that each kind of layer (a screen over the view) requests from the backend while it is on top. */
export interface LayerData {
  /** A dead letter, with the event (or the events of a group) that its handler would get. Secrets are removed. */
  readonly 'dead-letter': DeadLetterSummary & {
    readonly event: Readonly<Record<string, unknown>>;
    readonly events?: readonly Readonly<Record<string, unknown>>[] | undefined;
  };
  /** A member of the cluster, with all its attributes. */
  readonly member: ClusterMember;
  /** A schedule with its shifts, gaps and overrides in the next two weeks. */
  readonly schedule: ScheduleDetail;
  /** The explanation of how each handler handles an event, and why. */
  readonly handling: EventExplanation;
  /** The details of a silence. The feed contains only a part of them. */
  readonly 'silence-entry': SilencedDetail;
  /** The shift report. */
  readonly report: Report;
  /** The states and transitions of a check on a client during a time span. */
  readonly timeline: Transitions & { readonly past: CheckHistory };
  /** The histories of several checks, and the actions of operators in this time. */
  readonly incident: Incident;
  /** The transitions of all checks that match a search. */
  readonly 'timeline-search': Transitions;
  /** The duration and the metrics of a check on a client over the last 24 hours. */
  readonly series: SeriesResponse;
}

/** A list of transitions, such as events that opened or resolved. The newest transition comes first. */
export interface Transitions {
  readonly rows: readonly TimelineRow[];
  /** True if there are older transitions that `rows` does not contain. */
  readonly more: boolean;
}

/** The histories of several events in one time span. */
export interface Incident {
  /** Start and end of the time span, in epoch milliseconds. */
  readonly since: number;
  readonly until: number;
  /** The histories by the key of the event. Events without a history are left out. */
  readonly rows: readonly { readonly key: string; readonly history: CheckHistory }[];
  /** The actions of operators on events and silences, the newest first. */
  readonly actions: readonly ReportAction[];
  /** The steps of escalations in this time, the newest first. */
  readonly escalations: readonly ReportEscalation[];
}

export type LoadedLayerKind = keyof LayerData;

/** A screen over the view with a text about one object, or about a search. Its data is loaded from the backend. */
export interface LoadedLayerOf<Kind extends LoadedLayerKind> {
  readonly kind: Kind;
  /**
   * Identifies the shown object: the id of a dead letter, silence or member, the name of a schedule, or the key of an
   * event. For a timeline it contains time span and event key, for an incident its start and the keys of its events,
   * for a report the time span, for a timeline search the searched text.
   */
  readonly id: string;
  readonly load: ViewLoad<LayerData[Kind]>;
  /** Index of the first visible line below the head of the screen. */
  readonly top: number;
  readonly search: SearchField;
}

export type DeadLetterLayer = LoadedLayerOf<'dead-letter'>;

export type HandlingLayer = LoadedLayerOf<'handling'>;

export type MemberLayer = LoadedLayerOf<'member'>;

export type OnCallScheduleLayer = LoadedLayerOf<'schedule'>;

export type SilenceEntryLayer = LoadedLayerOf<'silence-entry'>;

export type ReportLayer = LoadedLayerOf<'report'>;

export interface TimelineLayer extends LoadedLayerOf<'timeline'> {
  /** Start of the selected outage in epoch milliseconds; absent means the newest outage. */
  readonly at?: number;
}

export type IncidentLayer = LoadedLayerOf<'incident'>;

export interface TimelineSearchLayer extends LoadedLayerOf<'timeline-search'> {
  /** Id of the transition under the cursor. If it is absent or gone, it is the first one. */
  readonly at?: number;
}

export type SeriesLayer = LoadedLayerOf<'series'>;

export type LoadedLayer =
  | DeadLetterLayer
  | HandlingLayer
  | IncidentLayer
  | MemberLayer
  | OnCallScheduleLayer
  | SilenceEntryLayer
  | ReportLayer
  | TimelineLayer
  | TimelineSearchLayer
  | SeriesLayer;

const LOADED_LAYER_KINDS: ReadonlySet<string> = new Set<LoadedLayerKind>([
  'dead-letter',
  'handling',
  'member',
  'schedule',
  'silence-entry',
  'report',
  'timeline',
  'timeline-search',
  'incident',
  'series',
]);

export function isLoadedLayer(layer: { readonly kind: string } | undefined): layer is LoadedLayer {
  return layer !== undefined && LOADED_LAYER_KINDS.has(layer.kind);
}
