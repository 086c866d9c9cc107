import type { HandledEvent } from '../../../../../shared/schemas/handler-job.ts';
import type { HandlerSet } from '../../../../../shared/schemas/notification-log.ts';
import type { Key } from '../../../ports.ts';
import type { RecordTable } from '../../registry/table.ts';
import type { StoredTable } from '../../tables/stored-table.ts';
import { PendingResolution, pendingResolutionsOf } from './state.ts';

const PENDING_RESOLUTION_PREFIX = 'pending-resolution';

/** The stored form of a pending resolution: the handlers to notify, and the resolved event with its silence ids. */
interface StoredResolution {
  readonly handlers: HandlerSet;
  readonly event: HandledEvent;
}

const pendingResolutionKey = ({ namespace, client, check }: PendingResolution): Key => [
  PENDING_RESOLUTION_PREFIX,
  namespace,
  client,
  check,
];

/**
 * The table of pending resolutions, by client and check. Handlers get a pending resolution when no silence covers it
 * any more.
 */
export const PENDING_RESOLUTIONS: StoredTable & RecordTable<PendingResolution, HandledEvent> = {
  prefix: PENDING_RESOLUTION_PREFIX,
  isEntry: (entry): entry is PendingResolution => entry instanceof PendingResolution,
  key: pendingResolutionKey,
  encode: ({ handlers }, event) => JSON.stringify({ handlers, event } satisfies StoredResolution),
  decode: (text) => (JSON.parse(text) as StoredResolution).event,
  load(namespace, [, , client, check], text) {
    const { handlers, event } = JSON.parse(text) as StoredResolution;
    const details = { handlers, silencedBy: event.silenced_by };
    pendingResolutionsOf(namespace).put(new PendingResolution(namespace.name, String(client), String(check), details));
  },
  unload(namespace, [, , client, check]) {
    pendingResolutionsOf(namespace).remove({ client: String(client), check: String(check) });
  },
  clear(namespace) {
    const resolutions = pendingResolutionsOf(namespace);
    const all = [...resolutions.all()];
    for (const resolution of all) resolutions.remove(resolution);
    return all.map(pendingResolutionKey);
  },
};
