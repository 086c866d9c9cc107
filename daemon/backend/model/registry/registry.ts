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

/** One read of the whole store. */
export interface LoadContext {
  /** The clock corrections that apply to the times that are read. */
  readonly corrections: Corrections;
  readonly texts: SharedTexts;
}

/**
 * A kind of stored objects, as the registry uses it: in a namespace, with `load` and `unload`, or in none, with
 * `adopt`.
 */
export interface RegistryTable {
  /** First part of its keys; the second part is the namespace, if it is in one. */
  readonly prefix: string;
  /** Loads an object of a namespace into memory, in place of the one with this key. */
  readonly load?: (namespace: Namespace, key: Key, text: string, reading: LoadContext) => void;
  /** Removes an object that is no longer stored from memory. Absent: it is removed together with another kind. */
  readonly unload?: (namespace: Namespace, key: Key) => void;
  /** Loads all stored objects, in place of those in memory; for a kind without a namespace. */
  readonly adopt?: (registry: Registry, stored: readonly StoredText[]) => void;
  /**
   * Loads one object of a kind with `adopt` after another backend has written it, because reading all of them would
   * take long. Throws before anything is changed.
   *
   * @param text undefined: it is no longer stored
   */
  readonly adoptOne?: (key: Key, text: string | undefined) => (registry: Registry) => void;
  /** Reads the related data that an object needs before it is loaded, because another backend has written it. */
  readonly prepare?: (registry: Registry, key: Key, text: string, store: Pick<Store, 'getMany'>) => Promise<void>;
  /**
   * Removes the remaining marks of a namespace that is empty and will be deleted.
   *
   * @returns the keys under which they are stored
   */
  readonly clear?: (namespace: Namespace) => readonly Key[];
}

export interface RegistryOptions {
  readonly auditLimits?: AuditLimits;
  readonly timelineLimits?: TimelineLimits;
  readonly definitions?: StoredDefinitions;
  /** Called with the clock corrections at the moment from which the loaded times are in force. */
  readonly onCorrections?: (corrections: Corrections) => void;
  /** Returns the meaning of alert labels by the settings in force; absent: the default settings. */
  readonly naming?: () => AlertNaming;
  /** Called with the memory usage of what was read so far; throws if it is too large. */
  readonly refuseBeyond?: (bytes: number) => void;
}

/** The parts of a store from which the registry is read. */
type ReadStore = Pick<Store, 'getMany' | 'scan'>;

/** The whole state in memory, which makes the decisions; the store persists it (architecture, State). */
export class Registry {
  /** Increases whenever everything was read again: earlier entries are then no longer the current ones. */
  generation = 0;
  /** All kinds of stored objects, in the order in which they are read. */
  readonly tables: readonly RegistryTable[];
  #lastJobId = 0;
  #content: RegistryContent;
  readonly audit: AuditChain;
  readonly timeline: Timeline;
  /** The credentials of all namespaces. */
  readonly credentials: CredentialRegistry;
  /** The definitions that were created over the API. */
  readonly definitions: StoredDefinitions;
  /** The namespaces that exist for callers; they may be empty. */
  readonly declared = new DeclaredNamespaces();
  /** The clock corrections that apply to times that are written. */
  corrections = NO_CORRECTIONS;

  /** The states of nouns for the whole backend, by the function that created them. */
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

  /** Returns the state of a noun for the whole backend, created at the first call; as `Namespace.state`. */
  state<State>(open: () => State): State {
    let state = this.#states.get(open) as State | undefined;
    if (state === undefined) this.#states.set(open, (state = open()));
    return state;
  }

  /** Memory usage of the namespaces; a close estimate. */
  get bytes(): number {
    return this.#content.footprint.bytes;
  }

  /** Returns the namespace with this name, created if it is new. */
  namespace(name: string): Namespace {
    return ensureNamespace(this.#content, name);
  }

  /** Returns the namespace with this name if anything is or was in it; never creates one. */
  findNamespace(name: string): Namespace | undefined {
    return this.#content.namespaces.get(name);
  }

  /** True if the namespace exists: it was declared, or is `default`. */
  hasNamespace(name: string): boolean {
    return this.declared.has(name);
  }

  namespaces(): Iterable<Namespace> {
    return this.#content.namespaces.values();
  }

  /** Removes an empty namespace from memory. */
  removeNamespace(name: string): void {
    if (name !== DEFAULT_NAMESPACE) this.#content.namespaces.delete(name);
  }

  /** Returns a new id. It is based on microseconds of the time, so that ids of runs before a restart are not reused. */
  newJobId(nowMs: number): number {
    this.#lastJobId = Math.max(this.#lastJobId + 1, nowMs * 1000);
    return this.#lastJobId;
  }

  /** Records an id in use, which a clock may have created that was ahead of the present one. */
  noteJobId(id: number): void {
    this.#lastJobId = Math.max(this.#lastJobId, id);
  }

  /**
   * Reads everything again from the store: at the start, and after a failed write. Readers see the old state until
   * then.
   */
  async load(store: ReadStore): Promise<void> {
    const corrections = (await readAnchor(store))?.corrections ?? NO_CORRECTIONS;
    const content = await this.#readNamespaces(store, { corrections, texts: new SharedTexts() });
    const adoptions = await this.#readOthers(store, this.tables);
    // From here on their times are in force, together with those of the namespaces.
    this.#content = content;
    this.corrections = corrections;
    this.#options.onCorrections?.(corrections);
    for (const adopt of adoptions) adopt();
    this.generation++;
  }

  /**
   * Applies the writes of another backend: it loads the newest values of these keys, which may be those of later
   * writes. Once the keys of each write since the begin of `load` were applied in order, memory equals that after
   * another `load`, but keeps its entries. Readers see all of one call, or nothing.
   *
   * @param keys each of them once or more often; keys that no table has are skipped
   * @throws the error of the store; then nothing was applied
   */
  async follow(store: ReadStore, keys: Iterable<Key>): Promise<void> {
    const touched = new Touched(this.tables, keys);
    // With another correction every record has another date.
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
    // Results are removed before their clients; below they are loaded after them.
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

  /** @returns functions that put the objects without a namespace into force */
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

/** The namespaces, and their memory usage. */
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
