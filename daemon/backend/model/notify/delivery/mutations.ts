import type { GroupRun, HandledEvent, HandlerJob } from '../../../../../shared/schemas/handler-job.ts';
import type { Transaction } from '../../transaction/transaction.ts';
import type { Namespace } from '../../registry/namespace.ts';
import { encodeJob } from './stored-job.ts';
import { handlerJobKey } from './storage.ts';

/**
 * Enqueues a run of a handler for an event or a group. The commit of the transaction stores the run.
 *
 * @param event the event to send; for a group, the first of its events
 * @param group the group to send; undefined if the run sends only `event`
 */
export function enqueueJob(
  transaction: Transaction,
  namespace: Namespace,
  handler: string,
  event: HandledEvent,
  group?: GroupRun,
): void {
  const { registry, nowMs } = transaction;
  const job: HandlerJob = {
    id: registry.newJobId(nowMs),
    namespace: namespace.name,
    client: event.client.name,
    check: event.check.name,
    handler,
    queued_at: nowMs,
    event,
    ...(group !== undefined && { group }),
  };
  transaction.addJob(job);
  transaction.write(handlerJobKey(job.id), encodeJob(job));
}
