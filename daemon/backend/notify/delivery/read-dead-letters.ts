import { redactGroup } from '../../../../shared/domain/notify/group-document.ts';
import { redactEvent } from '../../../../shared/domain/redact.ts';
import type { DeadLetterSummary, DeadLetterView } from '../../../../shared/schemas/dead-letter.ts';
import type { DeadLetterEntry } from './dead-letter-index.ts';
import type { Store } from '../../ports.ts';
import { decodeJob } from '../../model/notify/delivery/stored-job.ts';
import { handlerJobKey } from '../../model/notify/delivery/storage.ts';

export function toDeadLetterSummary(entry: DeadLetterEntry): DeadLetterSummary {
  const { id, handler, client, check, group, queuedAtMs, failed_at: failedAtMs, attempts, reason } = entry;
  return {
    id,
    handler,
    client,
    check,
    queued_at: Math.floor(queuedAtMs / 1000),
    failed_at: Math.floor(failedAtMs / 1000),
    attempts,
    reason,
    ...(group !== undefined && { group: { label: group.label, events: group.events } }),
  };
}

/**
 * Reads a dead letter with its redacted event, or the redacted events of its group; undefined if it is no longer
 * stored.
 */
export async function readDeadLetter(store: Store, entry: DeadLetterEntry): Promise<DeadLetterView | undefined> {
  const [text] = await store.getMany([handlerJobKey(entry.id)]);
  if (text === undefined) return undefined;
  const { event, group } = decodeJob(text);
  return {
    ...toDeadLetterSummary(entry),
    event: redactEvent(event),
    ...(group !== undefined && { events: redactGroup(group).events }),
  };
}
