/**
 * What the registry keeps in memory, counted as things come and go. The figures are what one of each was seen to take, on
 * the safe side, and a test holds them against the heap; texts are counted by their length.
 */
export class Footprint {
  bytes = 0;
}

/** A map whose entries count. */
export class CountedMap<Value> extends Map<string, Value> {
  readonly #footprint: Footprint;
  readonly #bytesEach: number;

  constructor(footprint: Footprint, bytesEach: number) {
    super();
    this.#footprint = footprint;
    this.#bytesEach = bytesEach;
  }

  override set(key: string, value: Value): this {
    if (!this.has(key)) this.#footprint.bytes += this.#bytesEach;
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    const wasThere = super.delete(key);
    if (wasThere) this.#footprint.bytes -= this.#bytesEach;
    return wasThere;
  }

  override clear(): void {
    this.#footprint.bytes -= this.#bytesEach * this.size;
    super.clear();
  }
}

/** A client, without its texts, and its place in the indexes. */
export const CLIENT_BYTES = 180;
/** One subscription of one client. */
export const SUBSCRIBED_BYTES = 28;
/** A profile and, in it, each subscription; its key is kept with it. */
export const PROFILE_BYTES = 300;
export const PROFILE_SUBSCRIPTION_BYTES = 120;
export const CHECK_BYTES = 384;
/** An open event, with the beginning of its output. */
export const EVENT_BYTES = 850;
/** A check as a member of one aggregate. */
export const MEMBER_BYTES = 120;
export const SILENCED_BYTES = 450;
/** The selector of one, ready to be evaluated. */
export const SELECTOR_BYTES = 3000;
/** What is remembered of an agent or of a client that was deleted. */
export const MARK_BYTES = 200;
