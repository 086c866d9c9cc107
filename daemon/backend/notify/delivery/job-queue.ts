import { BinaryHeap } from '../../schedule/binary-heap.ts';

/** The run of a handler as memory holds it, without its event. */
export interface Ticket {
  readonly id: number;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly handler: string;
  /** The group of a group run. Client and check are then those of its first event. */
  readonly group?: { readonly id: string; readonly label: string; readonly events: number };
  /** Epoch milliseconds. */
  readonly queuedAtMs: number;
  /** Attempts since the backend started. */
  attempts: number;
}

/** The position of a ticket in the queue, and the next one for the same client and check. */
interface QueueEntry {
  readonly ticket: Ticket;
  readonly number: number;
  next: QueueEntry | undefined;
}

/**
 * The runs of one handler, in order of arrival. Only the first run for a client and check, or for a group, is ready.
 * The others wait until it has finished, so that a resolve never overtakes its problem.
 */
export class JobQueue {
  /** Number of runs in progress. */
  running = 0;
  /** Number of runs that wait for another attempt. */
  retrying = 0;
  /** Positions by job id, in order of arrival. */
  readonly #entries = new Map<number, QueueEntry>();
  readonly #ready = new BinaryHeap<QueueEntry>((a, b) => a.number < b.number);
  /** The last position for each client and check, or group. */
  readonly #tails = new Map<string, QueueEntry>();
  #lastNumber = 0;

  /** The number of runs that have not finished. */
  get size(): number {
    return this.#entries.size;
  }

  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  /** The oldest run that has not finished. */
  get oldest(): Ticket | undefined {
    for (const { ticket } of this.#entries.values()) return ticket;
    return undefined;
  }

  add(ticket: Ticket): void {
    const entry: QueueEntry = { ticket, number: ++this.#lastNumber, next: undefined };
    const key = keyOf(ticket);
    const tail = this.#tails.get(key);
    if (tail === undefined) this.#ready.add(entry);
    else tail.next = entry;
    this.#tails.set(key, entry);
    this.#entries.set(ticket.id, entry);
  }

  /** Takes the next ready run, which counts as running from now on. */
  take(): Ticket | undefined {
    const entry = this.#ready.takeFirst();
    if (entry !== undefined) this.running++;
    return entry?.ticket;
  }

  /** Removes a running run that has finished, and makes the next one for its client and check ready. */
  finish({ id }: Ticket): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.running--;
    this.#entries.delete(id);
    if (entry.next === undefined) this.#tails.delete(keyOf(entry.ticket));
    else this.#ready.add(entry.next);
  }

  /** Marks a running run as waiting for another attempt. It still blocks the later ones for its client and check. */
  putOff(): void {
    this.running--;
    this.retrying++;
  }

  /** Makes a run ready again when its retry delay has elapsed. */
  resume({ id }: Ticket): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.retrying--;
    this.#ready.add(entry);
  }
}

function keyOf({ namespace, client, check, group }: Ticket): string {
  return JSON.stringify(group === undefined ? [namespace, client, check] : [namespace, group.id]);
}
