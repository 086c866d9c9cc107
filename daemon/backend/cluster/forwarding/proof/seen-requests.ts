/**
 * Requests can arrive out of order: at least this many request numbers below the highest one of a sender are still
 * accepted.
 */
const WINDOW_REQUESTS = 65_536;

interface SentBySender {
  /** The highest number up to which all numbers are treated as seen. */
  floor: number;
  highest: number;
  readonly seen: Set<number>;
  lastSeenMs: number;
}

/**
 * Records the numbers of signed requests, so that a replayed request is detected. Each sender numbers its requests.
 * After `keepMs` without a request the records of a sender can be dropped: a replay of its older requests is rejected
 * because of their signed time.
 */
export class SeenRequests {
  readonly #keepMs: number;
  readonly #senders = new Map<string, SentBySender>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /**
   * Records the number of a request.
   *
   * @returns true if the request can be accepted; false if the number was seen before, or is too far below the highest
   *   number of the sender
   */
  recordNumber(sender: string, number: number, nowMs: number): boolean {
    const sent = this.#requestsOf(sender, nowMs);
    if (number <= sent.floor || sent.seen.has(number)) return false;
    sent.seen.add(number);
    sent.highest = Math.max(sent.highest, number);
    if (sent.seen.size > 2 * WINDOW_REQUESTS) raiseFloor(sent);
    return true;
  }

  #requestsOf(sender: string, nowMs: number): SentBySender {
    const sent = this.#senders.get(sender);
    if (sent !== undefined) {
      sent.lastSeenMs = nowMs;
      return sent;
    }
    for (const [id, { lastSeenMs }] of this.#senders) if (nowMs - lastSeenMs > this.#keepMs) this.#senders.delete(id);
    const begun = { floor: 0, highest: 0, seen: new Set<number>(), lastSeenMs: nowMs };
    this.#senders.set(sender, begun);
    return begun;
  }
}

function raiseFloor(sent: SentBySender): void {
  sent.floor = Math.max(sent.floor, sent.highest - WINDOW_REQUESTS);
  for (const number of sent.seen) if (number <= sent.floor) sent.seen.delete(number);
}
