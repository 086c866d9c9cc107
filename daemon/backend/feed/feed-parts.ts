import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { EntityLimit } from '../clients/entity-limit.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import type { ChangeLog } from './change-log.ts';
import type { Topic } from '../tables/topic.ts';

/** What the feed needs from the rest of the backend. */
export interface FeedParts {
  readonly registry: Registry;
  readonly batcher: Batcher;
  readonly changes: ChangeLog;
  /** In the order in which their rows are sent. */
  readonly topics: readonly Topic[];
  readonly clock: Clock;
  readonly log: Log;
  readonly storeId: string;
  /** The backend's name for people. */
  readonly name: string;
  /** Whether other backends may have the store, too. Default: no. */
  readonly isShared?: boolean | undefined;
  /** Whether the silences of all events are known. Default: yes. */
  readonly isPrepared?: (() => boolean) | undefined;
  readonly entityLimit: Pick<EntityLimit, 'nearLimit'>;
}
