import { isAttributes, type Attributes } from '../attributes.ts';

type Zero = '' | 0 | false | null | readonly never[] | Readonly<Record<string, never>>;

/** The values that an attribute has in Sensu Go if it is not set. */
export interface ZeroValues {
  /** The value in events for the API and for handlers; undefined if the attribute is omitted there. */
  readonly inEvent?: Zero;
  /** The value in filters; undefined if it is omitted: then a filter that reads an attribute of it fails. */
  readonly inFilter?: Zero;
}

export type Fields = Readonly<Record<string, ZeroValues>>;

const TEXT: ZeroValues = { inEvent: '', inFilter: '' };
const NUMBER: ZeroValues = { inEvent: 0, inFilter: 0 };
const FLAG: ZeroValues = { inEvent: false, inFilter: false };
/** A list attribute that is null in an event if it is empty, but an empty list in a filter. */
const LIST: ZeroValues = { inEvent: null, inFilter: [] };
const LIST_IN_EVENT: ZeroValues = { inEvent: [], inFilter: [] };
const OBJECT: ZeroValues = { inEvent: {}, inFilter: {} };
const NULL: ZeroValues = { inEvent: null, inFilter: null };
const OMITTED: ZeroValues = {};

/*
 * The attributes of Sensu Go events, as recorded from 6.2.4. Filters see attributes that an event omits if they are not
 * set, such as `duration` and `discard_output`.
 */

const METADATA_FIELDS: Fields = { labels: OMITTED, annotations: OMITTED };

export const CHECK_FIELDS: Fields = {
  command: OMITTED,
  handlers: LIST_IN_EVENT,
  high_flap_threshold: NUMBER,
  interval: NUMBER,
  low_flap_threshold: NUMBER,
  publish: FLAG,
  runtime_assets: LIST,
  subscriptions: LIST_IN_EVENT,
  proxy_entity_name: TEXT,
  check_hooks: LIST,
  stdin: FLAG,
  subdue: NULL,
  cron: OMITTED,
  ttl: NUMBER,
  timeout: NUMBER,
  proxy_requests: OMITTED,
  round_robin: FLAG,
  duration: { inFilter: 0 },
  executed: NUMBER,
  history: LIST,
  issued: NUMBER,
  output: TEXT,
  state: OMITTED,
  status: NUMBER,
  total_state_change: NUMBER,
  last_ok: NUMBER,
  occurrences: NUMBER,
  occurrences_watermark: NUMBER,
  silenced: OMITTED,
  hooks: OMITTED,
  output_metric_format: TEXT,
  output_metric_handlers: LIST,
  output_metric_tags: OMITTED,
  env_vars: LIST,
  max_output_size: OMITTED,
  discard_output: { inFilter: false },
  secrets: LIST,
  is_silenced: FLAG,
  scheduler: TEXT,
  // Version 6.2.4 has no pipelines; later versions have them in filters.
  pipelines: { inFilter: [] },
};

export const ENTITY_FIELDS: Fields = {
  entity_class: TEXT,
  system: OBJECT,
  subscriptions: LIST,
  last_seen: NUMBER,
  deregister: FLAG,
  deregistration: OBJECT,
  user: OMITTED,
  redact: OMITTED,
  sensu_agent_version: TEXT,
  keepalive_handlers: OMITTED,
};

export const SYSTEM_FIELDS: Fields = {
  hostname: OMITTED,
  os: OMITTED,
  platform: OMITTED,
  platform_family: OMITTED,
  platform_version: OMITTED,
  network: OBJECT,
  arch: OMITTED,
  arm_version: OMITTED,
  libc_type: TEXT,
  vm_system: TEXT,
  vm_role: TEXT,
  cloud_provider: TEXT,
  float_type: OMITTED,
  processes: LIST,
};

export const NETWORK_FIELDS: Fields = { interfaces: LIST };

const INTERFACE_FIELDS: Fields = { name: OMITTED, mac: OMITTED, addresses: LIST };

const METRICS_FIELDS: Fields = { handlers: LIST, points: LIST };

const POINT_FIELDS: Fields = { name: OMITTED, value: NUMBER, timestamp: NUMBER, tags: LIST };

const EVENT_FIELDS: Fields = {
  timestamp: OMITTED,
  metrics: OMITTED,
  sequence: NUMBER,
  pipelines: { inFilter: [] },
};

/** Returns the values that these attributes have in an event if they are not set. */
export function zeroValuesInEvent(fields: Fields): Attributes {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { inEvent }]) => (inEvent === undefined ? [] : [[name, inEvent]])),
  );
}

/** Converts a v2 event to the form in which filters see it. */
export function eventInFilter(event: Attributes): Attributes {
  const { check, entity, metrics } = event;
  return inFilter(EVENT_FIELDS, {
    ...event,
    check: isAttributes(check) ? inFilter(CHECK_FIELDS, withMetadataInFilter(check)) : check,
    entity: isAttributes(entity) ? entityInFilter(entity) : entity,
    metrics: isAttributes(metrics) ? metricsInFilter(metrics) : metrics,
  });
}

/** Converts an entity to the form in which filters and proxy requests see it. */
export function entityInFilter(entity: Attributes): Attributes & { readonly metadata: Attributes } {
  const { system, metadata } = entity;
  return {
    ...inFilter(ENTITY_FIELDS, { ...entity, system: systemInFilter(isAttributes(system) ? system : {}) }),
    metadata: isAttributes(metadata) ? inFilter(METADATA_FIELDS, metadata) : {},
  };
}

function withMetadataInFilter(part: Attributes): Attributes {
  const { metadata } = part;
  return isAttributes(metadata) ? { ...part, metadata: inFilter(METADATA_FIELDS, metadata) } : part;
}

function systemInFilter(system: Attributes): Attributes {
  const network = inFilter(NETWORK_FIELDS, isAttributes(system['network']) ? system['network'] : {});
  return inFilter(SYSTEM_FIELDS, {
    ...system,
    network: { ...network, interfaces: eachInFilter(INTERFACE_FIELDS, network['interfaces']) },
  });
}

function metricsInFilter(metrics: Attributes): Attributes {
  return inFilter(METRICS_FIELDS, { ...metrics, points: eachInFilter(POINT_FIELDS, metrics['points']) });
}

function eachInFilter(fields: Fields, items: unknown): unknown {
  return Array.isArray(items)
    ? items.map((item: unknown) => (isAttributes(item) ? inFilter(fields, item) : item))
    : items;
}

function inFilter(fields: Fields, attributes: Attributes): Attributes {
  const seen: Record<string, unknown> = { ...attributes };
  for (const [name, { inFilter: zero }] of Object.entries(fields)) {
    if (!isZero(seen[name])) continue;
    if (zero === undefined) delete seen[name];
    else seen[name] = zero;
  }
  return seen;
}

function isZero(value: unknown): boolean {
  if (!value) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isAttributes(value) && Object.keys(value).length === 0;
}
