import { isDeepStrictEqual } from 'node:util';
import { NO_CORRECTIONS, type Corrections } from '../../../clock/corrections.ts';
import { TRANSITIONS_PER_CHECK } from '../../../../shared/schemas/fixed-limits.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { DEFAULT_NAMING, type AlertNaming } from '../../../../shared/domain/alert-labels.ts';
import type { Key, Store } from '../../ports.ts';
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
import { TouchedKeys } from './touched-keys.ts';

const AUDIT_LIMITS: AuditLimits = { auditLimit: 100_000 };
const TIMELINE_LIMITS: TimelineLimits = { days: 90, perCheck: TRANSITIONS_PER_CHECK };
const SERIES_LIMITS: SeriesLimits = { enabled: true, checks: 20_000 };

/**
 * Limits of the series of checks. They are read for each use, because a reload of the configuration can change them.
 */
export interface SeriesLimits {
  /** True if results are recorded in series. */
  readonly enabled: boolean;
  /** Maximum number of checks with a series. */
  readonly checks: number;
}

export type StoredText = readonly [key: Key, text: string];

/** Data that is shared by all objects that are loaded in the same reading of the store. */
export interface LoadContext {
  /** The clock corrections that the stored times must be shifted by. */
  readonly corrections: Corrections;
  readonly texts: SharedTexts;
}

/**
 * The functions with which the registry loads one kind of stored objects. If the objects belong to namespaces, there
 * are `load` and `unload`; otherwise there is `replaceAll`.
 */
export interface RegistryTable {
  /** First part of the keys of this kind. If the objects belong to namespaces, the second part is the namespace. */
  readonly prefix: string;
  /** Loads an object of a namespace into memory. It replaces the object with the same key. */
  readonly load?: (namespace: Namespace, key: Key, text: string, reading: LoadContext) => void;
  /**
   * Removes an object that is no longer stored from memory; absent if it is removed together with an object of another
   * kind.
   */
  readonly unload?: (namespace: Namespace, key: Key) => void;
  /** Replaces all objects in memory by the stored objects, for a kind without a namespace. */
  readonly replaceAll?: (registry: Registry, stored: readonly StoredText[]) => void;
  /**
   * Returns a function that updates one object of a kind that has `replaceAll`, after another backend has written the
   * object. Reading all objects of the kind would take long. If the text cannot be used, throws before anything is
   * changed.
   *
   * @param text the stored text; undefined if the object is no longer stored
   */
  readonly updateOne?: (key: Key, text: string | undefined) => (registry: Registry) => void;
  /** Reads other stored data that an object needs, before the object, which another backend has written, is loaded. */
  readonly prepare?: (registry: Registry, key: Key, text: string, store: Pick<Store, 'getMany'>) => Promise<void>;
  /**
   * Removes what remains in an empty namespace that is to be deleted, such as bans of deleted clients.
   *
   * @returns the keys of what was removed
   */
  readonly clear?: (namespace: Namespace) => readonly Key[];
}

export interface RegistryOptions {
  readonly auditLimits?: AuditLimits;
  readonly timelineLimits?: TimelineLimits;
  readonly seriesLimits?: SeriesLimits;
  readonly definitions?: StoredDefinitions;
  /** Called by `load` with the clock corrections of the store, when the loaded state replaces the previous one. */
  readonly onCorrections?: (corrections: Corrections) => void;
  /**
   * Returns how the current settings map alert labels to clients and checks; absent if the default settings are used.
   */
  readonly naming?: () => AlertNaming;
  /** Called by `load` with the memory usage, in bytes, of all that was read so far; throws if that is too much. */
  readonly refuseBeyond?: (bytes: number) => void;
}

/** The functions of a store that the registry needs to load its state. */
type ReadStore = Pick<Store, 'getMany' | 'scan'>;

/** The whole state in memory. All decisions are made from it, and the store persists it (architecture, State). */
export class Registry {
  /** Increases with each complete load; entries from before that load are no longer current. */
  generation = 0;
  /** All kinds of stored objects, in the order in which they are loaded. */
  readonly tables: readonly RegistryTable[];
  #lastJobId = 0;
  #content: RegistryContent;
  readonly audit: AuditChain;
  readonly timeline: Timeline;
  readonly seriesLimits: SeriesLimits;
  /** The credentials of all namespaces. */
  readonly credentials: CredentialRegistry;
  /** The definitions that were created through the API. */
  readonly definitions: StoredDefinitions;
  /** The namespaces that were created and therefore exist for callers, even if they are empty. */
  readonly declared = new DeclaredNamespaces();
  /** The clock corrections that all times that are written now already include. */
  corrections = NO_CORRECTIONS;

  /** The states that `state` has created, by the function that created them. */
  readonly #states = new Map<() => unknown, unknown>();
  readonly #options: RegistryOptions;

  constructor(tables: readonly RegistryTable[], options: RegistryOptions = {}) {
    this.tables = tables;
    this.#options = options;
    this.#content = emptyContent(options.naming);
    this.audit = new AuditChain(options.auditLimits ?? AUDIT_LIMITS);
    this.timeline = new Timeline(options.timelineLimits ?? TIMELINE_LIMITS);
    this.seriesLimits = options.seriesLimits ?? SERIES_LIMITS;
    this.definitions = options.definitions ?? new StoredDefinitions();
    this.credentials = new CredentialRegistry(new Roles(this.definitions));
  }

  /**
   * Returns the state of one kind of objects for the whole backend; the first call creates it. The state of a single
   * namespace is in `Namespace.state`.
   */
  state<State>(open: () => State): State {
    let state = this.#states.get(open) as State | undefined;
    if (state === undefined) this.#states.set(open, (state = open()));
    return state;
  }

  /** Estimated memory usage of all namespaces, in bytes. */
  get bytes(): number {
    return this.#content.footprint.bytes;
  }

  /** Number of checks with a series, of all namespaces. */
  get seriesCount(): number {
    return this.#content.footprint.seriesCount;
  }

  /** Returns the namespace with this name. Creates it in memory if it is new. */
  namespace(name: string): Namespace {
    return ensureNamespace(this.#content, name);
  }

  /** Returns the namespace with this name; undefined if it was never in memory. Never creates it. */
  findNamespace(name: string): Namespace | undefined {
    return this.#content.namespaces.get(name);
  }

  /** True if the namespace was created or is `default`, even if it is empty. */
  hasNamespace(name: string): boolean {
    return this.declared.has(name);
  }

  namespaces(): Iterable<Namespace> {
    return this.#content.namespaces.values();
  }

  /** Removes an empty namespace from memory, unless it is `default`. */
  removeNamespace(name: string): void {
    if (name !== DEFAULT_NAMESPACE) this.#content.namespaces.delete(name);
  }

  /**
   * Returns a new id for a handler run. It is based on the time in microseconds, so that ids from before a restart are
   * not used again.
   */
  newJobId(nowMs: number): number {
    this.#lastJobId = Math.max(this.#lastJobId + 1, nowMs * 1000);
    return this.#lastJobId;
  }

  /**
   * Makes all new ids higher than `id`, which is in use. It can be in the future if it was created while the clock was
   * ahead.
   */
  noteJobId(id: number): void {
    this.#lastJobId = Math.max(this.#lastJobId, id);
  }

  /**
   * Loads the whole state from the store, at the start and after a failed write. Readers see the old state until
   * everything was read.
   */
  async load(store: ReadStore): Promise<void> {
    const corrections = (await readAnchor(store))?.corrections ?? NO_CORRECTIONS;
    const content = await this.#readNamespaces(store, { corrections, texts: new SharedTexts() });
    const adoptions = await this.#readOthers(store, this.tables);
    // Nothing is awaited from here on, so that namespaces, clock corrections and other objects are replaced together.
    this.#content = content;
    this.corrections = corrections;
    this.#options.onCorrections?.(corrections);
    for (const adopt of adoptions) adopt();
    this.generation++;
  }

  /**
   * Applies writes of another backend. It loads the newest values of the written keys, which can include later writes.
   * After the keys of all writes since the last `load` were applied in order, memory equals the result of another
   * `load`. But entries stay the same objects. Readers see all changes of one call, or none.
   *
   * @param keys the written keys, possibly more than once; keys that belong to no table are skipped
   * @throws the error of the store; in this case nothing was applied
   */
  async applyWrites(store: ReadStore, keys: Iterable<Key>): Promise<void> {
    const touched = new TouchedKeys(this.tables, keys);
    // A new clock correction gives all stored times another meaning, so everything is loaded again.
    if (touched.hasTime && (await this.#isCorrected(store))) return await this.load(store);
    const newest = await touched.read(store);
    const few = [...touched.tables].filter(({ updateOne: adoptOne }) => adoptOne === undefined);
    const adoptions = await this.#readOthers(store, few);
    for (const { table, key, text } of newest) {
      const adoptOne = table.updateOne?.(key, text);
      if (adoptOne !== undefined) adoptions.push(() => adoptOne(this));
    }
    for (const { table, key, text } of newest) {
      if (text !== undefined) await table.prepare?.(this, key, text, store);
    }
    const reading = { corrections: this.corrections, texts: new SharedTexts() };
    // Objects are removed in reverse order of loading, so results before their clients. Below, clients are loaded
    // before their results.
    for (const { table, key, text } of newest.toReversed()) {
      const namespace = text === undefined ? this.findNamespace(String(key[1])) : undefined;
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

  async #readNamespaces(store: ReadStore, reading: LoadContext): Promise<RegistryContent> {
    const content = emptyContent(this.#options.naming);
    const { refuseBeyond } = this.#options;
    for (const { prefix, load } of this.tables) {
      if (load === undefined) continue;
      for await (const [key, text] of store.scan([prefix])) {
        load(ensureNamespace(content, String(key[1])), key, text, reading);
        refuseBeyond?.(content.footprint.bytes);
      }
    }
    return content;
  }

  /**
   * Reads all objects of the kinds that have no namespace.
   *
   * @returns functions that put the objects into the registry
   */
  async #readOthers(store: ReadStore, tables: Iterable<RegistryTable>): Promise<(() => void)[]> {
    const adoptions: (() => void)[] = [];
    for (const { prefix, replaceAll: adopt } of tables) {
      if (adopt === undefined) continue;
      const stored: StoredText[] = [];
      for await (const entry of store.scan([prefix])) stored.push(entry);
      adoptions.push(() => adopt(this, stored));
    }
    return adoptions;
  }
}

/** The namespaces in memory and their memory usage; a load replaces all of it at once. */
interface RegistryContent {
  readonly footprint: Footprint;
  readonly namespaces: Map<string, Namespace>;
  readonly naming: () => AlertNaming;
}

function emptyContent(naming = (): AlertNaming => DEFAULT_NAMING): RegistryContent {
  const content = { footprint: new Footprint(), namespaces: new Map<string, Namespace>(), naming };
  ensureNamespace(content, DEFAULT_NAMESPACE);
  return content;
}

function ensureNamespace({ footprint, namespaces, naming }: RegistryContent, name: string): Namespace {
  let namespace = namespaces.get(name);
  if (namespace === undefined) namespaces.set(name, (namespace = new Namespace(name, footprint, naming)));
  return namespace;
}
