import type { Deliveries, Delivery } from '../../../shared/schemas/explain.ts';
import type { Ticket } from './job-queue.ts';

/** Last runs that are remembered; those that changed longest ago are forgotten first. */
const REMEMBERED_MAX = 20_000;

/** How the last run of each handler for each client and check stands, for "why was I not paged?". */
export class LastDeliveries implements Deliveries {
  readonly #limit: number;
  readonly #deliveries = new Map<string, Delivery & { readonly id: number }>();

  constructor(limit = REMEMBERED_MAX) {
    this.#limit = limit;
  }

  lastOf(namespace: string, client: string, check: string, handler: string): Delivery | undefined {
    const known = this.#deliveries.get(keyOf({ namespace, client, check, handler }));
    if (known === undefined) return undefined;
    const { id: _, ...delivery } = known;
    return delivery;
  }

  note(ticket: Pick<Ticket, 'id' | 'namespace' | 'client' | 'check' | 'handler'>, delivery: Delivery): void {
    const key = keyOf(ticket);
    const known = this.#deliveries.get(key);
    // While a run goes on, later ones may be waiting already: the last is the one that counts.
    if (known !== undefined && known.id > ticket.id) return;
    this.#deliveries.delete(key);
    this.#deliveries.set(key, { ...delivery, id: ticket.id });
    if (this.#deliveries.size <= this.#limit) return;
    const { value: first } = this.#deliveries.keys().next();
    if (first !== undefined) this.#deliveries.delete(first);
  }
}

function keyOf({ namespace, client, check, handler }: Omit<Parameters<LastDeliveries['note']>[0], 'id'>): string {
  return JSON.stringify([namespace, client, check, handler]);
}
