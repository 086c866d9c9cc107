import { MonError } from '../../../../shared/errors.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { Log } from '../../../log/log.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { DELIVERED_OUTCOME, retryableFailure, type DeliveryOutcome } from './outcome.ts';

/** Removes monitored clients in the same way as the API request `DELETE /clients/:client`. */
export interface ClientRemover {
  /**
   * Resolves all events of a client, then removes the client with its results.
   *
   * @throws MonError `not_found` when there is no such client, `unavailable` when the commit fails
   */
  remove(
    namespace: string,
    client: string,
    invalidation: { readonly expireSeconds: number | undefined },
  ): Promise<void>;
}

interface DeregistrationDependencies {
  readonly clients: ClientRemover;
  readonly registry: Pick<Registry, 'namespace'>;
  readonly log: Log;
  /** Log fields that identify the handler run. */
  readonly logFields: object;
}

/**
 * Runs the built-in handler `deregistration`, which removes the client of the event as `DELETE /clients/:client` does.
 * If the client does not exist any more, the run counts as delivered. If the client has sent a keepalive after the
 * event, it is not removed: the handler may run long after the event, for example for a retried dead letter.
 */
export async function runDeregistrationHandler(
  { namespace, client, event }: HandlerJob,
  { clients, registry, log, logFields }: DeregistrationDependencies,
): Promise<DeliveryOutcome> {
  const entry = registry.namespace(namespace).clients.get(client);
  if (entry !== undefined && entry.timestamp > event.timestamp) {
    log.info(logFields, 'client was not deregistered: it has sent a keepalive again');
    return DELIVERED_OUTCOME;
  }
  try {
    await clients.remove(namespace, client, { expireSeconds: undefined });
    return DELIVERED_OUTCOME;
  } catch (error) {
    if (!(error instanceof MonError)) throw error;
    return error.code === 'not_found' ? DELIVERED_OUTCOME : retryableFailure(error.message);
  }
}
