import type { Corrections } from '../../../clock/corrections.ts';
import type { Change, Key } from '../../ports.ts';

/**
 * Describes how a transaction keeps one kind of objects: in the memory of `Holder`, which is a namespace or a registry
 * of the whole backend, and in the store.
 */
export interface Table<Holder, Id, Item> {
  readonly key: (holder: Holder, id: Id) => Key;
  /** Returns the stored form. */
  readonly encode: (item: Item) => string;
  /** Puts it into memory, in place of the one with this id. */
  readonly hold: (holder: Holder, id: Id, item: Item) => void;
  /** Removes it from memory. */
  readonly drop: (holder: Holder, id: Id) => void;
  /** Returns the change that announces an addition, removal or update; absent: nothing is announced. */
  readonly change?: (holder: Holder, id: Id) => Change;
}

/** A kind of objects of which only the last state in a batch is written: memory has it already. */
export interface LatestTable<Holder, Id> {
  readonly key: (holder: Holder, id: Id) => Key;
  /** Returns the text to store; undefined: the object was removed. */
  readonly encodeLatest: (holder: Holder, id: Id) => string | undefined;
}

/**
 * A kind of objects whose body stays in the store until it is read, while an entry in memory has the state for
 * decisions.
 */
export interface RecordTable<Entry extends object, Body> {
  readonly isEntry: (entry: object) => entry is Entry;
  readonly key: (entry: Entry) => Key;
  /** @param era number of clock corrections; undefined: none */
  readonly encode: (entry: Entry, body: Body, era: number | undefined) => string;
  /** @returns the stored body, with its ages by the present clock */
  readonly decode: (text: string, corrections: Corrections) => Body;
  /** Returns the entry whose body is read together with that of this one. */
  readonly owner?: (entry: Entry) => object;
  /** Returns the form to store instead of `encode` if parts may be amended later; undefined: they may not. */
  readonly encodeParts?: (entry: Entry, body: Body, era: number | undefined) => StampedParts<string> | undefined;
}

/** A kind of objects whose bodies can be amended in parts without reading the rest. */
export interface AmendedTable<Entry extends object, Body, Amendment> extends RecordTable<Entry, Body> {
  /** Returns the parts of the stored body that an amendment replaces, and the stamp of the body. */
  readonly encodeAmendment: (
    entry: Entry,
    amendment: Amendment,
    era: number | undefined,
  ) => StampedParts<string | undefined>;
  /** Applies an amendment to a body. */
  readonly amend: (body: Body, amendment: Amendment) => Body;
}

/** A stored body in parts; see `AmendableOp` and `AmendOp`. */
export interface StampedParts<Part> {
  readonly stamp: string;
  readonly parts: readonly Part[];
}

/** A kind of objects whose entries are announced once per batch, at its end. */
export interface AnnouncedTable<Entry extends object> {
  readonly announce: (entry: Entry, nowMs: number) => Change;
}

export function isRecordTable(table: object): table is RecordTable<object, unknown> {
  return 'isEntry' in table;
}
