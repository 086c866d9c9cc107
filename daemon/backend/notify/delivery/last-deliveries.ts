import type { Deliveries, LastDelivery } from '../../../../shared/schemas/explain.ts';
import type { QueuedJob } from './job-queue.ts';

/**
 * Maximum number of runs whose state is kept in memory. If it is exceeded, the run whose state changed longest ago is
 * removed.
 */
const RETAINED_RUNS_MAX = 20_000;

type RunIdentity = Pick<QueuedJob, 'id' | 'namespace' | 'client' | 'check' | 'handler' | 'group'>;

/**
 * The state of the last run of each handler, for each client and check or for each group. Operators use it to find out
 * why nobody was paged.
 */
export class LastDeliveries implements Deliveries {
  readonly #retainedRunsMax: number;
  readonly #deliveries = new Map<string, LastDelivery & { readonly id: number }>();

  constructor(retainedRunsMax = RETAINED_RUNS_MAX) {
    this.#retainedRunsMax = retainedRunsMax;
  }

  lastDeliveryForCheck(namespace: string, client: string, check: string, handler: string): LastDelivery | undefined {
    return this.#findDelivery(deliveryKey({ namespace, client, check, handler }));
  }

  lastDeliveryForGroup(namespace: string, group: string, handler: string): LastDelivery | undefined {
    return this.#findDelivery(groupDeliveryKey(namespace, group, handler));
  }

  #findDelivery(key: string): LastDelivery | undefined {
    const entry = this.#deliveries.get(key);
    if (entry === undefined) return undefined;
    const { id: _, ...delivery } = entry;
    return delivery;
  }

  record(run: RunIdentity, delivery: LastDelivery): void {
    const { namespace, handler, group } = run;
    const key = group === undefined ? deliveryKey(run) : groupDeliveryKey(namespace, group.id, handler);
    const previous = this.#deliveries.get(key);
    if (previous !== undefined && previous.id > run.id) {
      // A newer run exists, so its state stays and the state of this older run is ignored. But while the newer run is
      // queued, it shows the failure reason of the older run.
      const inheritsReason = previous.state === 'queued' && delivery.state !== 'running';
      if (inheritsReason) this.#deliveries.set(key, addReason(previous, delivery.reason));
      return;
    }
    const isQueuedBehind =
      delivery.state === 'queued' && (previous?.state === 'retrying' || previous?.state === 'queued');
    this.#deliveries.delete(key);
    this.#deliveries.set(key, { ...(isQueuedBehind ? addReason(delivery, previous.reason) : delivery), id: run.id });
    if (this.#deliveries.size <= this.#retainedRunsMax) return;
    const { value: oldestKey } = this.#deliveries.keys().next();
    if (oldestKey !== undefined) this.#deliveries.delete(oldestKey);
  }
}

function addReason<SomeDelivery extends LastDelivery>(
  delivery: SomeDelivery,
  reason: string | undefined,
): Omit<SomeDelivery, 'reason'> {
  const { reason: _, ...attributes } = delivery;
  return reason === undefined ? attributes : { ...attributes, reason };
}

function deliveryKey({ namespace, client, check, handler }: Omit<RunIdentity, 'id' | 'group'>): string {
  return JSON.stringify([namespace, client, check, handler]);
}

function groupDeliveryKey(namespace: string, group: string, handler: string): string {
  return JSON.stringify([namespace, group, handler]);
}
