import { AttributePacker, type PackedAttributes } from '../domain/attribute-set.ts';
import { CHECK_ATTRIBUTES, CLIENT_ATTRIBUTES, type AttributeSet } from '../schemas/attribute-set.ts';
import type { EventRow, FeedRows } from '../schemas/feed.ts';

/** An event row while its ids of sets are replaced by the sets. */
interface ReceivedRow {
  [CLIENT_ATTRIBUTES]?: AttributeSet | undefined;
  [CHECK_ATTRIBUTES]?: AttributeSet | undefined;
  client_set?: string | undefined;
  check_set?: string | undefined;
}

/**
 * The sets of attributes that a feed has sent. Adds to each event the attributes of its client and its check, which are
 * shared by all events with equal attributes.
 */
export class ReceivedAttributes {
  #sets = new Map<string, PackedAttributes>();
  #packer = new AttributePacker();

  clear(): void {
    this.#sets = new Map();
    this.#packer = new AttributePacker();
  }

  /** Stores the sets in rows of the feed, and adds the attributes to the events in them. */
  apply({ attributes = {}, events = {} }: FeedRows): void {
    for (const [key, row] of Object.entries(attributes)) {
      // The key of a set begins with its namespace if all namespaces are requested. Equal sets have equal ids.
      const id = key.slice(key.lastIndexOf('/') + 1);
      if (row === null) this.#sets.delete(id);
      else this.#sets.set(id, this.#packer.pack(id, Object.entries(row.attributes)));
    }
    for (const key in events) {
      const row = events[key];
      if (row !== null && row !== undefined) this.addTo(row);
    }
  }

  /** Replaces the ids of sets in an event row, which has just been received, by the sets themselves. */
  addTo(row: EventRow): void {
    // Nothing else has read the row yet, so it is changed in place: a snapshot can have a hundred thousand rows.
    const received = row as ReceivedRow;
    const { client_set: clientSet, check_set: checkSet } = received;
    if (clientSet !== undefined) {
      received[CLIENT_ATTRIBUTES] = this.#sets.get(clientSet);
      received.client_set = undefined;
    }
    if (checkSet !== undefined) {
      received[CHECK_ATTRIBUTES] = this.#sets.get(checkSet);
      received.check_set = undefined;
    }
  }
}
