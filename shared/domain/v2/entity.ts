import type { Client } from '../../schemas/client.ts';
import type { V2Entity, SubmittedV2Entity } from '../../schemas/v2/entity.ts';
import { isSettings, type Settings } from '../merge-settings.ts';
import { clientSubscription } from '../subscription.ts';
import { NETWORK_FIELDS, SYSTEM_FIELDS, zeroValuesInEvent } from './event-shape.ts';
import { v2Subscription, subscriptionOfV2 } from './subscription.ts';

const AGENT_ENTITY_CLASS = 'agent';
const PROXY_ENTITY_CLASS = 'proxy';

/** Attributes of a client that the v2 API does not show, or shows under another name. */
const HIDDEN_ATTRIBUTES: ReadonlySet<string> = new Set([
  'name',
  'address',
  'timestamp',
  'version',
  'type',
  'signature',
  'keepalive',
  'keepalives',
  'safe_mode',
  'socket',
  'http_socket',
  'registration',
  'labels',
  'annotations',
  'created_by',
  'sent_subscriptions',
  'last_seen',
]);

/** Attributes of a client that are removed if the entity that replaces it does not have them. */
const REPLACED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'type',
  'entity_class',
  'system',
  'subscriptions',
  'deregister',
  'deregistration',
  'redact',
  'user',
  'labels',
  'annotations',
  'created_by',
  'sensu_agent_version',
  'sent_subscriptions',
  'last_seen',
]);

/** Converts a client to an entity of the v2 API. Secrets are not redacted; the caller must do that. */
export function v2EntityOf(namespace: string, client: Client): V2Entity {
  const entityClass = classOf(client);
  return {
    ...pickAttributes(client, (attribute) => !HIDDEN_ATTRIBUTES.has(attribute)),
    metadata: {
      name: client.name,
      namespace,
      ...pairsOf('labels', client['labels']),
      ...pairsOf('annotations', client['annotations']),
      ...(typeof client['created_by'] === 'string' ? { created_by: client['created_by'] } : {}),
    },
    entity_class: entityClass,
    system: completeSystem(isSettings(client['system']) ? client['system'] : {}),
    subscriptions: shownSubscriptions(client),
    last_seen: shownLastSeen(client),
    deregister: client['deregister'] === true,
    deregistration: isSettings(client['deregistration']) ? client['deregistration'] : {},
    sensu_agent_version: agentVersion(client, entityClass),
    ...keepaliveHandlers(client),
  };
}

const ADDED_METADATA = ['labels', 'annotations', 'created_by'];

/** Returns the attributes of a client that only the v2 API can set. */
export function addedToEntity(client: Client | undefined): Readonly<Record<string, unknown>> {
  if (client === undefined) return {};
  return Object.fromEntries(
    ADDED_METADATA.filter((name) => Object.hasOwn(client, name)).map((name) => [name, client[name]]),
  );
}

/** Data for the conversion of an entity to a client. */
export interface EntityContext {
  /** The stored client; undefined if there is none. */
  readonly present: Client | undefined;
  /** The current time in epoch seconds. */
  readonly now: number;
  /** Version of the v1 client protocol, for a client that has never reported one. */
  readonly version: string;
  /** The creator of a new client; an existing one keeps its creator. */
  readonly createdBy: string | undefined;
  /**
   * The origin of the entity. `put`: a request that stores the entity as sent, without adding a creator or
   * subscriptions. `event`: an event that contains the entity. `agent`: an agent that reports about itself.
   */
  readonly source: 'put' | 'event' | 'agent';
}

/**
 * Converts an entity of the v2 API to a client. It replaces the attributes that the v2 API shows. Those of the v1 API
 * (address, keepalive thresholds, sockets) stay. A custom attribute is removed only if it is null in the entity.
 *
 * The `last_seen` of a client with keepalives never decreases, and is never in the future.
 */
export function clientOfEntity(entity: SubmittedV2Entity, context: EntityContext): Client {
  const { present, now, version, createdBy, source } = context;
  const { metadata, last_seen, keepalive_handlers: handlers, subscriptions, entity_class, ...attributes } = entity;
  const { name, labels, annotations } = metadata;
  const isKept = (attribute: string): boolean => !REPLACED_ATTRIBUTES.has(attribute) && entity[attribute] !== null;
  const entityClass = entity_class || PROXY_ENTITY_CLASS;
  const creator = source === 'put' ? metadata.created_by : present === undefined ? createdBy : present['created_by'];
  const sent = sentSubscriptions(name, subscriptions, entityClass, source);
  return {
    ...(present === undefined ? {} : pickAttributes(present, isKept)),
    ...pickAttributes(attributes, (attribute) => isStoredAttribute(attribute, attributes[attribute])),
    ...(entityClass === PROXY_ENTITY_CLASS ? { type: PROXY_ENTITY_CLASS } : {}),
    ...(sent === undefined ? {} : { sent_subscriptions: sent }),
    ...(source === 'agent' ? {} : { last_seen: last_seen ?? 0 }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(typeof creator === 'string' ? { created_by: creator } : {}),
    ...(handlers ? { keepalive: { ...keepaliveOf(present), handlers } } : {}),
    entity_class: entityClass,
    name,
    address: addressOf(present, entity.system),
    subscriptions: ownSubscriptions(name, subscriptions),
    keepalives: present === undefined ? false : present.keepalives,
    version: present?.version ?? version,
    timestamp: lastSeen(present, last_seen ?? 0, now),
  };
}

function shownSubscriptions(client: Client): string[] | null {
  const sent = client['sent_subscriptions'];
  if (sent === null) return null;
  return Array.isArray(sent) ? (sent as string[]) : client.subscriptions.map(v2Subscription);
}

/** Returns the time of the last keepalive; for a client without keepalives, the `last_seen` that was sent, if any. */
function shownLastSeen(client: Client): number {
  const sent = client['last_seen'];
  return client.keepalives === false && typeof sent === 'number' ? sent : client.timestamp;
}

const SYSTEM_ZERO_VALUES = zeroValuesInEvent(SYSTEM_FIELDS);
const NETWORK_ZERO_VALUES = zeroValuesInEvent(NETWORK_FIELDS);

/** Adds the attributes that Sensu Go shows for every host. */
function completeSystem(system: Settings): Settings {
  const network = isSettings(system['network']) ? system['network'] : {};
  const { interfaces } = network;
  const isEmpty = !Array.isArray(interfaces) || interfaces.length === 0;
  return {
    ...SYSTEM_ZERO_VALUES,
    ...pickAttributes(system, (name) => (system[name] ?? null) !== null),
    network: { ...network, ...(isEmpty && NETWORK_ZERO_VALUES) },
  };
}

function classOf(client: Client): string {
  const own = client['entity_class'];
  if (typeof own === 'string' && own !== '') return own;
  return client['type'] === PROXY_ENTITY_CLASS ? PROXY_ENTITY_CLASS : AGENT_ENTITY_CLASS;
}

function agentVersion(client: Client, entityClass: string): string {
  const own = client['sensu_agent_version'];
  if (typeof own === 'string') return own;
  // Sensu Go agents of version 5 do not send their version, and `version` of a client is that of the v1 protocol.
  if (typeof client['entity_class'] === 'string') return '';
  return entityClass === AGENT_ENTITY_CLASS && client.keepalives !== false ? client.version : '';
}

function keepaliveOf(client: Client | undefined): Settings {
  const keepalive = client?.['keepalive'];
  return isSettings(keepalive) ? keepalive : {};
}

function keepaliveHandlers(client: Client): Pick<SubmittedV2Entity, 'keepalive_handlers'> {
  const { handler, handlers } = keepaliveOf(client);
  if (Array.isArray(handlers)) return { keepalive_handlers: handlers as string[] };
  return typeof handler === 'string' ? { keepalive_handlers: [handler] } : {};
}

function ownSubscriptions(name: string, subscriptions: readonly string[] | null | undefined): string[] {
  const named = (subscriptions ?? []).filter((subscription) => subscription !== '');
  return [...new Set([...named.map(subscriptionOfV2), clientSubscription(name)])];
}

/**
 * Returns the subscriptions that the v2 API shows for an entity: those that were sent. For a proxy entity from an
 * event, its own subscription is appended, even if it was sent too.
 *
 * @returns undefined if the subscriptions of the client are shown instead
 */
function sentSubscriptions(
  name: string,
  subscriptions: readonly string[] | null | undefined,
  entityClass: string,
  source: EntityContext['source'],
): readonly string[] | null | undefined {
  if (source === 'agent') return undefined;
  if (source === 'put' || entityClass === AGENT_ENTITY_CLASS) return subscriptions ?? null;
  const sent = [...(subscriptions ?? []), v2Subscription(clientSubscription(name))];
  return sent.length === ownSubscriptions(name, subscriptions).length ? undefined : sent;
}

function lastSeen(present: Client | undefined, reportedTime: number, now: number): number {
  if (present === undefined) return reportedTime === 0 ? now : Math.min(reportedTime, now);
  if (reportedTime === 0) return present.timestamp;
  return present.keepalives === false
    ? Math.min(reportedTime, now)
    : Math.max(present.timestamp, Math.min(reportedTime, now));
}

/** Returns the stored address of a client, or else the first IP address in its system information that is not local. */
function addressOf(present: Client | undefined, system: SubmittedV2Entity['system']): string {
  if (present !== undefined && present.address !== UNKNOWN_ADDRESS) return present.address;
  for (const { addresses } of system?.network?.interfaces ?? []) {
    for (const address of addresses ?? []) {
      if (!LOCAL_ADDRESS.test(address)) return address.replace(/\/\d+$/, '');
    }
  }
  return UNKNOWN_ADDRESS;
}

const UNKNOWN_ADDRESS = 'unknown';

/** Matches loopback and link-local IP addresses. */
const LOCAL_ADDRESS = /^(?:127\.|::1(?:\/|$)|169\.254\.|fe80:)/i;

/** Returns the labels or annotations as a metadata attribute; empty if there are none. */
function pairsOf(name: 'labels' | 'annotations', pairs: unknown): Pick<V2Entity['metadata'], typeof name> {
  if (!isSettings(pairs)) return {};
  const values = Object.values(pairs);
  if (values.length === 0 || !values.every((value) => typeof value === 'string')) return {};
  return { [name]: pairs as Record<string, string> };
}

/**
 * Whether an attribute of an entity is stored. Attributes of the v1 API are not stored. Null is stored only for the
 * attributes in `REPLACED_ATTRIBUTES`.
 */
function isStoredAttribute(attribute: string, value: unknown): boolean {
  if (HIDDEN_ATTRIBUTES.has(attribute) || value === undefined) return false;
  return value !== null || REPLACED_ATTRIBUTES.has(attribute);
}

function pickAttributes(record: Settings, isIncluded: (name: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => isIncluded(name)));
}
