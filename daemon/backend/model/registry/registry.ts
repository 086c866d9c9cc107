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
import { Touched } from './touched-keys.ts';

const AUDIT_LIMITS: AuditLimits = { auditLimit: 100_000 };
const TIMELINE_LIMITS: TimelineLimits = { days: 90, perCheck: TRANSITIONS_PER_CHECK };

export type StoredText = readonly [key: Key, text: string];

/** Data that is shared by all objects that are loaded in one read of the store. */
export interface LoadContext {
  /** The clock corrections that apply to the stored times. */
  readonly corrections: Corrections;
  readonly texts: SharedTexts;
}

/**
 * The functions by which the registry loads one kind of stored objects. A kind of objects in namespaces has `load` and
 * `unload`; another kind has `adopt`.
 */
export interface RegistryTable {
  /** First part of the keys of this kind. The second part is the namespace, if the objects are in one. */
  readonly prefix: string;
  /** Loads an object of a namespace into memory, where it replaces the object with the same key. */
  readonly load?: (namespace: Namespace, key: Key, text: string, reading: LoadContext) => void;
  /**
   * Removes from memory an object that is no longer stored. Absent: it is removed together with an object of another
   * kind.
   */
  readonly unload?: (namespace: Namespace, key: Key) => void;
  /** Replaces all objects of this kind in memory by the stored ones, for a kind without a namespace. */
  readonly adopt?: (registry: Registry, stored: readonly StoredText[]) => void;
  /**
   * Returns a function that updates one object of a kind with `adopt`, after another backend has written it. Reading
   * all objects of the kind would take long. Throws before anything is changed.
   *
   * @param text the stored text; undefined if the object is no longer stored
   */
  readonly adoptOne?: (key: Key, text: string | undefined) => (registry: Registry) => void;
  /** Reads related data that an object written by another backend needs, before the object is loaded. */
  readonly prepare?: (registry: Registry, key: Key, text: string, store: Pick<Store, 'getMany'>) => Promise<void>;
  /**
   * Removes the remaining marks of an empty namespace that is to be deleted.
   *
   * @returns the keys under which the marks are stored
   */
  readonly clear?: (namespace: Namespace) => readonly Key[];
}

export interface RegistryOptions {
  readonly auditLimits?: AuditLimits;
  readonly timelineLimits?: TimelineLimits;
  readonly definitions?: StoredDefinitions;
  /** Called by `load` with the clock corrections of the store, when the loaded state replaces the previous one. */
  readonly onCorrections?: (corrections: Corrections) => void;
  /** Returns the meaning of alert labels by the current settings; absent: by the default settings. */
  readonly naming?: () => AlertNaming;
  /** Called by `load` with the memory usage, in bytes, of what was read so far; throws if that is too much. */
  readonly refuseBeyond?: (bytes: number) => void;
}

/** The functions of a store with which the registry is loaded. */
type ReadStore = Pick<Store, 'getMany' | 'scan'>;

/** The whole state in memory, from which all decisions are made; the store persists it (architecture, State). */
export class Registry {
  /** Increases with each complete load; entries from before the load are no longer current. */
  generation = 0;
  /** All kinds of stored objects, in the order in which they are loaded. */
  readonly tables: readonly RegistryTable[];
  #lastJobId = 0;
  #content: RegistryContent;
  readonly audit: AuditChain;
  readonly timeline: Timeline;
  /** The credentials of all namespaces. */
  readonly credentials: CredentialRegistry;
  /** The definitions that were created through the API. */
  readonly definitions: StoredDefinitions;
  /** The namespaces that were declared and therefore exist for callers, even if they are empty. */
  readonly declared = new DeclaredNamespaces();
  /** The clock corrections that apply to all times that are read or written now. */
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
    this.definitions = options.definitions ?? new StoredDefinitions();
    this.credentials = new CredentialRegistry(new Roles(this.definitions));
  }

  /**
   * Returns the state of one kind of objects for the whole backend, created by the first call. For state of a namespace
   * there is `Namespace.state`.
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

  /** Returns the namespace with this name, which is created in memory if it is new. */
  namespace(name: string): Namespace {
    return ensureNamespace(this.#content, name);
  }

  /** Returns the namespace with this name; undefined if nothing is or was in it. It never creates one. */
  findNamespace(name: string): Namespace | undefined {
    return this.#content.namespaces.get(name);
  }

  /** True if the namespace was declared or is `default`, even if it is empty. */
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

  /** Makes all new ids higher than `id`, which is in use and may have been created while the clock was ahead. */
  noteJobId(id: number): void {
    this.#lastJobId = Math.max(this.#lastJobId, id);
  }

  /**
   * Loads the whole state from the store: at the start, and after a failed write. Readers see the old state until
   * everything was read.
   */
  async load(store: ReadStore): Promise<void> {
    const corrections = (await readAnchor(store))?.corrections ?? NO_CORRECTIONS;
    const content = await this.#readNamespaces(store, { corrections, texts: new SharedTexts() });
    const adoptions = await this.#readOthers(store, this.tables);
    // From here on nothing is awaited, so that namespaces, clock corrections and other objects are replaced together.
    this.#content = content;
    this.corrections = corrections;
    this.#options.onCorrections?.(corrections);
    for (const adopt of adoptions) adopt();
    this.generation++;
  }

  /**
   * Applies writes of another backend: it loads the newest values of the written keys, which may be those of later
   * writes. After the keys of each write since the start of `load` were applied in order, memory equals the result of
   * another `load`, but entries stay the same objects. Readers see all changes of one call, or none.
   *
   * @param keys the written keys, possibly more than once; keys that belong to no table are skipped
   * @throws the error of the store; then nothing was applied
   */
  async follow(store: ReadStore, keys: Iterable<Key>): Promise<void> {
    const touched = new Touched(this.tables, keys);
    // After a new clock correction all stored times mean other times, so everything is loaded again.
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
    // Remove objects in reverse order, results before their clients. Below, results are loaded after their clients.
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
   * Reads all objects of kinds without a namespace.
   *
   * @returns functions that put the objects into the registry
   */
  async #readOthers(store: ReadStore, tables: Iterable<RegistryTable>): Promise<(() => void)[]> {
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
