/** Number of requests of one sender that may overtake each other. */
const WINDOW = 65_536;

interface SentBySender {
  /** Numbers up to this one count as seen. */
  floor: number;
  highest: number;
  readonly seen: Set<number>;
  lastSeenMs: number;
}

/**
 * Remembers the numbers of signed requests, so that none is accepted twice. Each sender numbers its requests. A request
 * older than `keepMs` is rejected by its time and need not be remembered.
 */
export class SeenRequests {
  readonly #keepMs: number;
  readonly #senders = new Map<string, SentBySender>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** @returns false if the sender has sent this number before, or too many higher numbers */
  isFirst(sender: string, number: number, nowMs: number): boolean {
    const sent = this.#of(sender, nowMs);
    if (number <= sent.floor || sent.seen.has(number)) return false;
    sent.seen.add(number);
    sent.highest = Math.max(sent.highest, number);
    if (sent.seen.size > 2 * WINDOW) raiseFloor(sent);
    return true;
  }

  #of(sender: string, nowMs: number): SentBySender {
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
  sent.floor = Math.max(sent.floor, sent.highest - WINDOW);
  for (const number of sent.seen) if (number <= sent.floor) sent.seen.delete(number);
}
