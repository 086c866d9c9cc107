import type { AggregateSummary } from '../../shared/schemas/aggregate.ts';
import type { ClusterView } from '../../shared/schemas/cluster.ts';
import type { DefinedCheck } from '../../shared/schemas/scheduled-check.ts';
import type { HandlerStatus, DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import type { Health } from '../../shared/client/api-client.ts';
import type { AuditRecord } from '../../shared/schemas/audit.ts';
import type { GroupRow } from '../../shared/schemas/grouping.ts';
import type { InhibitionRow } from '../../shared/schemas/inhibition.ts';
import type { Overview } from '../../shared/schemas/overview.ts';
import type { Report } from '../../shared/schemas/report.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import type { Versions } from '../../shared/schemas/versions.ts';

/** What the overview knows that the feed does not bring. */
export interface OverviewData {
  readonly overview: Overview;
  /** What operators did, the newest first; `undefined`: the backend does not tell. */
  readonly actions: readonly AuditRecord[] | undefined;
  /** `undefined`: the backend does not tell. */
  readonly handlers: readonly HandlerStatus[] | undefined;
}

/** What runs where, and whether the backend is well. */
export interface UpgradeData {
  readonly versions: Versions;
  readonly health: Health;
}

/** The backends that share a store. */
export interface ClusterData {
  readonly view: ClusterView;
  /** Of all namespaces: others look on. */
  readonly isAdministrator: boolean;
}

/** What views load, each by the name of its view. Of tables mostly an array; anything for pages. */
export interface ViewData {
  readonly overview: OverviewData;
  readonly upgrade: UpgradeData;
  /** Of the log, which is no view but lies over one: the newest records of the audit trail, the newest first. */
  readonly log: readonly AuditRecord[];
  /** What silences kept back, which the feed does not tell. */
  readonly 'kept-back': readonly SilencedDetail[];
  readonly aggregates: readonly (AggregateSummary & { readonly name: string })[];
  readonly checks: readonly DefinedCheck[];
  readonly 'dead-letters': readonly DeadLetterSummary[];
  readonly groups: readonly GroupRow[];
  readonly inhibitions: readonly InhibitionRow[];
  readonly cluster: ClusterData;
  /** Of the overview, but less often: what there is to hand over of the last day, with little of its lists. */
  readonly day: Report;
}

export type LoadedView = keyof ViewData;

/** Views that the feed tells while they are looked at, each by the topic of its name. */
export type FollowedView = 'groups' | 'inhibitions';

export function isFollowedView(view: string | undefined): view is FollowedView {
  return view === 'groups' || view === 'inhibitions';
}

/** What is known of a view's data. */
export interface ViewLoad<Data> {
  /** The newest answer; it stays when a later request fails. */
  readonly data: Data | undefined;
  /** Epoch milliseconds of that answer. */
  readonly loadedAtMs: number | undefined;
  /** Why the last request brought nothing. */
  readonly failure: string | undefined;
  readonly isLoading: boolean;
  /** Epoch milliseconds of the last request. */
  readonly askedAtMs: number;
}

export const NOT_LOADED: ViewLoad<never> = {
  data: undefined,
  loadedAtMs: undefined,
  failure: undefined,
  isLoading: false,
  askedAtMs: -Infinity,
};

const LOADED: Readonly<Record<LoadedView, true>> = {
  overview: true,
  upgrade: true,
  log: true,
  'kept-back': true,
  aggregates: true,
  checks: true,
  'dead-letters': true,
  groups: true,
  inhibitions: true,
  cluster: true,
  day: true,
};

export function isLoadedView(view: string): view is LoadedView {
  return Object.hasOwn(LOADED, view);
}
