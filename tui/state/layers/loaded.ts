import type { CheckPast } from '../../../shared/schemas/availability.ts';
import type { Report } from '../../../shared/schemas/report.ts';
import type { TimelineRow } from '../../../shared/schemas/timeline.ts';
import type { DeadLetterSummary } from '../../../shared/schemas/dead-letter.ts';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import type { SilencedDetail } from '../../../shared/schemas/silenced.ts';
import type { SearchField } from '../search-field.ts';
import type { ViewLoad } from '../../model/view-data.ts';

/** The data that a layer requests while it is on top, by the kind of the layer. */
export interface LayerData {
  /** A handler run that failed for good, with the event that the handler would get, without secrets. */
  readonly 'dead-letter': DeadLetterSummary & {
    readonly event: Readonly<Record<string, unknown>>;
    readonly events?: readonly Readonly<Record<string, unknown>>[] | undefined;
  };
  /** One of the backends that share a store. */
  readonly member: ClusterMember;
  /** How each handler handles an event, with reasons. */
  readonly handling: EventExplanation;
  /** The details of a silence that the feed does not contain. */
  readonly 'silence-entry': SilencedDetail;
  /** The shift report. */
  readonly report: Report;
  /** The states and transitions of a check in a past time span. */
  readonly timeline: Transitions & { readonly past: CheckPast };
  /** The transitions that match a search. */
  readonly 'timeline-search': Transitions;
}

/** Transitions, the newest first. */
export interface Transitions {
  readonly rows: readonly TimelineRow[];
  /** True if there are older ones. */
  readonly more: boolean;
}

export type LoadedLayerKind = keyof LayerData;

/** A screen of text about one object. */
export interface LoadedLayerOf<Kind extends LoadedLayerKind> {
  readonly kind: Kind;
  /**
   * The id of the dead letter, silence or member, or the key of the event. For a timeline it is span and key,
   * for a report its span, for a search its text.
   */
  readonly id: string;
  readonly load: ViewLoad<LayerData[Kind]>;
  /** Index of the first visible line of the body. */
  readonly top: number;
  readonly search: SearchField;
}

export type DeadLetterLayer = LoadedLayerOf<'dead-letter'>;

export type HandlingLayer = LoadedLayerOf<'handling'>;

export type MemberLayer = LoadedLayerOf<'member'>;

export type SilenceEntryLayer = LoadedLayerOf<'silence-entry'>;

export type ReportLayer = LoadedLayerOf<'report'>;

export interface TimelineLayer extends LoadedLayerOf<'timeline'> {
  /** Epoch milliseconds of the selected outage; absent means the newest. */
  readonly at?: number;
}

export type TimelineSearchLayer = LoadedLayerOf<'timeline-search'>;

export type LoadedLayer =
  DeadLetterLayer | HandlingLayer | MemberLayer | SilenceEntryLayer | ReportLayer | TimelineLayer | TimelineSearchLayer;

const KINDS: ReadonlySet<string> = new Set<LoadedLayerKind>([
  'dead-letter',
  'handling',
  'member',
  'silence-entry',
  'report',
  'timeline',
  'timeline-search',
]);

export function isLoadedLayer(layer: { readonly kind: string } | undefined): layer is LoadedLayer {
  return layer !== undefined && KINDS.has(layer.kind);
}
