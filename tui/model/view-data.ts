import type { AggregateSummary } from '../../shared/schemas/aggregate.ts';
import type { ClusterView } from '../../shared/schemas/cluster.ts';
import type { DefinedCheck } from '../../shared/schemas/scheduled-check.ts';
import type { HandlerStatus, DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import type { Health } from '../../shared/client/api-client.ts';
import type { AuditRecord } from '../../shared/schemas/audit.ts';
import type { GroupRow } from '../../shared/schemas/grouping.ts';
import type { InhibitionRow } from '../../shared/schemas/inhibition.ts';
import type { ListedSchedule } from '../../shared/schemas/on-call.ts';
import type { Overview } from '../../shared/schemas/overview.ts';
import type { Report } from '../../shared/schemas/report.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import type { Versions } from '../../shared/schemas/versions.ts';

/** The data of the overview that the feed does not contain. */
export interface OverviewData {
  readonly overview: Overview;
  /** The actions of operators, the newest first; `undefined` if they could not be loaded. */
  readonly actions: readonly AuditRecord[] | undefined;
  /** The status of the handlers; `undefined` if it could not be loaded. */
  readonly handlers: readonly HandlerStatus[] | undefined;
}

/** The versions of all programs, and the health of the backend. */
export interface UpgradeData {
  readonly versions: Versions;
  readonly health: Health;
}

/** The data of the cluster view: the backends that share a store. */
export interface ClusterData {
  readonly view: ClusterView;
  /**
   * True if the user administers all namespaces, or if the backend does not report the user's rights. Other users can
   * only read.
   */
  readonly isAdministrator: boolean;
}

/** The data that each view loads by request, by the name of the view. */
export interface ViewData {
  readonly overview: OverviewData;
  readonly upgrade: UpgradeData;
  /** The newest audit records for the log screen. The log is no view, but its data is loaded like that of a view. */
  readonly log: readonly AuditRecord[];
  /** The silences with their counters of suppressed notifications, which the feed does not contain. */
  readonly 'kept-back': readonly SilencedDetail[];
  readonly aggregates: readonly (AggregateSummary & { readonly name: string })[];
  readonly checks: readonly DefinedCheck[];
  readonly 'dead-letters': readonly DeadLetterSummary[];
  readonly groups: readonly GroupRow[];
  readonly inhibitions: readonly InhibitionRow[];
  /** The schedules with their shifts, gaps and overrides in the next two weeks. */
  readonly 'on-call': readonly ListedSchedule[];
  readonly cluster: ClusterData;
  /**
   * The report of the last 24 hours for the overview, with shortened lists; it is loaded less often than the other
   * data.
   */
  readonly day: Report;
}

export type LoadedView = keyof ViewData;

/** Views whose rows the feed sends while they are visible; the topic of the feed has the name of the view. */
export type FollowedView = 'groups' | 'inhibitions';

export function isFollowedView(view: string | undefined): view is FollowedView {
  return view === 'groups' || view === 'inhibitions';
}

/** The data that a view loads by request, and the state of its requests. */
export interface ViewLoad<Data> {
  /** The data of the last successful response; a later failure does not remove it. */
  readonly data: Data | undefined;
  /** Epoch milliseconds of the last successful response. */
  readonly loadedAtMs: number | undefined;
  /** Why the last request for the data failed; `undefined` if it succeeded. */
  readonly failure: string | undefined;
  readonly isLoading: boolean;
  /** Epoch milliseconds of the last request. */
  readonly requestedAtMs: number;
}

export const NOT_LOADED: ViewLoad<never> = {
  data: undefined,
  loadedAtMs: undefined,
  failure: undefined,
  isLoading: false,
  requestedAtMs: -Infinity,
};

const LOADED_VIEWS: Readonly<Record<LoadedView, true>> = {
  overview: true,
  upgrade: true,
  log: true,
  'kept-back': true,
  aggregates: true,
  checks: true,
  'dead-letters': true,
  groups: true,
  inhibitions: true,
  'on-call': true,
  cluster: true,
  day: true,
};

export function isLoadedView(view: string): view is LoadedView {
  return Object.hasOwn(LOADED_VIEWS, view);
}
