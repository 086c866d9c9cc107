import { MonError } from '../../../shared/errors.ts';
import type { HandlerJob } from '../../../shared/schemas/handler-job.ts';
import type { Log } from '../../log/log.ts';
import type { Registry } from '../registry/registry.ts';
import { DELIVERED, failedForNow, type DeliveryOutcome } from './outcome.ts';

/** Where clients are removed from, as the API does it. */
export interface ClientRemoval {
  /** @throws MonError `not_found`, `unavailable` */
  remove(
    namespace: string,
    client: string,
    invalidation: { readonly expireSeconds: number | undefined },
  ): Promise<void>;
}

interface DeregistrationDeps {
  readonly clients: ClientRemoval;
  readonly registry: Pick<Registry, 'namespace'>;
  readonly log: Log;
  /** What the record of the log says about the run. */
  readonly about: object;
}

/**
 * Removes the client of the event as `DELETE /clients/:client` does; one that is gone is what was wanted. One that gave
 * a sign of life since is back, and stays: the run may come long after its event, from the list of dead letters for
 * instance.
 */
export async function deregister(
  { namespace, client, event }: HandlerJob,
  { clients, registry, log, about }: DeregistrationDeps,
): Promise<DeliveryOutcome> {
  const known = registry.namespace(namespace).clients.get(client);
  if (known !== undefined && known.timestamp > event.timestamp) {
    log.info(about, 'client has reconnected and is not deregistered');
    return DELIVERED;
  }
  try {
    await clients.remove(namespace, client, { expireSeconds: undefined });
    return DELIVERED;
  } catch (error) {
    if (!(error instanceof MonError)) throw error;
    return error.code === 'not_found' ? DELIVERED : failedForNow(error.message);
  }
}
