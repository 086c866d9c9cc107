import { BinaryHeap } from '../../schedule/binary-heap.ts';

/** A run of a handler in the queue in memory. It identifies the stored job, which has the event. */
export interface Ticket {
  readonly id: number;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly handler: string;
  /**
   * The group that the run notifies of, with the number of its events; absent for a single event. Client and check are
   * then those of the first event of the group.
   */
  readonly group?: { readonly id: string; readonly label: string; readonly events: number };
  /** Time when the run was queued, in epoch milliseconds. */
  readonly queuedAtMs: number;
  /** Number of attempts since the backend started, or since the dead letter was retried. */
  attempts: number;
}

/** A run in the queue, with its position and the next run for the same client and check, or for the same group. */
interface QueueEntry {
  readonly ticket: Ticket;
  readonly number: number;
  next: QueueEntry | undefined;
}

/**
 * The queue of the unfinished runs of one handler. Of the runs for one client and check, or for one group, only the
 * first can start. The others wait until it has finished, so that a resolution never overtakes its problem.
 */
export class JobQueue {
  /** Number of runs in progress. */
  running = 0;
  /** Number of runs that wait for the delay before their next attempt. */
  retrying = 0;
  /** All unfinished runs by the ids of their jobs, in order of arrival. */
  readonly #entries = new Map<number, QueueEntry>();
  readonly #ready = new BinaryHeap<QueueEntry>((a, b) => a.number < b.number);
  /** The last unfinished run for each client and check, or for each group. */
  readonly #tails = new Map<string, QueueEntry>();
  #lastNumber = 0;

  /** The number of runs that have not finished. */
  get size(): number {
    return this.#entries.size;
  }

  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  /** The oldest run that has not finished; undefined if there is none. */
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

  /** Returns the oldest run that can start, and counts it as running; undefined if no run can start. */
  take(): Ticket | undefined {
    const entry = this.#ready.takeFirst();
    if (entry !== undefined) this.running++;
    return entry?.ticket;
  }

  /**
   * Removes a run that has finished. The next run for the same client and check, or for the same group, can then start.
   */
  finish({ id }: Ticket): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.running--;
    this.#entries.delete(id);
    if (entry.next === undefined) this.#tails.delete(keyOf(entry.ticket));
    else this.#ready.add(entry.next);
  }

  /**
   * Counts a running run as one that waits for its next attempt. It still blocks later runs for the same client and
   * check, or for the same group.
   */
  putOff(): void {
    this.running--;
    this.retrying++;
  }

  /** Lets a run start again after the delay before its next attempt. */
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
