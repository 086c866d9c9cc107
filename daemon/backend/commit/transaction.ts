import { randomUUID } from 'node:crypto';
import type { CheckState } from '../../../shared/domain/event.ts';
import type { MonError } from '../../../shared/errors.ts';
import type { AuditEntry } from '../../../shared/schemas/audit.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { HandledEvent, HandlerJob, JobFailure } from '../../../shared/schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { SilencedEntry, SilencedUse } from '../../../shared/schemas/silenced.ts';
import type { Stash } from '../../../shared/schemas/stash.ts';
import { eraOf } from '../../clock/corrections.ts';
import type { TimeAnchor } from '../../clock/resume-time.ts';
import type { Change, Key, StoreOp } from '../ports.ts';
import { encodeCheckRecord, type CheckBodies } from '../events/check-record.ts';
import type { ApiKey, Session, User } from '../access/credentials.ts';
import type { Aggregate } from '../aggregates/state.ts';
import type { CheckEntry, ClientEntry, ClientOrigin } from '../registry/entries.ts';
import type { Namespace, SpoolMark, Tombstone } from '../registry/namespace.ts';
import type { DefinitionKind, DefinitionKinds } from '../definitions/state.ts';
import { encodeClient } from '../clients/client-record.ts';
import type { Registry } from '../registry/registry.ts';
import type { StoredPlan } from '../plans/state.ts';
import { anchorOp } from '../schedule/time-anchor.ts';
import {
  aggregateDeletionKey,
  agentSpoolKey,
  apiKeyKey,
  AUDIT_HEAD,
  auditKey,
  checkRecordKey,
  clientKey,
  deadLetterKey,
  definitionKey,
  handlerJobKey,
  invalidatedKey,
  namespaceKey,
  planKey,
  sessionKey,
  silencedKey,
  silencedUseKey,
  stashKey,
  TOKEN_KEY,
  tombstoneKey,
  userKey,
} from '../store/keys.ts';
import type { MemoryRoom, Room } from './room.ts';
import type { EventHandling, HandlingNote } from '../handlers/event-handling.ts';
import { storedSilenced } from '../silences/stored.ts';
import { storedStash } from '../stashes/stored.ts';

/** Another version, or a few more subscriptions. */
const ORDINARY_GROWTH_BYTES = 4096;

/** What the commands of a batch asked for, as it was committed before. */
export interface Fetched {
  readonly checks: ReadonlyMap<CheckEntry, CheckBodies>;
  readonly clients: ReadonlyMap<ClientEntry, Client>;
}

/**
 * The changes of one batch: made on the registry at once, collected for the store, and announced by key for the feed.
 * Each check record is written once, however many results of it the batch holds.
 */
export class Transaction {
  readonly registry: Registry;
  /** Epoch milliseconds; one time for the whole batch. */
  readonly nowMs: number;
  /** Epoch seconds. */
  readonly now: number;
  readonly newId: () => string = randomUUID;
  /** Results that were processed, for the rate. */
  resultCount = 0;
  readonly handling: EventHandling;
  readonly #room: Room;
  readonly #memory: MemoryRoom;
  readonly #fetched: Fetched;
  readonly #pending = new Map<CheckEntry, CheckBodies>();
  /** Records of the clients that this batch saved. */
  readonly #savedClients = new Map<ClientEntry, Client>();
  readonly #changedEvents = new Set<CheckEntry>();
  /** Agents whose marks moved: written once, however many frames of each the batch holds. */
  readonly #spools = new Map<Namespace, Set<string>>();
  readonly #changes: Change[] = [];
  readonly #ops: StoreOp[] = [];
  readonly #jobs: HandlerJob[] = [];
  readonly #handlingNotes: HandlingNote[] = [];
  /** Silenced entries that were used: written once, however many runs each kept back in the batch. */
  readonly #usedSilences = new Map<Namespace, Set<string>>();

  /** @param fetched the bodies that the commands of this batch asked for */
  constructor(
    registry: Registry,
    nowMs: number,
    fetched: Fetched,
    { handling, room, memory }: { readonly handling: EventHandling; readonly room: Room; readonly memory: MemoryRoom },
  ) {
    this.registry = registry;
    this.handling = handling;
    this.#room = room;
    this.#memory = memory;
    this.nowMs = nowMs;
    this.now = Math.floor(nowMs / 1000);
    this.#fetched = fetched;
  }

  /**
   * Asked by a command before it makes something new, while it has changed nothing yet.
   *
   * @param present what is there in its place; when there is something, it is only replaced
   * @throws MonError `unavailable` when there is no room for more on the disk, `no_memory` when there is none in memory
   */
  refuseNew(present: unknown): void {
    if (present !== undefined) return;
    this.#room.refuseGrowth();
    this.#memory.refuseGrowth();
  }

  /**
   * Asked before a client is replaced: while there is no memory it may not grow beyond the ordinary.
   *
   * @throws MonError `no_memory`
   */
  refuseGrowthOf(present: ClientEntry | undefined, client: Client): void {
    if (present === undefined || !this.#memory.isFull) return;
    if (present.namespace.growthOf(client, present) > ORDINARY_GROWTH_BYTES) this.#memory.refuseGrowth();
  }

  /** Why a result is refused: it would make a client or a check that is not known, and there is no memory for it. */
  refusalOfNew(namespace: Namespace, client: string, check: string): MonError | undefined {
    if (!this.#memory.isFull || namespace.check(client, check) !== undefined) return undefined;
    return this.#memory.refusal();
  }

  /** The newest bodies of a record that a command of this batch asked for or wrote. */
  bodies(entry: CheckEntry): CheckBodies {
    const bodies = this.#pending.get(entry) ?? this.#fetched.checks.get(entry);
    if (bodies === undefined) throw new Error(`the bodies of ${entry.client.name}/${entry.name} were not asked for`);
    return bodies;
  }

  /** The newest record of a client that a command of this batch asked for or wrote. */
  client(entry: ClientEntry): Client {
    const client = this.#savedClients.get(entry) ?? this.#fetched.clients.get(entry);
    if (client === undefined) throw new Error(`the record of ${entry.name} was not asked for`);
    return client;
  }

  /** @param output of the event, when `state` holds a new one */
  saveCheck(entry: CheckEntry, state: CheckState, bodies: CheckBodies, output: string | undefined): void {
    if (state.event !== entry.state.event) this.#changedEvents.add(entry);
    entry.client.namespace.setCheck(entry, state, bodies.check ?? undefined, output);
    this.#pending.set(entry, bodies);
  }

  /** Notes in the open event of a check that this batch saved whether a silence keeps back its handlers. */
  saveSuppressed(entry: CheckEntry, isSuppressed: true | undefined): void {
    const { event } = entry.state;
    if (event !== undefined) entry.state = { ...entry.state, event: { ...event, isSuppressed } };
  }

  /**
   * Forgets that silences kept back the open event of a check, whose bodies the command must have asked for. Nothing that
   * is shown changes with it.
   */
  saveUnsuppressed(entry: CheckEntry): void {
    const bodies = this.bodies(entry);
    this.saveSuppressed(entry, undefined);
    this.#pending.set(entry, bodies);
  }

  removeCheck(entry: CheckEntry): void {
    const { client } = entry;
    if (entry.state.event !== undefined) this.#changedEvents.add(entry);
    client.namespace.removeCheck(entry);
    this.#pending.delete(entry);
    this.#del(checkRecordKey(client.namespace.name, client.name, entry.name));
  }

  /** @param origin of a new client; one that is known keeps its own, but is counted from when something counted it */
  saveClient(namespace: Namespace, client: Client, origin: ClientOrigin): ClientEntry {
    const present = namespace.clients.get(client.name);
    // The silenced state of its events follows its subscriptions.
    if (present !== undefined) for (const check of present.checks.values()) this.#noteEvent(check);
    const entry = namespace.putClient(client, origin);
    this.#savedClients.set(entry, client);
    const { signature, reporter } = entry;
    const isCounted = entry.isCounted ? undefined : false;
    const value = encodeClient({ client, signature, reporter, isCounted, era: this.#era });
    this.#put(clientKey(namespace.name, client.name), value);
    this.#changes.push(['client', namespace.name, client.name]);
    return entry;
  }

  removeClient(entry: ClientEntry): void {
    for (const check of entry.checks.values()) this.removeCheck(check);
    entry.namespace.removeClient(entry);
    this.#del(clientKey(entry.namespace.name, entry.name));
    this.#changes.push(['client', entry.namespace.name, entry.name]);
  }

  /** In place of the one with the same id, whose use ends with it. */
  saveSilenced(namespace: Namespace, entry: SilencedEntry): void {
    this.#forgetUse(namespace, entry);
    namespace.silenced.put(entry);
    this.#put(silencedKey(namespace.name, entry.subscription, entry.check), JSON.stringify(storedSilenced(entry)));
    this.noteSilenced(namespace, entry);
  }

  removeSilenced(namespace: Namespace, entry: SilencedEntry): void {
    this.#forgetUse(namespace, entry);
    namespace.silenced.remove(entry);
    this.#del(silencedKey(namespace.name, entry.subscription, entry.check));
    this.noteSilenced(namespace, entry);
  }

  /** Announces that an entry, and with it the silenced state of the events it names, is no longer what it was. */
  noteSilenced(namespace: Namespace, entry: SilencedEntry): void {
    namespace.aggregates.noteSilence();
    this.#changes.push(['silenced', namespace.name, entry.subscription, entry.check]);
  }

  /** Its members come back with their next results; the ones that are stored stay as they are. */
  removeAggregate(namespace: Namespace, aggregate: Aggregate): void {
    const count = namespace.deleteAggregate(aggregate);
    this.#put(aggregateDeletionKey(namespace.name, aggregate.name), JSON.stringify(count));
  }

  saveStash(namespace: Namespace, stash: Stash): void {
    const { path, expireAtMs } = stash;
    namespace.stashes.put({ path, expireAtMs });
    this.#put(stashKey(namespace.name, path), JSON.stringify(storedStash(stash)));
    this.#changes.push(['stash', namespace.name, path]);
  }

  removeStash(namespace: Namespace, path: string): void {
    namespace.stashes.remove(path);
    this.#del(stashKey(namespace.name, path));
    this.#changes.push(['stash', namespace.name, path]);
  }

  /** Adds to the audit trail what this batch does, see `recordAudit`. */
  addAudit(entry: AuditEntry): void {
    const { audit } = this.registry;
    const { record, trimmed } = audit.append(entry, this.nowMs);
    this.#put(auditKey(record.id), JSON.stringify(record));
    for (const id of trimmed) this.#del(auditKey(id));
    this.#put(AUDIT_HEAD, JSON.stringify(audit.head));
  }

  saveUser(user: User): void {
    const { credentials } = this.registry;
    credentials.users.set(user.username, user);
    credentials.version++;
    this.#put(userKey(user.username), JSON.stringify(user));
  }

  saveApiKey(key: ApiKey): void {
    this.registry.credentials.version++;
    this.noteApiKeyUse(key);
  }

  /** The same key with its last use: takes nothing away from anybody. */
  noteApiKeyUse(key: ApiKey): void {
    this.registry.credentials.apiKeys.set(key.id, key);
    this.#put(apiKeyKey(key.id), JSON.stringify(key));
  }

  removeApiKey(id: string): void {
    const { credentials } = this.registry;
    credentials.apiKeys.delete(id);
    credentials.version++;
    this.#del(apiKeyKey(id));
  }

  saveSession(session: Session): void {
    this.registry.credentials.sessions.set(session.id, session);
    this.#put(sessionKey(session.id), JSON.stringify(session));
  }

  /** @param key what access tokens are signed with from now on, in base64url */
  saveTokenKey(key: string): void {
    this.registry.credentials.tokenKey = key;
    this.#put(TOKEN_KEY, JSON.stringify(key));
  }

  removeSession(id: string): void {
    const { credentials } = this.registry;
    credentials.sessions.delete(id);
    credentials.version++;
    this.#del(sessionKey(id));
  }

  saveSpool(namespace: Namespace, client: string, mark: SpoolMark): void {
    namespace.spools.set(client, mark);
    let clients = this.#spools.get(namespace);
    if (clients === undefined) this.#spools.set(namespace, (clients = new Set()));
    clients.add(client);
  }

  /** @param untilMs epoch milliseconds; undefined lifts it */
  saveInvalidated(namespace: Namespace, client: string, untilMs: number | undefined): void {
    const key = invalidatedKey(namespace.name, client);
    if (untilMs === undefined) {
      namespace.invalidated.delete(client);
      this.#del(key);
    } else {
      namespace.invalidated.set(client, untilMs);
      this.#put(key, JSON.stringify(untilMs));
    }
  }

  /** @param tombstone undefined takes it away */
  saveTombstone(namespace: Namespace, client: string, tombstone: Tombstone | undefined): void {
    const key = tombstoneKey(namespace.name, client);
    if (tombstone === undefined) {
      namespace.tombstones.delete(client);
      this.#del(key);
    } else {
      namespace.tombstones.set(client, tombstone);
      this.#put(key, JSON.stringify(tombstone));
    }
  }

  saveDefinition<Kind extends DefinitionKind>(kind: Kind, definition: DefinitionKinds[Kind]): void {
    const { object } = definition;
    const { namespace, name } = object.metadata;
    this.registry.definitions.put(kind, definition);
    this.#put(definitionKey(kind, namespace, name), JSON.stringify(object));
  }

  removeDefinition(kind: DefinitionKind, namespace: string, name: string): void {
    this.registry.definitions.remove(kind, namespace, name);
    this.#del(definitionKey(kind, namespace, name));
  }

  saveNamespace(name: string): void {
    this.registry.declared.add(name);
    this.#put(namespaceKey(name), JSON.stringify({ name }));
  }

  /** As its next revision. */
  savePlan(stored: StoredPlan): StoredPlan {
    const { id } = stored.runbook;
    const revision = (this.registry.plans.get(id)?.runbook.revision ?? 0) + 1;
    const next = { ...stored, runbook: { ...stored.runbook, revision } };
    this.registry.plans.put(next);
    this.#put(planKey(id), JSON.stringify(next));
    this.#changes.push(['upgrade', DEFAULT_NAMESPACE, id]);
    return next;
  }

  removePlan(id: number): void {
    this.registry.plans.remove(id);
    this.#del(planKey(id));
    this.#changes.push(['upgrade', DEFAULT_NAMESPACE, id]);
  }

  /** One that holds nothing any more; with it go the traces of what was in it. */
  removeNamespace(namespace: Namespace): void {
    const { name, spools, invalidated, tombstones, aggregates } = namespace;
    for (const client of spools.keys()) this.#del(agentSpoolKey(name, client));
    for (const client of invalidated.keys()) this.#del(invalidatedKey(name, client));
    for (const client of tombstones.keys()) this.#del(tombstoneKey(name, client));
    for (const aggregate of aggregates.deletedNames()) this.#del(aggregateDeletionKey(name, aggregate));
    for (const marks of [spools, invalidated, tombstones]) marks.clear();
    this.registry.removeNamespace(name);
    this.#del(namespaceKey(name));
  }

  /** Asks for a run of a handler. */
  addJob(namespace: Namespace, handler: string, event: HandledEvent): void {
    const job: HandlerJob = {
      id: this.registry.newJobId(this.nowMs),
      namespace: namespace.name,
      client: event.client.name,
      check: event.check.name,
      handler,
      queued_at: this.nowMs,
      event,
    };
    this.#jobs.push(job);
    this.#put(handlerJobKey(job.id), JSON.stringify(job));
  }

  /** A run of a handler is over. */
  finishJob(id: number): void {
    this.#del(handlerJobKey(id));
  }

  /** Makes a run of a handler a dead letter: a mark beside its job, whose event is not written again. */
  buryJob(id: number, failure: JobFailure): void {
    this.#put(deadLetterKey(id), JSON.stringify(failure));
  }

  reviveJob(id: number): void {
    this.#del(deadLetterKey(id));
  }

  dropDeadLetter(id: number): void {
    this.#del(handlerJobKey(id));
    this.#del(deadLetterKey(id));
  }

  /** Notes whom an event was not given to, for the log, which gets it after the commit. */
  noteHandling(note: HandlingNote): void {
    this.#handlingNotes.push(note);
  }

  /** Counts one run of a handler that these silenced entries kept back. */
  noteSuppressed(namespace: Namespace, ids: readonly string[]): void {
    for (const id of ids) {
      namespace.silenced.countUse(id, this.now);
      this.#noteUse(namespace, id);
    }
  }

  /** What a silenced entry has kept back before it came here. */
  saveSilencedUse(namespace: Namespace, id: string, use: SilencedUse): void {
    namespace.silenced.loadUse(id, use);
    this.#noteUse(namespace, id);
  }

  /** Notes the newest time that was seen. */
  saveAnchor(anchor: TimeAnchor): void {
    this.#ops.push(anchorOp(anchor));
  }

  /** What is to be written, and the runs of handlers among it. */
  finish(): {
    readonly ops: readonly StoreOp[];
    readonly changes: readonly Change[];
    readonly jobs: readonly HandlerJob[];
    readonly handlingNotes: readonly HandlingNote[];
  } {
    const era = this.#era;
    for (const [entry, bodies] of this.#pending) {
      const { client } = entry;
      const key = checkRecordKey(client.namespace.name, client.name, entry.name);
      this.#put(key, encodeCheckRecord(entry.state, bodies, entry.deletionsBefore, era));
    }
    for (const [namespace, clients] of this.#spools) {
      for (const client of clients) {
        this.#put(agentSpoolKey(namespace.name, client), JSON.stringify(namespace.spools.get(client)));
      }
    }
    for (const [namespace, ids] of this.#usedSilences) {
      for (const id of ids) this.#putUse(namespace, id);
    }
    for (const entry of this.#changedEvents) {
      const { client, name } = entry;
      client.namespace.aggregates.noteSilencing(entry, this.nowMs);
      this.#changes.push(['event', client.namespace.name, client.name, name]);
    }
    return { ops: this.#ops, changes: this.#changes, jobs: this.#jobs, handlingNotes: this.#handlingNotes };
  }

  /** Undefined: the clock was never corrected. */
  get #era(): number | undefined {
    const era = eraOf(this.registry.corrections);
    return era === 0 ? undefined : era;
  }

  #noteUse(namespace: Namespace, id: string): void {
    let used = this.#usedSilences.get(namespace);
    if (used === undefined) this.#usedSilences.set(namespace, (used = new Set()));
    used.add(id);
  }

  #putUse(namespace: Namespace, id: string): void {
    const entry = namespace.silenced.get(id);
    const use = namespace.silenced.use(id);
    // It may have ended, or begun anew, later in the batch.
    if (entry === undefined || use === undefined) return;
    this.#put(silencedUseKey(namespace.name, entry.subscription, entry.check), JSON.stringify(use));
  }

  #forgetUse(namespace: Namespace, { id, subscription, check }: SilencedEntry): void {
    if (namespace.silenced.use(id) !== undefined) this.#del(silencedUseKey(namespace.name, subscription, check));
  }

  #noteEvent(entry: CheckEntry): void {
    if (entry.state.event !== undefined) this.#changedEvents.add(entry);
  }

  #put(key: Key, value: string): void {
    this.#ops.push({ type: 'put', key, value });
  }

  #del(key: Key): void {
    this.#ops.push({ type: 'del', key });
  }
}
