import type { Deliveries, Delivery } from '../../../../shared/schemas/explain.ts';
import type { Ticket } from './job-queue.ts';

/** Maximum number of runs whose state is kept in memory. The run whose state changed longest ago is removed first. */
const REMEMBERED_MAX = 20_000;

type Noted = Pick<Ticket, 'id' | 'namespace' | 'client' | 'check' | 'handler' | 'group'>;

/**
 * The state of the last run of each handler, for each client and check or for each group. It answers "why was I not
 * paged?".
 */
export class LastDeliveries implements Deliveries {
  readonly #limit: number;
  readonly #deliveries = new Map<string, Delivery & { readonly id: number }>();

  constructor(limit = REMEMBERED_MAX) {
    this.#limit = limit;
  }

  lastOf(namespace: string, client: string, check: string, handler: string): Delivery | undefined {
    return this.#at(keyOf({ namespace, client, check, handler }));
  }

  lastOfGroup(namespace: string, group: string, handler: string): Delivery | undefined {
    return this.#at(groupKey(namespace, group, handler));
  }

  #at(key: string): Delivery | undefined {
    const entry = this.#deliveries.get(key);
    if (entry === undefined) return undefined;
    const { id: _, ...delivery } = entry;
    return delivery;
  }

  note(ticket: Noted, delivery: Delivery): void {
    const { namespace, handler, group } = ticket;
    const key = group === undefined ? keyOf(ticket) : groupKey(namespace, group.id, handler);
    const previous = this.#deliveries.get(key);
    if (previous !== undefined && previous.id > ticket.id) {
      // Only the newest run counts. While it is queued behind this older run, it shows why the older run failed.
      const hasSameReason = previous.state === 'queued' && delivery.state !== 'running';
      if (hasSameReason) this.#deliveries.set(key, withReason(previous, delivery.reason));
      return;
    }
    const isBehind = delivery.state === 'queued' && (previous?.state === 'retrying' || previous?.state === 'queued');
    this.#deliveries.delete(key);
    this.#deliveries.set(key, { ...(isBehind ? withReason(delivery, previous.reason) : delivery), id: ticket.id });
    if (this.#deliveries.size <= this.#limit) return;
    const { value: first } = this.#deliveries.keys().next();
    if (first !== undefined) this.#deliveries.delete(first);
  }
}

function withReason<SomeDelivery extends Delivery>(
  delivery: SomeDelivery,
  reason: string | undefined,
): Omit<SomeDelivery, 'reason'> {
  const { reason: _, ...attributes } = delivery;
  return reason === undefined ? attributes : { ...attributes, reason };
}

function keyOf({ namespace, client, check, handler }: Omit<Noted, 'id' | 'group'>): string {
  return JSON.stringify([namespace, client, check, handler]);
}

function groupKey(namespace: string, group: string, handler: string): string {
  return JSON.stringify([namespace, group, handler]);
}
