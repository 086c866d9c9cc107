/**
 * Estimated memory usage of the registry in bytes, updated when entries are added or removed. The size of each kind of
 * entry was measured and rounded up, and a test compares the sum with the heap. Texts add their length.
 */
export class Footprint {
  bytes = 0;
  /** Number of checks with a series, of all namespaces. */
  seriesCount = 0;
}

/** A map that adds a fixed number of bytes to the memory usage for each of its entries. */
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

/** Bytes of a client without its texts, including its entries in the indexes. */
export const CLIENT_BYTES = 188;
/** Bytes of a client in the index of one of its subscriptions. */
export const SUBSCRIBED_BYTES = 28;
/** Bytes of a client profile with its key; `PROFILE_SUBSCRIPTION_BYTES` is added for each subscription in it. */
export const PROFILE_BYTES = 300;
export const PROFILE_SUBSCRIPTION_BYTES = 120;
/** Bytes of a set of attributes of clients or checks; `SET_ATTRIBUTE_BYTES` is added for each attribute in it. */
export const ATTRIBUTE_SET_BYTES = 350;
export const SET_ATTRIBUTE_BYTES = 60;
export const CHECK_BYTES = 400;
/** Bytes of the series of a check with the usual number of metrics and points after the last full chunk. */
export const SERIES_BYTES = 2200;
/** Bytes of an open event, with the beginning of its output. */
export const EVENT_BYTES = 850;
/** Bytes for the membership of one check in one aggregate. */
export const MEMBER_BYTES = 120;
export const SILENCED_BYTES = 450;
/** Bytes of the compiled selector of a silence. */
export const SELECTOR_BYTES = 3000;
/** Bytes of the stored position in an agent's spool, or of the ban or tombstone of a deleted client. */
export const CLIENT_MARK_BYTES = 200;
