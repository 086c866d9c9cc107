import type { AuditHead } from '../../../shared/schemas/audit.ts';
import { NO_CORRECTIONS, type Corrections } from '../../clock/corrections.ts';
import { silencedId } from '../../../shared/domain/silencing.ts';
import type { SilencedUse } from '../../../shared/schemas/silenced.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Store } from '../ports.ts';
import {
  AGENT_SPOOLS,
  AGGREGATE_DELETIONS,
  AUDIT_HEAD,
  CHECK_RECORDS,
  CLIENTS,
  DEFINITIONS,
  INVALIDATED,
  NAMESPACES,
  SILENCED,
  SILENCED_USES,
  STASHES,
  TOMBSTONES,
} from '../store/keys.ts';
import { AuditChain, type AuditLimits } from '../audit/state.ts';
import { datedCheckRecord, stateOf, type CheckRecord } from '../events/check-record.ts';
import { datedClient } from '../clients/client-record.ts';
import { CredentialRegistry } from '../access/credentials.ts';
import { DeclaredNamespaces } from '../namespaces/state.ts';
import { StoredDefinitions, type DefinitionKind, type DefinitionKinds } from '../definitions/state.ts';
import { Footprint } from './footprint.ts';
import { readAnchor } from '../schedule/time-anchor.ts';
import { Namespace, type SpoolMark, type Tombstone } from './namespace.ts';
import { Roles } from '../access/roles.ts';
import { PlanRegistry } from '../plans/state.ts';
import { silencedOfStored } from '../silences/stored.ts';
import { stashOfStored } from '../stashes/stored.ts';

const AUDIT_LIMITS: AuditLimits = { auditLimit: 100_000 };

/** What is told of a reading of the store. */
interface Reading {
  /** At the moment from which the times that were read are in force. */
  readonly onCorrections?: (corrections: Corrections) => void;
  /** How many bytes of memory what was read so far takes; throws when they are too many. */
  readonly refuseBeyond?: (bytes: number) => void;
}

/** The whole state in memory: decides, while the store remembers (architecture, State). */
export class Registry {
  /** Grows whenever everything was read again: then the entries in hand are no longer the ones here. */
  generation = 0;
  #lastJobId = 0;
  #held = nothingHeld();
  readonly audit: AuditChain;
  /** Who may get in, over all namespaces. */
  readonly credentials: CredentialRegistry;
  /** What was defined over the API. */
  readonly definitions: StoredDefinitions;
  /** The namespaces that exist for callers; one of them may hold nothing. */
  readonly declared = new DeclaredNamespaces();
  readonly plans = new PlanRegistry();
  /** By which times that are written are told from those before. */
  corrections = NO_CORRECTIONS;

  readonly #reading: Reading;

  constructor(limits = AUDIT_LIMITS, definitions = new StoredDefinitions(), reading: Reading = {}) {
    this.#reading = reading;
    this.audit = new AuditChain(limits);
    this.definitions = definitions;
    this.credentials = new CredentialRegistry(new Roles(definitions));
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
    this.declared.remove(name);
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
  async load(store: Store): Promise<void> {
    const corrections = (await readAnchor(store))?.corrections ?? NO_CORRECTIONS;
    const [held, [auditHead]] = await Promise.all([
      readNamespaces(store, corrections, this.#reading.refuseBeyond),
      store.getMany([AUDIT_HEAD]),
    ]);
    const definitions = await readDefinitions(store);
    const declared = await readDeclared(store);
    await this.plans.load(store);
    // Last: its times are in force from here on, as those of the others are a moment later.
    await this.credentials.load(store);
    this.#held = held;
    this.corrections = corrections;
    this.#reading.onCorrections?.(corrections);
    this.definitions.load(definitions);
    this.declared.load(declared);
    this.audit.load(auditHead === undefined ? undefined : (JSON.parse(auditHead) as AuditHead));
    this.generation++;
  }
}

/** The namespaces, and what they take in memory. */
interface Held {
  readonly footprint: Footprint;
  readonly namespaces: Map<string, Namespace>;
}

function nothingHeld(): Held {
  const held = { footprint: new Footprint(), namespaces: new Map<string, Namespace>() };
  ensureNamespace(held, DEFAULT_NAMESPACE);
  return held;
}

function ensureNamespace({ footprint, namespaces }: Held, name: string): Namespace {
  let namespace = namespaces.get(name);
  if (namespace === undefined) namespaces.set(name, (namespace = new Namespace(name, footprint)));
  return namespace;
}

async function readNamespaces(
  store: Store,
  corrections: Corrections,
  refuseBeyond: Reading['refuseBeyond'],
): Promise<Held> {
  const held = nothingHeld();
  const texts = new SharedTexts();
  const read = async (
    table: string,
    each: (namespace: Namespace, value: string, client: string, check: string) => void,
  ): Promise<void> => {
    for await (const [[, namespace, client, check], value] of store.scan([table])) {
      each(ensureNamespace(held, String(namespace)), value, String(client), String(check));
      refuseBeyond?.(held.footprint.bytes);
    }
  };
  // Clients first: check records belong to them.
  await read(CLIENTS, (namespace, value) => {
    const { client, ...origin } = datedClient(value, corrections);
    namespace.putClient(client, origin);
  });
  // Deletions as well: they say which of the results that name an aggregate belong to it.
  await read(AGGREGATE_DELETIONS, (namespace, value, aggregate) => {
    namespace.aggregates.loadDeletion(aggregate, JSON.parse(value) as number);
  });
  await read(CHECK_RECORDS, (namespace, value, client, check) =>
    loadCheck(namespace, [client, texts.of(check)], datedCheckRecord(value, corrections)),
  );
  await read(SILENCED, (namespace, value) => namespace.silenced.put(silencedOfStored(JSON.parse(value))));
  await read(SILENCED_USES, (namespace, value, subscription, check) => {
    const id = silencedId(presentPart(subscription), presentPart(check));
    namespace.silenced.loadUse(id, JSON.parse(value) as SilencedUse);
  });
  await read(STASHES, (namespace, value) => {
    const { path, expireAtMs } = stashOfStored(JSON.parse(value));
    namespace.stashes.put({ path, expireAtMs });
  });
  await read(AGENT_SPOOLS, (namespace, value, client) => {
    namespace.spools.set(nameOf(namespace, client), JSON.parse(value) as SpoolMark);
  });
  await read(INVALIDATED, (namespace, value, client) => {
    namespace.invalidated.set(flat(client), JSON.parse(value) as number);
  });
  await read(TOMBSTONES, (namespace, value, client) => {
    namespace.tombstones.set(flat(client), JSON.parse(value) as Tombstone);
  });
  return held;
}

/** Each text once: the checks of all clients have few names. */
class SharedTexts {
  readonly #texts = new Map<string, string>();

  of(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const shared = flat(text);
    this.#texts.set(shared, shared);
    return shared;
  }
}

function nameOf({ clients }: Namespace, client: string): string {
  return clients.get(client)?.name ?? flat(client);
}

/** A copy: a part of a key would keep all of it in memory. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

type StoredObject = DefinitionKinds[DefinitionKind]['object'];

async function readDefinitions(store: Store): Promise<(readonly [DefinitionKind, StoredObject])[]> {
  const objects: (readonly [DefinitionKind, StoredObject])[] = [];
  for await (const [[, kind], value] of store.scan([DEFINITIONS])) {
    objects.push([kind as DefinitionKind, JSON.parse(value) as StoredObject]);
  }
  return objects;
}

async function readDeclared(store: Store): Promise<string[]> {
  const names: string[] = [];
  for await (const [[, name]] of store.scan([NAMESPACES])) names.push(String(name));
  return names;
}

/** A part of a silenced entry in its key: the empty string is none. */
function presentPart(part: string): string | undefined {
  return part === '' ? undefined : part;
}

function loadCheck(namespace: Namespace, [client, check]: readonly [string, string], record: CheckRecord): void {
  const owner = namespace.clients.get(client);
  // Client and results are written and deleted in one batch, so there is always an owner.
  if (owner === undefined) throw new Error(`the store holds a result of ${client}/${check} but no such client`);
  const output = (record.eventCheck ?? record.check)?.output;
  const entry = namespace.ensureCheck(owner, check);
  namespace.setCheck(entry, stateOf(record), record.check ?? undefined, output, record.deletionsBefore ?? 0);
}
