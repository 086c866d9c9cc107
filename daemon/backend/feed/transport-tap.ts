import type { FeedMessage } from '../../../shared/schemas/feed.ts';

/** The connection of a feed consumer, to which messages of transports are sent. */
interface ConsumerConnection {
  /** Returns true if the connection is open, and its send buffer is not full. */
  canTake(): boolean;
  send(message: FeedMessage): void;
  sendText(frame: string): void;
  /** Returns the current time in epoch milliseconds. */
  now(): number;
}

/**
 * Sends the messages of the subscribed transports to one consumer. Messages are not queued: while the consumer cannot
 * take more, they are dropped and counted as missed.
 */
export class TransportSubscription {
  readonly #names: ReadonlySet<string>;
  readonly #outlet: ConsumerConnection;
  readonly #missed = new Map<string, number>();

  constructor(names: readonly string[], outlet: ConsumerConnection) {
    this.#names = new Set(names);
    this.#outlet = outlet;
  }

  wants(name: string): boolean {
    return this.#names.has(name);
  }

  /** @param frame message of the transport, already encoded as the JSON text of a frame */
  passOn(transport: string, frame: string): void {
    if (!this.#outlet.canTake()) {
      this.#missed.set(transport, (this.#missed.get(transport) ?? 0) + 1);
      return;
    }
    // The count of missed messages is sent before the message, so that the consumer knows where messages are missing.
    this.#sendMissed(transport);
    this.#outlet.sendText(frame);
  }

  /** Sends the number of missed messages of each transport, if the consumer can take messages again. */
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
