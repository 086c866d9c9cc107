import { hash } from 'node:crypto';
import {
  AttributePacker,
  type AttributeEntries,
  type PackedAttributes,
} from '../../../../shared/domain/attribute-set.ts';
import { ATTRIBUTE_SET_BYTES, SET_ATTRIBUTE_BYTES, type Footprint } from '../registry/footprint.ts';

/** A set of attributes with the number of clients and checks that have it. */
export interface SharedAttributes {
  /** The set. Its id is a hash of its content, so that all backends give equal sets the same id. */
  readonly set: PackedAttributes;
  /** Estimated memory of the set, in bytes. */
  readonly bytes: number;
  uses: number;
}

/** Number of characters of an id: 66 bits of the hash. */
const ID_LENGTH = 11;

/**
 * Stores each distinct set of attributes of clients and of checks with open events once, for searches and for the feed.
 */
export class AttributeSets {
  readonly #byId = new Map<string, SharedAttributes>();
  readonly #packer = new AttributePacker();
  readonly #footprint: Footprint;

  constructor(footprint: Footprint) {
    this.#footprint = footprint;
  }

  get(id: string): SharedAttributes | undefined {
    return this.#byId.get(id);
  }

  all(): IterableIterator<SharedAttributes> {
    return this.#byId.values();
  }

  /**
   * Returns the shared set of these attributes, in the place of the present set of a client or check.
   *
   * @returns undefined if there are no attributes
   */
  replace(present: SharedAttributes | undefined, entries: AttributeEntries): SharedAttributes | undefined {
    if (present?.set.equals(entries) === true) return present;
    const next = entries.length === 0 ? undefined : this.#addSet(entries);
    this.release(present);
    return next;
  }

  /** Decrements the number of uses of a set, and removes the set when that number is 0. */
  release(shared: SharedAttributes | undefined): void {
    if (shared === undefined) return;
    shared.uses--;
    if (shared.uses > 0) return;
    this.#byId.delete(shared.set.id);
    this.#footprint.bytes -= shared.bytes;
  }

  #addSet(entries: AttributeEntries): SharedAttributes {
    const id = hash('sha256', JSON.stringify(entries), 'base64url').slice(0, ID_LENGTH);
    let shared = this.#byId.get(id);
    if (shared === undefined) {
      shared = { set: this.#packer.pack(id, entries), bytes: bytesOf(entries), uses: 0 };
      this.#byId.set(id, shared);
      this.#footprint.bytes += shared.bytes;
    }
    shared.uses++;
    return shared;
  }
}

/** Estimates the bytes of memory of a set. Names and texts are usually shared, but they count as if they were not. */
function bytesOf(entries: AttributeEntries): number {
  const lengths = entries.map(([, value]) => (typeof value === 'string' ? value.length : value.join('').length + 16));
  return ATTRIBUTE_SET_BYTES + lengths.reduce((sum, length) => sum + SET_ATTRIBUTE_BYTES + length, 0);
}
