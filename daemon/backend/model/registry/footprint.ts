/**
 * The memory usage of the registry, counted as entries come and go. The sizes are measured per kind and rounded up, and
 * a test compares them with the heap. Texts are counted by their length.
 */
export class Footprint {
  bytes = 0;
}

/** A map whose entries are counted. */
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

/** A client without its texts, with its entries in the indexes. */
export const CLIENT_BYTES = 180;
/** One subscription of one client. */
export const SUBSCRIBED_BYTES = 28;
/** A profile including its key, and each subscription in it. */
export const PROFILE_BYTES = 300;
export const PROFILE_SUBSCRIPTION_BYTES = 120;
export const CHECK_BYTES = 384;
/** An open event, with the beginning of its output. */
export const EVENT_BYTES = 850;
/** A check as a member of one aggregate. */
export const MEMBER_BYTES = 120;
export const SILENCED_BYTES = 450;
/** The compiled selector of a silence. */
export const SELECTOR_BYTES = 3000;
/** A mark for an agent's spool or for a deleted client. */
export const MARK_BYTES = 200;
