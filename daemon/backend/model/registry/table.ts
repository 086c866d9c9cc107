import type { Corrections } from '../../../clock/corrections.ts';
import type { Change, Key } from '../../ports.ts';

/**
 * Describes how a transaction stores one kind of objects: in the store, and in the memory of a `Holder`. The holder is
 * a namespace or the registry of the whole backend.
 */
export interface Table<Holder, Id, Item> {
  readonly key: (holder: Holder, id: Id) => Key;
  /** Returns the text that is stored for an object. */
  readonly encode: (item: Item) => string;
  /** Puts an object into memory. It replaces the object with this id. */
  readonly putInMemory: (holder: Holder, id: Id, item: Item) => void;
  /** Removes an object from memory. */
  readonly removeFromMemory: (holder: Holder, id: Id) => void;
  /**
   * Returns the change record that announces that an object was added, updated or removed; absent if changes of this
   * kind are not announced.
   */
  readonly change?: (holder: Holder, id: Id) => Change;
}

/**
 * A kind of objects that are written once per batch, in their last state. Before that, only memory has their current
 * state.
 */
export interface LatestTable<Holder, Id> {
  readonly key: (holder: Holder, id: Id) => Key;
  /** Returns the text to store; undefined if the object was removed, so that nothing is written. */
  readonly encodeLatest: (holder: Holder, id: Id) => string | undefined;
}

/**
 * A kind of objects whose stored records stay in the store and are read on demand. The entry of an object in memory has
 * the state that decisions need.
 */
export interface RecordTable<Entry extends object, Body> {
  readonly isEntry: (entry: object) => entry is Entry;
  readonly key: (entry: Entry) => Key;
  /**
   * Returns the text that is stored for a record.
   *
   * @param era number of clock corrections so far; undefined if there were none
   */
  readonly encode: (entry: Entry, body: Body, era: number | undefined) => string;
  /**
   * Parses a stored record.
   *
   * @returns the record, with its times shifted by later clock corrections, so that ages are correct
   */
  readonly decode: (text: string, corrections: Corrections) => Body;
  /**
   * Returns another entry whose record is always read together with the record of this entry; absent if there is no
   * such entry.
   */
  readonly owner?: (entry: Entry) => object;
  /**
   * Returns the stored form in parts if some of them can be replaced later; undefined if the text of `encode` is to be
   * stored.
   */
  readonly encodeParts?: (entry: Entry, body: Body, era: number | undefined) => StampedParts<string> | undefined;
}

/** A kind of objects whose stored records can be updated in parts (amended), without reading the whole record. */
export interface AmendedTable<Entry extends object, Body, Amendment> extends RecordTable<Entry, Body> {
  /**
   * Returns the parts of a stored record that an update replaces, and the stamp (unique text) of the record. A part
   * that is undefined gets the value that it had before all updates.
   */
  readonly encodeAmendment: (
    entry: Entry,
    amendment: Amendment,
    era: number | undefined,
  ) => StampedParts<string | undefined>;
  /** Returns the record after an update was applied. */
  readonly amend: (body: Body, amendment: Amendment) => Body;
}

/**
 * The parts of a stored record, with the stamp (unique text) that identifies the record; see `AmendableOp` and
 * `AmendOp`.
 */
export interface StampedParts<Part> {
  readonly stamp: string;
  readonly parts: readonly Part[];
}

/** A kind of objects whose changes are announced at the end of a batch, once per entry. */
export interface AnnouncedTable<Entry extends object> {
  readonly announce: (entry: Entry, nowMs: number) => Change;
}

export function isRecordTable(table: object): table is RecordTable<object, unknown> {
  return 'isEntry' in table;
}
