import type { ClientRow, SilencedRow } from '../../shared/schemas/feed.ts';
import type { ConsoleAggregates } from './aggregate-book.ts';
import type { EventFolds } from './event-folds.ts';
import type { EventRegistry } from './event-registry.ts';
import type { WhereColumn } from './where-column.ts';
import type { FeedStatus } from './feed-status.ts';
import type { UpgradePlans } from './plans.ts';
import type { SilenceHistory } from './silence-history.ts';
import type { ViewLoads } from './view-loads.ts';

/** The data of the shown backend, as last received. */
export interface LiveData {
  readonly events: EventRegistry;
  /** The events with similar events folded into one row each. */
  readonly folds: EventFolds;
  /** The silences by id. */
  readonly silenced: ReadonlyMap<string, SilencedRow>;
  /** The clients by name. */
  readonly clients: ReadonlyMap<string, ClientRow>;
  readonly aggregates: ConsoleAggregates;
  readonly plans: UpgradePlans;
  readonly silenceHistory: SilenceHistory;
  /** The data that views load by request, because the feed does not contain it. */
  readonly loads: ViewLoads;
  readonly feed: FeedStatus;
  /** The numbers of rows that match the saved views with a tab, by the name of the view. */
  readonly savedCounts: { of(name: string): number | undefined };
  /** Time of the frame that is drawn, in epoch milliseconds. All ages in the frame are computed from it. */
  readonly nowMs: number;
  /** The feed status of each backend in a merged list, by context; `undefined` for a single backend. */
  readonly backends: ReadonlyMap<string, FeedStatus> | undefined;
  /** The namespaces that can be shown, as far as the backend has reported them. */
  readonly namespaces: readonly string[];
  /**
   * The column that distinguishes rows with the same name: the backend or the namespace. `undefined` if the list is not
   * merged.
   */
  readonly whereColumn: WhereColumn;
  sourceNames(): Iterable<string>;
}
