import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { ChangeLog } from './change-log.ts';
import type { Topic } from '../model/tables/feed-topic.ts';

/** The dependencies of the live feed. */
export interface FeedDependencies {
  readonly registry: Registry;
  readonly batcher: Batcher;
  readonly changes: ChangeLog;
  /** The topics of the feed, in the order in which their rows are sent. */
  readonly topics: readonly Topic[];
  readonly clock: Clock;
  readonly log: Log;
  readonly storeId: string;
  /** The name of this backend that operators see. */
  readonly name: string;
  /** True if other backends may share the store. Default: false. */
  readonly isShared?: boolean | undefined;
  /** Returns true if the silences of all events are evaluated, so that rows can be built. Default: always true. */
  readonly isPrepared?: (() => boolean) | undefined;
  readonly entityLimit: Pick<EntityLimit, 'nearLimit'>;
}
