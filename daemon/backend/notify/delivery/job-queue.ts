import { BinaryHeap } from '../../schedule/binary-heap.ts';

/** A handler run as an entry of a queue in memory. The event of the run is in the stored job with the same id. */
export interface QueuedJob {
  readonly id: number;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly handler: string;
  /**
   * The group whose events the run sends, with the number of its events; absent for a run with a single event. If a
   * group is present, `client` and `check` are those of the first event of the group.
   */
  readonly group?: { readonly id: string; readonly label: string; readonly events: number };
  /** Time when the run was queued, in epoch milliseconds. */
  readonly queuedAtMs: number;
  /** Number of attempts since the backend started, or since the dead letter was retried. */
  attempts: number;
}

/** A run in the queue, with its position and the next run for the same client and check, or for the same group. */
interface QueueEntry {
  readonly ticket: QueuedJob;
  readonly position: number;
  nextWithSameOrderingKey: QueueEntry | undefined;
}

/**
 * The queue of the unfinished runs of one handler. Runs for the same client and check, or for the same group, start
 * only one after another, in their order. So a resolution never overtakes its problem.
 */
export class JobQueue {
  /** Number of runs in progress. */
  runningCount = 0;
  /** Number of runs whose next attempt is delayed and has not started. */
  retryingCount = 0;
  /** All unfinished runs by the ids of their jobs, in order of arrival. */
  readonly #entries = new Map<number, QueueEntry>();
  readonly #readyEntries = new BinaryHeap<QueueEntry>((a, b) => a.position < b.position);
  /** The last unfinished run for each client and check, or for each group. */
  readonly #lastEntryByOrderingKey = new Map<string, QueueEntry>();
  #lastPosition = 0;

  /** The number of runs that have not finished. */
  get size(): number {
    return this.#entries.size;
  }

  get hasReadyRun(): boolean {
    return this.#readyEntries.size > 0;
  }

  /** The oldest run that has not finished; undefined if there is none. */
  get oldestUnfinishedRun(): QueuedJob | undefined {
    for (const { ticket } of this.#entries.values()) return ticket;
    return undefined;
  }

  add(ticket: QueuedJob): void {
    const entry: QueueEntry = { ticket, position: ++this.#lastPosition, nextWithSameOrderingKey: undefined };
    const key = orderingKey(ticket);
    const last = this.#lastEntryByOrderingKey.get(key);
    if (last === undefined) this.#readyEntries.add(entry);
    else last.nextWithSameOrderingKey = entry;
    this.#lastEntryByOrderingKey.set(key, entry);
    this.#entries.set(ticket.id, entry);
  }

  /** Returns the oldest run that can start, and counts it as running; undefined if no run can start. */
  startNext(): QueuedJob | undefined {
    const entry = this.#readyEntries.takeFirst();
    if (entry !== undefined) this.runningCount++;
    return entry?.ticket;
  }

  /**
   * Removes a run that has finished. The next run for the same client and check, or for the same group, can start now.
   */
  finish({ id }: QueuedJob): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.runningCount--;
    this.#entries.delete(id);
    if (entry.nextWithSameOrderingKey === undefined) this.#lastEntryByOrderingKey.delete(orderingKey(entry.ticket));
    else this.#readyEntries.add(entry.nextWithSameOrderingKey);
  }

  /**
   * Counts a run as waiting for its next attempt and no longer as in progress. The run still blocks later runs for the
   * same client and check, or for the same group.
   */
  moveToRetrying(): void {
    this.runningCount--;
    this.retryingCount++;
  }

  /** Makes a run ready for its next attempt. Called when the delay before this attempt is over. */
  resume({ id }: QueuedJob): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.retryingCount--;
    this.#readyEntries.add(entry);
  }
}

function orderingKey({ namespace, client, check, group }: QueuedJob): string {
  return JSON.stringify(group === undefined ? [namespace, client, check] : [namespace, group.id]);
}
