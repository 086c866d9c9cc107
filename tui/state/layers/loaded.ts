import type { CheckPast } from '../../../shared/schemas/availability.ts';
import type { Report } from '../../../shared/schemas/report.ts';
import type { TimelineRow } from '../../../shared/schemas/timeline.ts';
import type { DeadLetterSummary } from '../../../shared/schemas/dead-letter.ts';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import type { SilencedDetail } from '../../../shared/schemas/silenced.ts';
import type { SearchField } from '../search-field.ts';
import type { ViewLoad } from '../../model/view-data.ts';

/** What a layer asks the backend for as long as it is on top, by the kind of the layer. */
export interface LayerData {
  /** A run of a handler that failed for good, with its event as the handler would get it, without secrets. */
  readonly 'dead-letter': DeadLetterSummary & {
    readonly event: Readonly<Record<string, unknown>>;
    readonly events?: readonly Readonly<Record<string, unknown>>[] | undefined;
  };
  /** One of the backends that share a store. */
  readonly member: ClusterMember;
  /** What becomes of an event at each handler, and why. */
  readonly handling: EventExplanation;
  /** What the feed does not tell of a silence. */
  readonly 'silence-entry': SilencedDetail;
  /** What there is to hand over. */
  readonly report: Report;
  /** A check in a span of the past, with what became of it. */
  readonly timeline: Transitions & { readonly past: CheckPast };
  /** What a search found in the past. */
  readonly 'timeline-search': Transitions;
}

/** Transitions, the newest first. */
export interface Transitions {
  readonly rows: readonly TimelineRow[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

export type LoadedLayerKind = keyof LayerData;

/** Something on a screen of its own that is read from top to bottom. */
export interface LoadedLayerOf<Kind extends LoadedLayerKind> {
  readonly kind: Kind;
  /**
   * Of the dead letter, the silence or the member; of an event its key. Of a timeline its span and the key, of a report how
   * long it goes back, of the past what is searched for.
   */
  readonly id: string;
  readonly load: ViewLoad<LayerData[Kind]>;
  /** First line of the body that is shown. */
  readonly top: number;
  readonly search: SearchField;
}

export type DeadLetterLayer = LoadedLayerOf<'dead-letter'>;

export type HandlingLayer = LoadedLayerOf<'handling'>;

export type MemberLayer = LoadedLayerOf<'member'>;

export type SilenceEntryLayer = LoadedLayerOf<'silence-entry'>;

export type ReportLayer = LoadedLayerOf<'report'>;

export interface TimelineLayer extends LoadedLayerOf<'timeline'> {
  /** Of the outage that was stepped to, epoch milliseconds; absent: the newest. */
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
