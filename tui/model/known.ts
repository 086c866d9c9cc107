import type { ClientRow, SilencedRow } from '../../shared/schemas/feed.ts';
import type { AggregateBook } from './aggregate-book.ts';
import type { EventRegistry } from './event-registry.ts';
import type { WhereColumn } from './where-column.ts';
import type { FeedStatus } from './feed-status.ts';
import type { UpgradePlans } from './plans.ts';
import type { SilenceHistory } from './silence-history.ts';
import type { ViewLoads } from './view-loads.ts';

/** What is known of the backend, as it was told last. */
export interface Known {
  readonly events: EventRegistry;
  /** By id. */
  readonly silenced: ReadonlyMap<string, SilencedRow>;
  /** By name. */
  readonly clients: ReadonlyMap<string, ClientRow>;
  readonly aggregates: AggregateBook;
  readonly plans: UpgradePlans;
  readonly silenceHistory: SilenceHistory;
  /** What views have asked for. */
  readonly loads: ViewLoads;
  readonly feed: FeedStatus;
  /** Of the frame that is being drawn: all ages in it count from here. Epoch milliseconds. */
  readonly nowMs: number;
}

/** The places that rows are of, where there are several: backends, or namespaces of one. */
export interface Places {
  /** Of a merged list, each backend by its context; `undefined`: there is one. */
  readonly backends: ReadonlyMap<string, FeedStatus> | undefined;
  /** Those that can be shown, as far as the backend has told. */
  readonly namespaces: readonly string[];
  /** The column that tells rows of the same name apart; undefined: everything is of one place. */
  readonly whereColumn: WhereColumn;
  places(): Iterable<string>;
}
