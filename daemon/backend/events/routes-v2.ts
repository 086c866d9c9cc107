import { entityOfEvent, eventCheckProblem, resultOfEvent } from '../../../shared/domain/v2/event.ts';
import type { Attributes } from '../../../shared/domain/attributes.ts';
import { isSettings } from '../../../shared/domain/merge-settings.ts';
import { redact } from '../../../shared/domain/redact.ts';
import { MonError } from '../../../shared/errors.ts';
import {
  v2EventSchema,
  type V2Event,
  type PlacedV2Event,
  type SubmittedV2Event,
} from '../../../shared/schemas/v2/event.ts';
import type { V2EventKey, PresentEvent, ReportedEvent, V2Events } from './v2-write.ts';
import { validateResult } from '../results/validate-result.ts';
import { showsAcknowledgementsAsSilences } from '../silences/acknowledged.ts';
import { readV2Events, shownEvent } from './v2-read.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { hasScope, mayUpdateObject } from '../access/principal.ts';
import { schemaValidator } from '../http/json-body.ts';
import type { V2Handlers } from '../http/route.ts';
import type { NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import { objectHandlers, pathPart, type Collection } from '../http/v2-collection.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import { entityHeaders } from '../clients/v2-headers.ts';
import { doesNotExist } from '../http/v2-errors.ts';
import { sendObjects, type V2Key } from '../http/v2-object-list.ts';
import { firstIndexAfter } from '../http/v2-chunks.ts';

const parseEvent = schemaValidator(v2EventSchema);

/**
 * An empty set of redact keys: `redact` then hides only the values of environment variables. All other secrets of an
 * event were redacted when it was read.
 */
const NO_REDACT_KEYS: ReadonlySet<string> = new Set();

/** Number of events that are read from the store at a time. */
const CHUNK_SIZE = 100;

interface V2EventDependencies extends NamespaceDependencies {
  readonly clock: Clock;
  readonly config: Pick<ConfigInForce, 'program'>;
  readonly entityLimit: EntityLimit;
  readonly store: Store;
  readonly v2Events: V2Events;
}

/** Serves each check result together with its open event, if any, as one v2 event (clients 6). */
export function eventsOnV2(deps: V2EventDependencies): V2Handlers<'events'> {
  const { clock, v2Events, entityLimit, registry, store } = deps;

  const namespaceOf = (name: string): Namespace | undefined =>
    registry.hasNamespace(name) ? registry.namespace(name) : undefined;
  const circumstances = (): Parameters<typeof readV2Events>[2] => ({
    nowMs: clock.now(),
    showsAcknowledgementsAsSilences: showsAcknowledgementsAsSilences(deps),
  });
  const read = async (entries: readonly CheckEntry[]): Promise<PlacedV2Event[]> =>
    (await readV2Events(store, entries, circumstances())).map(castToSubmitted);
  const shown = (present: PresentEvent | undefined): PlacedV2Event | undefined =>
    present && castToSubmitted(shownEvent(present.entry, present.record, present.client, circumstances()));

  const collection: Collection<PlacedV2Event, SubmittedV2Event> = {
    fieldRoot: 'event',
    isPlacedByPath: true,
    isReplacedByPost: true,
    parse: (value, key) => requireNames(parseEvent(withNamesOfPath(value, eventKeyOf(key)))),
    namespaceOf: (event) => namespacesOfEvent(event)[0],
    withNamespace: setEventNamespace,
    keyOf: ({ entity, check }) => [entity.metadata.name, check.metadata.name],
    sentKeyOf: ({ entity, check }) => [entity?.metadata?.name ?? '', check?.metadata?.name ?? ''],
    labelsOf: (event) => ({ ...labelsIn(event.entity), ...labelsIn(event.check), ...labelsIn(event) }),
    // Environment variables come from the check's definition, so a caller who may change the definition may also read
    // them here.
    show: (event, principal) => {
      const { name } = event.check.metadata;
      const { namespace } = event.metadata;
      return mayUpdateObject(principal, { resource: 'checks', name, namespace })
        ? event
        : redact(event, NO_REDACT_KEYS);
    },
    async *list(name, after, mayBeSelected) {
      const namespace = namespaceOf(name);
      if (namespace === undefined) return;
      for (const entries of splitIntoChunks(entriesAfterKey(namespace, [after?.[0], after?.[1]], mayBeSelected)))
        yield read(entries);
    },
    async get(name, key) {
      const { client, check } = eventKeyOf(key);
      const entry = namespaceOf(name)?.check(client, check);
      const [event] = entry === undefined ? [] : await read([entry]);
      return event;
    },
    async write(namespace, key, change, actor, request) {
      // User interfaces resolve an event by a PUT with status 0. Without the scope `resolve` it is an ordinary result.
      const isResolution = request.method === 'PUT' && hasScope(request.principal, 'resolve');
      let written: PlacedV2Event | undefined;
      await v2Events.write(
        namespace,
        eventKeyOf(key),
        (present) => {
          request.admission();
          const before = shown(present);
          written = change(before);
          const problem = eventCheckProblem(written.check, before?.check);
          if (problem !== undefined) throw new MonError('invalid', problem);
          return { ...reportedEvent(written, eventKeyOf(key), actor.who), isResolution };
        },
        actor,
      );
      return (await this.get(namespace, key)) ?? (written as PlacedV2Event);
    },
    async remove(namespace, key, check, actor) {
      if (namespaceOf(namespace) === undefined) throw doesNotExist();
      await v2Events.remove(
        namespace,
        eventKeyOf(key),
        (present) => {
          const event = shown(present);
          if (event !== undefined) check(event);
        },
        actor,
      );
    },
    headers: () => entityHeaders(entityLimit.usage()),
  };
  return {
    ...objectHandlers(deps, collection),
    ofEntity: (request, reply) => {
      const name = pathPart(request, 'namespace');
      const client = namespaceOf(name)?.clients.get(pathPart(request, 'entity'));
      reply.headers(collection.headers?.() ?? {});
      return sendObjects(request, reply, [name], {
        ...collection,
        async *list(_namespace, after, mayBeSelected) {
          if (client === undefined) return;
          for (const entries of splitIntoChunks(entriesOf(client, after?.[1], mayBeSelected))) yield read(entries);
        },
      });
    },
  };
}

function reportedEvent(
  event: SubmittedV2Event,
  { client, check }: V2EventKey,
  createdBy: string,
): Omit<ReportedEvent, 'isResolution'> {
  const result = resultOfEvent(event, { entity: client, check }, createdBy);
  const source = event.check?.proxy_entity_name ? { source: client } : {};
  return { entity: entityOfEvent(event, client), result: validateResult({ ...result, ...source }) };
}

function eventKeyOf([client = '', check = '']: V2Key): V2EventKey {
  return { client, check };
}

/** Fills in missing names of the entity and the check in a request body from the request path, as Sensu Go does. */
function withNamesOfPath(value: unknown, { client, check }: V2EventKey): unknown {
  if (!isSettings(value) || client === '' || check === '') return value;
  return { ...value, entity: setPartName(value['entity'], client), check: setPartName(value['check'], check) };
}

function setPartName(part: unknown, name: string): unknown {
  if (!isSettings(part)) return part;
  const { metadata } = part;
  if ((metadata ?? null) !== null && !isSettings(metadata)) return part;
  const { name: own, namespace, ...others } = isSettings(metadata) ? metadata : {};
  return { ...part, metadata: { ...others, ...(namespace ? { namespace } : {}), name: own || name } };
}

/**
 * Returns the event if it has a check and the names of its entity and check, under which it is stored.
 *
 * @throws MonError `invalid` if the check or a name is missing, or if the event contains more than one namespace
 */
function requireNames(event: SubmittedV2Event): SubmittedV2Event {
  if (!event.check) {
    throw new MonError('invalid', 'check: is required, even if the event contains metrics');
  }
  if (event.check.metadata?.name === undefined) throw new MonError('invalid', 'check.metadata.name: is required');
  if (event.entity?.metadata?.name === undefined) throw new MonError('invalid', 'entity.metadata.name: is required');
  const [namespace, ...others] = new Set(namespacesOfEvent(event));
  if (others.length > 0) {
    throw new MonError('invalid', `the event contains more than one namespace: ${[namespace, ...others].join(', ')}`);
  }
  return event;
}

/** Returns the namespaces that are set in the metadata of the event, its entity and its check, with duplicates. */
function namespacesOfEvent({ metadata, entity, check }: SubmittedV2Event): string[] {
  const all = [metadata?.namespace, entity?.metadata?.namespace, check?.metadata?.namespace];
  return all.filter((namespace): namespace is string => Boolean(namespace));
}

/**
 * Returns the event with `namespace` set in all its metadata. If the check names a proxy entity, the event belongs to
 * that entity, and not to the entity that ran the check.
 */
function setEventNamespace(event: SubmittedV2Event, namespace: string): PlacedV2Event {
  const { check } = event;
  const name = event.entity?.metadata?.name ?? '';
  const proxy = check?.proxy_entity_name || name;
  const entity = proxy === name ? event.entity : { entity_class: 'proxy' };
  return {
    ...event,
    metadata: { ...event.metadata, namespace },
    entity: { ...entity, metadata: { ...(proxy === name ? event.entity?.metadata : {}), name: proxy, namespace } },
    check: { ...check, metadata: { ...check?.metadata, name: check?.metadata?.name ?? '', namespace } },
  };
}

/** Casts an event that was read to the type of a request body: the compiler cannot verify the check attributes. */
function castToSubmitted<Shown extends V2Event | undefined>(event: Shown): PlacedV2Event & Shown {
  return event as PlacedV2Event & Shown;
}

function labelsIn({
  metadata,
}: {
  readonly metadata?: { readonly labels?: unknown };
}): Readonly<Record<string, unknown>> {
  return (metadata?.labels ?? {}) as Readonly<Record<string, unknown>>;
}

/**
 * Yields the checks of a namespace that follow the given client and check, sorted by client, then by check; all of them
 * if `client` is undefined.
 *
 * @param mayBeSelected callback that tests the names of client and check before the event is read
 */
function* entriesAfterKey(
  namespace: Namespace,
  [client, check]: readonly [client: string | undefined, check: string | undefined],
  mayBeSelected: (parts: Attributes) => boolean,
): Generator<CheckEntry> {
  const clients = namespace.sortedClients();
  const begun = client === undefined ? undefined : namespace.clients.get(client);
  if (begun !== undefined) yield* entriesOf(begun, check, mayBeSelected);
  const start = client === undefined ? 0 : firstIndexAfter(clients, client, ({ name }) => name);
  for (let at = start; at < clients.length; at++) {
    const next = clients[at];
    if (next !== undefined) yield* entriesOf(next, undefined, mayBeSelected);
  }
}

/**
 * Yields the checks of a client, sorted by name, that follow the name `after`; all of them if `after` is undefined.
 *
 * @param mayBeSelected callback that tests the names of client and check, so that excluded events are never read
 */
function* entriesOf(
  client: ClientEntry,
  after: string | undefined,
  mayBeSelected: (parts: Attributes) => boolean,
): Generator<CheckEntry> {
  const entity = { metadata: { name: client.name } };
  if (!mayBeSelected({ entity })) return;
  for (const entry of client.sortedChecks()) {
    if (after !== undefined && entry.name <= after) continue;
    if (mayBeSelected({ entity, check: { metadata: { name: entry.name } } })) yield entry;
  }
}

function* splitIntoChunks(entries: Iterable<CheckEntry>): Generator<CheckEntry[]> {
  let chunk: CheckEntry[] = [];
  for (const entry of entries) {
    chunk.push(entry);
    if (chunk.length < CHUNK_SIZE) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
