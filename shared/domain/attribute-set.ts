import type { AttributeSet, AttributeSetRow, AttributeValue } from '../schemas/attribute-set.ts';
import { ATTRIBUTE_NAME, UNSTABLE_ATTRIBUTES } from './attribute-name.ts';
import { attributeTexts } from './selector.ts';
import { isAttributes } from './attributes.ts';
import { isRedactedByDefault } from './redact.ts';

/** Limits of one set. Further attributes, and further items of a list, are left out; longer texts are cut. */
const ATTRIBUTES_MAX = 100;
const LIST_ITEMS_MAX = 200;
const TEXT_LENGTH_MAX = 200;
const NAME_LENGTH_MAX = 100;
/** Maximum length of all names and texts of one set together, in UTF-16 units. */
const SET_LENGTH_MAX = 16_000;
const DEPTH_MAX = 8;

/** Attributes of a client that are not part of a set, because almost every client has another value. */
const IGNORED_IN_CLIENTS: ReadonlySet<string> = new Set(['name', 'address', 'timestamp', 'redact', 'signature']);

/** Attributes of a result that are not part of a set, in addition to those that change with each result. */
const IGNORED_IN_CHECKS: ReadonlySet<string> = new Set(['name', 'metrics', 'hooks', 'hook', 'source']);

/** The attributes of a set as pairs of name and value, in the order of the record. */
export type AttributeEntries = readonly (readonly [name: string, value: AttributeValue])[];

/**
 * Returns the attributes of a client that events can be searched by.
 *
 * @param own the subscription that only this client has; it is left out, so that clients can share a set
 * @param hidden keys whose values are redacted
 */
export function clientAttributes(record: object, own: string, hidden: ReadonlySet<string>): AttributeEntries {
  return new EntryCollector(hidden, IGNORED_IN_CLIENTS, own).collect(record);
}

/**
 * Returns the attributes of a check that events can be searched by.
 *
 * @param result the last result of the check, which contains the attributes of its definition
 * @param hidden keys whose values are redacted
 */
export function checkAttributes(result: object, hidden: ReadonlySet<string>): AttributeEntries {
  return new EntryCollector(hidden, IGNORED_IN_CHECKS, '').collect(result);
}

/** Collects the attributes of one record within the limits. */
class EntryCollector {
  readonly #entries: (readonly [string, AttributeValue])[] = [];
  readonly #hidden: ReadonlySet<string>;
  readonly #ignored: ReadonlySet<string>;
  readonly #ignoredText: string;
  #length = 0;

  constructor(hidden: ReadonlySet<string>, ignored: ReadonlySet<string>, ignoredText: string) {
    this.#hidden = hidden;
    this.#ignored = ignored;
    this.#ignoredText = ignoredText;
  }

  collect(record: object): AttributeEntries {
    for (const key of Object.keys(record)) {
      if (this.#ignored.has(key) || UNSTABLE_ATTRIBUTES.has(key)) continue;
      this.#add(key, key, (record as Readonly<Record<string, unknown>>)[key], DEPTH_MAX);
    }
    return this.#entries;
  }

  #add(path: string, key: string, value: unknown, levels: number): void {
    if (value === null || value === undefined) return;
    if (this.#hidden.has(key) || isRedactedByDefault(key) || path.length > NAME_LENGTH_MAX) return;
    if (isAttributes(value)) {
      if (levels === 0) return;
      for (const inner of Object.keys(value)) this.#add(`${path}.${inner}`, inner, value[inner], levels - 1);
      return;
    }
    const texts = Array.isArray(value) ? this.#textsOf(value) : textOf(value);
    if (texts === undefined || ATTRIBUTE_NAME.exec(path)?.[0] !== path) return;
    const length = path.length + (typeof texts === 'string' ? texts.length : texts.join('').length);
    if (this.#entries.length === ATTRIBUTES_MAX || this.#length + length > SET_LENGTH_MAX) return;
    this.#length += length;
    this.#entries.push([path, texts]);
  }

  /** Returns the texts of a list; undefined if it has none. */
  #textsOf(list: readonly unknown[]): readonly string[] | undefined {
    const texts = list.slice(0, LIST_ITEMS_MAX).flatMap((item) => textOf(item) ?? []);
    const shown = this.#ignoredText === '' ? texts : texts.filter((text) => text !== this.#ignoredText);
    return shown.length === 0 ? undefined : shown;
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length > TEXT_LENGTH_MAX ? value.slice(0, TEXT_LENGTH_MAX) : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The names of a set, and the position of each. Sets with the same names share it. */
interface SharedNames {
  readonly all: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
}

const NO_TEXTS: readonly string[] = [];

/** A set of attributes in compact form: 8 bytes for each attribute, because names and texts are shared. */
export class PackedAttributes implements AttributeSet {
  readonly id: string;
  readonly #names: SharedNames;
  readonly #values: readonly AttributeValue[];

  constructor(id: string, names: SharedNames, values: readonly AttributeValue[]) {
    this.id = id;
    this.#names = names;
    this.#values = values;
  }

  get names(): readonly string[] {
    return this.#names.all;
  }

  get entries(): AttributeEntries {
    return this.#names.all.map((name, at) => [name, this.#values[at] ?? '']);
  }

  texts(name: string): readonly string[] {
    const at = this.#names.positions.get(name);
    const value = at === undefined ? undefined : this.#values[at];
    return value === undefined ? NO_TEXTS : typeof value === 'string' ? [value] : value;
  }

  /** Whether the set consists of exactly these attributes, in this order. */
  equals(entries: AttributeEntries): boolean {
    return (
      entries.length === this.#values.length &&
      entries.every(([name, value], at) => name === this.#names.all[at] && isSameValue(value, this.#values[at]))
    );
  }
}

function isSameValue(a: AttributeValue, b: AttributeValue | undefined): boolean {
  if (typeof a === 'string' || typeof b === 'string' || b === undefined) return a === b;
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

/** Maximum number of lists of names, and of texts, that are kept for sharing. */
const SHARED_NAMES_MAX = 1000;
const SHARED_TEXTS_MAX = 50_000;

/** Packs sets of attributes. Sets with the same names share them, and equal texts are stored once. */
export class AttributePacker {
  readonly #names = new Map<string, SharedNames>();
  readonly #texts = new Map<string, string>();

  pack(id: string, entries: AttributeEntries): PackedAttributes {
    const names = this.#namesOf(entries.map(([name]) => name));
    return new PackedAttributes(
      id,
      names,
      entries.map(([, value]) => this.#shared(value)),
    );
  }

  #namesOf(all: readonly string[]): SharedNames {
    // No name contains a comma.
    const key = all.join();
    let names = this.#names.get(key);
    if (names === undefined) {
      if (this.#names.size === SHARED_NAMES_MAX) this.#names.clear();
      names = { all, positions: new Map(all.map((name, at) => [name, at])) };
      this.#names.set(key, names);
    }
    return names;
  }

  #shared(value: AttributeValue): AttributeValue {
    return typeof value === 'string' ? this.#sharedText(value) : value.map((text) => this.#sharedText(text));
  }

  #sharedText(text: string): string {
    const shared = this.#texts.get(text);
    if (shared !== undefined) return shared;
    if (this.#texts.size === SHARED_TEXTS_MAX) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

/**
 * Returns a view on a record as a set of attributes. Nothing is copied, so it suits a row that is used once.
 *
 * @param own the subscription that only this client has; it is left out, as in `clientAttributes`
 * @param hidden keys whose values are redacted
 */
export function viewAttributes(record: object, own: string, hidden: ReadonlySet<string>): AttributeSet {
  return {
    id: '',
    get names() {
      const ignored = new Set([...IGNORED_IN_CLIENTS, ...IGNORED_IN_CHECKS]);
      return new EntryCollector(hidden, ignored, own).collect(record).map(([name]) => name);
    },
    texts: (name) => attributeTexts(record, name, hidden).filter((text) => text !== own),
  };
}

/** Converts a set to a row of the feed. */
export function attributeSetRow({ id, entries }: PackedAttributes): AttributeSetRow {
  return { id, attributes: Object.fromEntries(entries) };
}
