import { BinaryHeap } from '../schedule/binary-heap.ts';

/** A run of a handler in memory: everything but its event. */
export interface Ticket {
  readonly id: number;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly handler: string;
  /** Of a run of a group. The client and the check are those of the first event. */
  readonly group?: { readonly id: string; readonly label: string; readonly events: number };
  /** Epoch milliseconds. */
  readonly queuedAtMs: number;
  /** Tries since the backend started. */
  attempts: number;
}

/** Its place in the queue, and what waits for the same client and check behind it. */
interface Place {
  readonly ticket: Ticket;
  readonly number: number;
  next: Place | undefined;
}

/**
 * The runs of one handler, in the order in which they came. Of one client and check, or of one group, only the first
 * can have its turn: the others wait until it is over, so that a resolve never overtakes what it resolves.
 */
export class JobQueue {
  /** Runs that have their turn. */
  running = 0;
  /** Runs that wait for another try. */
  retrying = 0;
  /** In the order of their numbers. */
  readonly #places = new Map<number, Place>();
  readonly #ready = new BinaryHeap<Place>((a, b) => a.number < b.number);
  /** The last one of each client and check. */
  readonly #tails = new Map<string, Place>();
  #lastNumber = 0;

  /** Runs that are not over. */
  get size(): number {
    return this.#places.size;
  }

  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  /** The one that came first of those that are not over. */
  get oldest(): Ticket | undefined {
    for (const { ticket } of this.#places.values()) return ticket;
    return undefined;
  }

  add(ticket: Ticket): void {
    const place: Place = { ticket, number: ++this.#lastNumber, next: undefined };
    const key = keyOf(ticket);
    const tail = this.#tails.get(key);
    if (tail === undefined) this.#ready.add(place);
    else tail.next = place;
    this.#tails.set(key, place);
    this.#places.set(ticket.id, place);
  }

  /** The next one whose turn can come, which is running from now on. */
  take(): Ticket | undefined {
    const place = this.#ready.takeFirst();
    if (place !== undefined) this.running++;
    return place?.ticket;
  }

  /** One that is running is over. */
  finish({ id }: Ticket): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.running--;
    this.#places.delete(id);
    if (place.next === undefined) this.#tails.delete(keyOf(place.ticket));
    else this.#ready.add(place.next);
  }

  /** One that is running waits for another try, and holds back those of its client and check. */
  putOff(): void {
    this.running--;
    this.retrying++;
  }

  /** The time of one that was put off has come. */
  resume({ id }: Ticket): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.retrying--;
    this.#ready.add(place);
  }
}

function keyOf({ namespace, client, check, group }: Ticket): string {
  return JSON.stringify(group === undefined ? [namespace, client, check] : [namespace, group.id]);
}
