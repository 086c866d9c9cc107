import type { Corrections } from '../../clock/corrections.ts';
import type { Change, Key } from '../ports.ts';

/**
 * How one kind of thing is kept, as a transaction asks it: in the memory of `Holder`, which is a namespace or what holds
 * such things for the whole backend, and in the store.
 */
export interface Table<Holder, Id, Item> {
  readonly key: (holder: Holder, id: Id) => Key;
  /** What is stored of it. */
  readonly encode: (item: Item) => string;
  /** Takes it into memory, in place of the one with this id. */
  readonly hold: (holder: Holder, id: Id, item: Item) => void;
  /** Takes it out of memory. */
  readonly drop: (holder: Holder, id: Id) => void;
  /** What is announced when one came, went or became another; absent: nothing is. */
  readonly change?: (holder: Holder, id: Id) => Change;
}

/** A kind of which the last state in a batch is written, once: memory has it already. */
export interface LatestTable<Holder, Id> {
  readonly key: (holder: Holder, id: Id) => Key;
  /** What is to be stored; undefined: it is gone by now. */
  readonly encodeHeld: (holder: Holder, id: Id) => string | undefined;
}

/** A kind whose body stays in the store until it is read, while an entry in memory has what decides. */
export interface RecordTable<Entry extends object, Body> {
  readonly isEntry: (entry: object) => entry is Entry;
  readonly key: (entry: Entry) => Key;
  /** @param era how often the clock was corrected; undefined: never */
  readonly encode: (entry: Entry, body: Body, era: number | undefined) => string;
  /** @returns what was stored, with its ages by the clock of today */
  readonly decode: (text: string, corrections: Corrections) => Body;
  /** The entry whose body is read with that of this one. */
  readonly owner?: (entry: Entry) => object;
  /** What is stored in place of `encode` where parts of it may be amended later; undefined: they are not. */
  readonly encodeParts?: (entry: Entry, body: Body, era: number | undefined) => StampedParts<string> | undefined;
}

/** A kind of whose bodies parts may be replaced without having the rest in hand. */
export interface AmendedTable<Entry extends object, Body, Amendment> extends RecordTable<Entry, Body> {
  /** The parts of what is stored that an amendment replaces, and the stamp of that. */
  readonly encodeAmendment: (
    entry: Entry,
    amendment: Amendment,
    era: number | undefined,
  ) => StampedParts<string | undefined>;
  /** A body as it is with an amendment. */
  readonly amend: (body: Body, amendment: Amendment) => Body;
}

/** What is stored, in parts; see `AmendableOp` and `AmendOp`. */
export interface StampedParts<Part> {
  readonly stamp: string;
  readonly parts: readonly Part[];
}

/** A kind of which each entry is announced once a batch, when the batch is whole. */
export interface AnnouncedTable<Entry extends object> {
  readonly announce: (entry: Entry, nowMs: number) => Change;
}

export function isRecordTable(table: object): table is RecordTable<object, unknown> {
  return 'isEntry' in table;
}
