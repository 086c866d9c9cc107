import type { FeedMessage } from '../../../shared/schemas/feed.ts';

/** The connection of one consumer. */
interface Outlet {
  /** Returns true if it has read enough of the earlier messages. */
  canTake(): boolean;
  send(message: FeedMessage): void;
  sendText(frame: string): void;
  /** Epoch milliseconds. */
  now(): number;
}

/**
 * Passes messages of the selected transports to one consumer. There is no queue: messages that it cannot accept are
 * counted as missed.
 */
export class TransportTap {
  readonly #names: ReadonlySet<string>;
  readonly #outlet: Outlet;
  readonly #missed = new Map<string, number>();

  constructor(names: readonly string[], outlet: Outlet) {
    this.#names = new Set(names);
    this.#outlet = outlet;
  }

  wants(name: string): boolean {
    return this.#names.has(name);
  }

  /** @param frame a message of a selected transport */
  passOn(transport: string, frame: string): void {
    if (!this.#outlet.canTake()) {
      this.#missed.set(transport, (this.#missed.get(transport) ?? 0) + 1);
      return;
    }
    // Sent before the message, so that the consumer knows the position of the gap.
    this.#sendMissed(transport);
    this.#outlet.sendText(frame);
  }

  /** Reports the number of missed messages, as soon as the consumer reads again. */
  reportMissed(): void {
    if (this.#missed.size === 0 || !this.#outlet.canTake()) return;
    for (const transport of this.#missed.keys()) this.#sendMissed(transport);
  }

  #sendMissed(transport: string): void {
    const count = this.#missed.get(transport);
    if (count === undefined) return;
    this.#missed.delete(transport);
    this.#outlet.send({ type: 'missed', transport, time: this.#outlet.now(), count });
  }
}
