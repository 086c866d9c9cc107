import type { FeedMessage } from '../../../shared/schemas/feed.ts';

/** The connection of one consumer. */
interface Outlet {
  /** Whether it has taken enough of what it got before. */
  canTake(): boolean;
  send(message: FeedMessage): void;
  sendText(frame: string): void;
  /** Epoch milliseconds. */
  now(): number;
}

/** What one consumer hears of the transports that it asked for. Nothing waits for it: what it cannot take is counted. */
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

  /** @param frame a piece of a transport that is wanted */
  passOn(transport: string, frame: string): void {
    if (!this.#outlet.canTake()) {
      this.#missed.set(transport, (this.#missed.get(transport) ?? 0) + 1);
      return;
    }
    // Before the piece, so that the consumer knows where the gap is.
    this.#tell(transport);
    this.#outlet.sendText(frame);
  }

  /** Says how much was lost, as soon as the consumer takes something again. */
  tellMissed(): void {
    if (this.#missed.size === 0 || !this.#outlet.canTake()) return;
    for (const transport of this.#missed.keys()) this.#tell(transport);
  }

  #tell(transport: string): void {
    const count = this.#missed.get(transport);
    if (count === undefined) return;
    this.#missed.delete(transport);
    this.#outlet.send({ type: 'missed', transport, time: this.#outlet.now(), count });
  }
}
