import { MonError } from '../../../shared/errors.ts';
import type { HandlerJob } from '../../../shared/schemas/handler-job.ts';
import type { Clients } from '../pipeline/clients.ts';
import { DELIVERED, failedForNow, type DeliveryOutcome } from './outcome.ts';

/** Removes the client of the event as `DELETE /clients/:client` does; one that is gone is what was wanted. */
export async function deregister(
  { namespace, client }: HandlerJob,
  clients: Pick<Clients, 'remove'>,
): Promise<DeliveryOutcome> {
  try {
    await clients.remove(namespace, client, { expireSeconds: undefined });
    return DELIVERED;
  } catch (error) {
    if (!(error instanceof MonError)) throw error;
    return error.code === 'not_found' ? DELIVERED : failedForNow(error.message);
  }
}
