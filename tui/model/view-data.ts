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

/** The data of the overview that the feed does not contain. */
export interface OverviewData {
  readonly overview: Overview;
  /** The actions of operators, the newest first; `undefined` if the backend does not report them. */
  readonly actions: readonly AuditRecord[] | undefined;
  /** `undefined` if the backend does not report them. */
  readonly handlers: readonly HandlerStatus[] | undefined;
}

/** The versions of all programs, and the health of the backend. */
export interface UpgradeData {
  readonly versions: Versions;
  readonly health: Health;
}

/** The backends that share a store. */
export interface ClusterData {
  readonly view: ClusterView;
  /** True if the user administers all namespaces; other users can only read. */
  readonly isAdministrator: boolean;
}

/** The data that views load, by the name of the view. Tables mostly load an array, pages anything. */
export interface ViewData {
  readonly overview: OverviewData;
  readonly upgrade: UpgradeData;
  /** The newest records of the audit trail, for the log, which is a layer and not a view. */
  readonly log: readonly AuditRecord[];
  /** The notifications that the silences suppressed, which the feed does not contain. */
  readonly 'kept-back': readonly SilencedDetail[];
  readonly aggregates: readonly (AggregateSummary & { readonly name: string })[];
  readonly checks: readonly DefinedCheck[];
  readonly 'dead-letters': readonly DeadLetterSummary[];
  readonly groups: readonly GroupRow[];
  readonly inhibitions: readonly InhibitionRow[];
  readonly cluster: ClusterData;
  /** The report of the last day for the overview, with shortened lists; it is loaded less often. */
  readonly day: Report;
}

export type LoadedView = keyof ViewData;

/** Views whose changes the feed sends while they are shown; the topic has the name of the view. */
export type FollowedView = 'groups' | 'inhibitions';

export function isFollowedView(view: string | undefined): view is FollowedView {
  return view === 'groups' || view === 'inhibitions';
}

/** The load state of a view's data. */
export interface ViewLoad<Data> {
  /** The newest data; a later failure keeps it. */
  readonly data: Data | undefined;
  /** Epoch milliseconds of the last response. */
  readonly loadedAtMs: number | undefined;
  /** Why the last request failed. */
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
