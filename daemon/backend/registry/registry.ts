import { isDeepStrictEqual } from 'node:util';
import { NO_CORRECTIONS, type Corrections } from '../../clock/corrections.ts';
import { TRANSITIONS_PER_CHECK } from '../../../shared/schemas/fixed-limits.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { DEFAULT_NAMING, type AlertNaming } from '../../../shared/domain/alert-labels.ts';
import type { Key, Store } from '../ports.ts';
import { AuditChain, type AuditLimits } from '../audit/state.ts';
import { Timeline, type TimelineLimits } from '../timeline/state.ts';
import { CredentialRegistry } from '../access/credentials.ts';
import { DeclaredNamespaces } from '../namespaces/state.ts';
import { StoredDefinitions } from '../definitions/state.ts';
import { Footprint } from './footprint.ts';
import { readAnchor } from '../schedule/time-anchor.ts';
import { Namespace } from './namespace.ts';
import { Roles } from '../access/roles.ts';
import { SharedTexts } from './shared-texts.ts';
import { Touched } from './touched.ts';

const AUDIT_LIMITS: AuditLimits = { auditLimit: 100_000 };
const TIMELINE_LIMITS: TimelineLimits = { days: 90, perCheck: TRANSITIONS_PER_CHECK };

export type StoredText = readonly [key: Key, text: string];

/** A reading of the whole store. */
export interface Reading {
  /** Corrections by which times that are read are dated. */
  readonly corrections: Corrections;
  readonly texts: SharedTexts;
}

/**
 * A kind of what is stored, as the registry asks it: of a namespace, with `load` and `unload`, or in none, with `adopt`.
 */
export interface HeldTable {
  /** First part of its keys; that of a namespace is the second, where it is in one. */
  readonly prefix: string;
  /** Takes one of a namespace from the store into its memory, in place of what is there under this key. */
  readonly load?: (namespace: Namespace, key: Key, text: string, reading: Reading) => void;
  /** Takes one of a namespace, if it is there, out of its memory: it is not stored any more. Absent: it goes with another. */
  readonly unload?: (namespace: Namespace, key: Key) => void;
  /** Takes over all that is stored, in place of what is in memory: of a kind that is in no namespace. */
  readonly adopt?: (registry: Registry, stored: readonly StoredText[]) => void;
  /**
   * How one of a kind with `adopt` is taken over when another backend has written it, because reading all of them for it would take
   * long. Throws before anything is changed.
   *
   * @param text undefined: it is not stored any more
   */
  readonly adoptOne?: (key: Key, text: string | undefined) => (registry: Registry) => void;
  /** Reads what one that is about to be loaded needs to be known of others, because another backend has written it. */
  readonly prepare?: (registry: Registry, key: Key, text: string, store: Pick<Store, 'getMany'>) => Promise<void>;
  /**
   * Forgets what is remembered of things that were in a namespace which holds nothing any more and goes.
   *
   * @returns under which keys it is stored
   */
  readonly clear?: (namespace: Namespace) => readonly Key[];
}

export interface RegistryOptions {
  readonly auditLimits?: AuditLimits;
  readonly timelineLimits?: TimelineLimits;
  readonly definitions?: StoredDefinitions;
  /** Told the corrections of the clock at the moment from which the times that were read are in force. */
  readonly onCorrections?: (corrections: Corrections) => void;
  /** The meaning of alert labels by the settings in force; absent: the default settings. */
  readonly naming?: () => AlertNaming;
  /** Told how many bytes of memory what was read so far takes; throws when they are too many. */
  readonly refuseBeyond?: (bytes: number) => void;
}

/** What of a store the registry is read from. */
type ReadStore = Pick<Store, 'getMany' | 'scan'>;

/** The whole state in memory: decides, while the store remembers (architecture, State). */
export class Registry {
  /** Grows whenever everything was read again: then the entries in hand are no longer the ones here. */
  generation = 0;
  /** Every kind of what is stored, in the order in which they are read. */
  readonly tables: readonly HeldTable[];
  #lastJobId = 0;
  #held: Held;
  readonly audit: AuditChain;
  readonly timeline: Timeline;
  /** Who may get in, over all namespaces. */
  readonly credentials: CredentialRegistry;
  /** What was defined over the API. */
  readonly definitions: StoredDefinitions;
  /** The namespaces that exist for callers; one of them may hold nothing. */
  readonly declared = new DeclaredNamespaces();
  /** Corrections by which times that are written are told from those before. */
  corrections = NO_CORRECTIONS;

  /** What nouns keep for the whole backend, by what made it. */
  readonly #states = new Map<() => unknown, unknown>();
  readonly #options: RegistryOptions;

  constructor(tables: readonly HeldTable[], options: RegistryOptions = {}) {
    this.tables = tables;
    this.#options = options;
    this.#held = nothingHeld(options.naming);
    this.audit = new AuditChain(options.auditLimits ?? AUDIT_LIMITS);
    this.timeline = new Timeline(options.timelineLimits ?? TIMELINE_LIMITS);
    this.definitions = options.definitions ?? new StoredDefinitions();
    this.credentials = new CredentialRegistry(new Roles(this.definitions));
  }

  /** What a noun keeps for the whole backend, made when it is first asked for; as `Namespace.state`. */
  state<State>(open: () => State): State {
    let state = this.#states.get(open) as State | undefined;
    if (state === undefined) this.#states.set(open, (state = open()));
    return state;
  }

  /** What the namespaces take in memory; a close estimate. */
  get bytes(): number {
    return this.#held.footprint.bytes;
  }

  /** The namespace of this name, made when it is new. */
  namespace(name: string): Namespace {
    return ensureNamespace(this.#held, name);
  }

  /** The namespace of this name, as far as anything is or was in it; never makes one. */
  held(name: string): Namespace | undefined {
    return this.#held.namespaces.get(name);
  }

  /** Whether there is a namespace of this name: it was declared, or is `default`. */
  hasNamespace(name: string): boolean {
    return this.declared.has(name);
  }

  namespaces(): Iterable<Namespace> {
    return this.#held.namespaces.values();
  }

  /** Forgets a namespace that holds nothing any more. */
  removeNamespace(name: string): void {
    if (name !== DEFAULT_NAMESPACE) this.#held.namespaces.delete(name);
  }

  /** Microseconds of the time, so that ids of runs that were over before a restart do not come again either. */
  newJobId(nowMs: number): number {
    this.#lastJobId = Math.max(this.#lastJobId + 1, nowMs * 1000);
    return this.#lastJobId;
  }

  /** An id that is taken, by a clock that may have been ahead of the one of today. */
  noteJobId(id: number): void {
    this.#lastJobId = Math.max(this.#lastJobId, id);
  }

  /** Reads everything again from the store: at start, and after a write that failed. Readers see the old state until then. */
  async load(store: ReadStore): Promise<void> {
    const corrections = (await readAnchor(store))?.corrections ?? NO_CORRECTIONS;
    const held = await this.#readNamespaces(store, { corrections, texts: new SharedTexts() });
    const adoptions = await this.#readOthers(store, this.tables);
    // From here on their times are in force, and those of the namespaces with them.
    this.#held = held;
    this.corrections = corrections;
    this.#options.onCorrections?.(corrections);
    for (const adopt of adoptions) adopt();
    this.generation++;
  }

  /**
   * Takes over what another backend has written, in place of what was there: the newest values of these keys, which may be
   * those of later writes. Once the keys of each write since `load` began were told, in the order of the writes, memory is
   * as after another `load`, with the entries that were there before. Readers see all of one call, or nothing.
   *
   * @param keys each of them once or more often; those that no table holds are passed over
   * @throws what the store throws; then nothing was taken over
   */
  async follow(store: ReadStore, keys: Iterable<Key>): Promise<void> {
    const touched = new Touched(this.tables, keys);
    // By another correction every record has another date.
    if (touched.hasTime && (await this.#isCorrected(store))) return await this.load(store);
    const newest = await touched.read(store);
    const few = [...touched.tables].filter(({ adoptOne }) => adoptOne === undefined);
    const adoptions = await this.#readOthers(store, few);
    for (const { table, key, text } of newest) {
      const adoptOne = table.adoptOne?.(key, text);
      if (adoptOne !== undefined) adoptions.push(() => adoptOne(this));
    }
    for (const { table, key, text } of newest) {
      if (text !== undefined) await table.prepare?.(this, key, text, store);
    }
    const reading = { corrections: this.corrections, texts: new SharedTexts() };
    // Results before their clients; below the other way round.
    for (const { table, key, text } of newest.toReversed()) {
      const namespace = text === undefined ? this.held(String(key[1])) : undefined;
      if (namespace !== undefined) table.unload?.(namespace, key);
    }
    for (const { table, key, text } of newest) {
      if (text !== undefined) table.load?.(this.namespace(String(key[1])), key, text, reading);
    }
    for (const adopt of adoptions) adopt();
    if (adoptions.length > 0) this.#dropRemovedNamespaces();
  }

  async #isCorrected(store: ReadStore): Promise<boolean> {
    const anchor = await readAnchor(store);
    return !isDeepStrictEqual(anchor?.corrections ?? NO_CORRECTIONS, this.corrections);
  }

  #dropRemovedNamespaces(): void {
    for (const { name, isEmpty } of this.namespaces()) {
      if (isEmpty && !this.hasNamespace(name)) this.removeNamespace(name);
    }
  }

  async #readNamespaces(store: ReadStore, reading: Reading): Promise<Held> {
    const held = nothingHeld(this.#options.naming);
    const { refuseBeyond } = this.#options;
    for (const { prefix, load } of this.tables) {
      if (load === undefined) continue;
      for await (const [key, text] of store.scan([prefix])) {
        load(ensureNamespace(held, String(key[1])), key, text, reading);
        refuseBeyond?.(held.footprint.bytes);
      }
    }
    return held;
  }

  /** @returns what puts into force what is in no namespace */
  async #readOthers(store: ReadStore, tables: Iterable<HeldTable>): Promise<(() => void)[]> {
    const adoptions: (() => void)[] = [];
    for (const { prefix, adopt } of tables) {
      if (adopt === undefined) continue;
      const stored: StoredText[] = [];
      for await (const entry of store.scan([prefix])) stored.push(entry);
      adoptions.push(() => adopt(this, stored));
    }
    return adoptions;
  }
}

/** The namespaces, and what they take in memory. */
interface Held {
  readonly footprint: Footprint;
  readonly namespaces: Map<string, Namespace>;
  readonly naming: () => AlertNaming;
}

function nothingHeld(naming = (): AlertNaming => DEFAULT_NAMING): Held {
  const held = { footprint: new Footprint(), namespaces: new Map<string, Namespace>(), naming };
  ensureNamespace(held, DEFAULT_NAMESPACE);
  return held;
}

function ensureNamespace({ footprint, namespaces, naming }: Held, name: string): Namespace {
  let namespace = namespaces.get(name);
  if (namespace === undefined) namespaces.set(name, (namespace = new Namespace(name, footprint, naming)));
  return namespace;
}
