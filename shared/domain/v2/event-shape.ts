import { isAttributes, type Attributes } from '../attributes.ts';

type ZeroValue = '' | 0 | false | null | readonly never[] | Readonly<Record<string, never>>;

/** The values that an attribute has in Sensu Go if it is not set. */
export interface ZeroValues {
  /** The value in events for the API and for handlers; undefined if the attribute is omitted there. */
  readonly inEvent?: ZeroValue;
  /**
   * The value that filters see. If it is undefined, the attribute is missing, and a filter that reads it fails.
   */
  readonly inFilter?: ZeroValue;
}

export type ZeroFields = Readonly<Record<string, ZeroValues>>;

const TEXT_ZERO: ZeroValues = { inEvent: '', inFilter: '' };
const NUMBER_ZERO: ZeroValues = { inEvent: 0, inFilter: 0 };
const FLAG_ZERO: ZeroValues = { inEvent: false, inFilter: false };
/** A list attribute that is null in an event if it is empty, but an empty list in a filter. */
const LIST_ZERO: ZeroValues = { inEvent: null, inFilter: [] };
const LIST_IN_EVENT: ZeroValues = { inEvent: [], inFilter: [] };
const OBJECT_ZERO: ZeroValues = { inEvent: {}, inFilter: {} };
const NULL_ZERO: ZeroValues = { inEvent: null, inFilter: null };
const NO_ZERO: ZeroValues = {};

/*
 * The attributes of Sensu Go events, as recorded from 6.2.4. Filters see attributes that an event omits if they are not
 * set, such as `duration` and `discard_output`.
 */

const METADATA_FIELDS: ZeroFields = { labels: NO_ZERO, annotations: NO_ZERO };

export const CHECK_FIELDS: ZeroFields = {
  command: NO_ZERO,
  handlers: LIST_IN_EVENT,
  high_flap_threshold: NUMBER_ZERO,
  interval: NUMBER_ZERO,
  low_flap_threshold: NUMBER_ZERO,
  publish: FLAG_ZERO,
  runtime_assets: LIST_ZERO,
  subscriptions: LIST_IN_EVENT,
  proxy_entity_name: TEXT_ZERO,
  check_hooks: LIST_ZERO,
  stdin: FLAG_ZERO,
  subdue: NULL_ZERO,
  cron: NO_ZERO,
  ttl: NUMBER_ZERO,
  timeout: NUMBER_ZERO,
  proxy_requests: NO_ZERO,
  round_robin: FLAG_ZERO,
  duration: { inFilter: 0 },
  executed: NUMBER_ZERO,
  history: LIST_ZERO,
  issued: NUMBER_ZERO,
  output: TEXT_ZERO,
  state: NO_ZERO,
  status: NUMBER_ZERO,
  total_state_change: NUMBER_ZERO,
  last_ok: NUMBER_ZERO,
  occurrences: NUMBER_ZERO,
  occurrences_watermark: NUMBER_ZERO,
  silenced: NO_ZERO,
  hooks: NO_ZERO,
  output_metric_format: TEXT_ZERO,
  output_metric_handlers: LIST_ZERO,
  output_metric_tags: NO_ZERO,
  env_vars: LIST_ZERO,
  max_output_size: NO_ZERO,
  discard_output: { inFilter: false },
  secrets: LIST_ZERO,
  is_silenced: FLAG_ZERO,
  scheduler: TEXT_ZERO,
  // Version 6.2.4 has no pipelines; later versions have them in filters.
  pipelines: { inFilter: [] },
};

export const ENTITY_FIELDS: ZeroFields = {
  entity_class: TEXT_ZERO,
  system: OBJECT_ZERO,
  subscriptions: LIST_ZERO,
  last_seen: NUMBER_ZERO,
  deregister: FLAG_ZERO,
  deregistration: OBJECT_ZERO,
  user: NO_ZERO,
  redact: NO_ZERO,
  sensu_agent_version: TEXT_ZERO,
  keepalive_handlers: NO_ZERO,
};

export const SYSTEM_FIELDS: ZeroFields = {
  hostname: NO_ZERO,
  os: NO_ZERO,
  platform: NO_ZERO,
  platform_family: NO_ZERO,
  platform_version: NO_ZERO,
  network: OBJECT_ZERO,
  arch: NO_ZERO,
  arm_version: NO_ZERO,
  libc_type: TEXT_ZERO,
  vm_system: TEXT_ZERO,
  vm_role: TEXT_ZERO,
  cloud_provider: TEXT_ZERO,
  float_type: NO_ZERO,
  processes: LIST_ZERO,
};

export const NETWORK_FIELDS: ZeroFields = { interfaces: LIST_ZERO };

const INTERFACE_FIELDS: ZeroFields = { name: NO_ZERO, mac: NO_ZERO, addresses: LIST_ZERO };

const METRICS_FIELDS: ZeroFields = { handlers: LIST_ZERO, points: LIST_ZERO };

const POINT_FIELDS: ZeroFields = { name: NO_ZERO, value: NUMBER_ZERO, timestamp: NUMBER_ZERO, tags: LIST_ZERO };

const EVENT_FIELDS: ZeroFields = {
  timestamp: NO_ZERO,
  metrics: NO_ZERO,
  sequence: NUMBER_ZERO,
  pipelines: { inFilter: [] },
};

/** Returns the values that these attributes have in an event if they are not set. */
export function zeroValuesInEvent(fields: ZeroFields): Attributes {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { inEvent }]) => (inEvent === undefined ? [] : [[name, inEvent]])),
  );
}

/** Converts a v2 event to the form in which filters see it. */
export function eventInFilter(event: Attributes): Attributes {
  const { check, entity, metrics } = event;
  return fillZeroValues(EVENT_FIELDS, {
    ...event,
    check: isAttributes(check) ? fillZeroValues(CHECK_FIELDS, withMetadataInFilter(check)) : check,
    entity: isAttributes(entity) ? entityInFilter(entity) : entity,
    metrics: isAttributes(metrics) ? metricsInFilter(metrics) : metrics,
  });
}

/** Converts an entity to the form in which filters and proxy requests see it. */
export function entityInFilter(entity: Attributes): Attributes & { readonly metadata: Attributes } {
  const { system, metadata } = entity;
  return {
    ...fillZeroValues(ENTITY_FIELDS, { ...entity, system: systemInFilter(isAttributes(system) ? system : {}) }),
    metadata: isAttributes(metadata) ? fillZeroValues(METADATA_FIELDS, metadata) : {},
  };
}

function withMetadataInFilter(part: Attributes): Attributes {
  const { metadata } = part;
  return isAttributes(metadata) ? { ...part, metadata: fillZeroValues(METADATA_FIELDS, metadata) } : part;
}

function systemInFilter(system: Attributes): Attributes {
  const network = fillZeroValues(NETWORK_FIELDS, isAttributes(system['network']) ? system['network'] : {});
  return fillZeroValues(SYSTEM_FIELDS, {
    ...system,
    network: { ...network, interfaces: eachInFilter(INTERFACE_FIELDS, network['interfaces']) },
  });
}

function metricsInFilter(metrics: Attributes): Attributes {
  return fillZeroValues(METRICS_FIELDS, { ...metrics, points: eachInFilter(POINT_FIELDS, metrics['points']) });
}

function eachInFilter(fields: ZeroFields, items: unknown): unknown {
  return Array.isArray(items)
    ? items.map((item: unknown) => (isAttributes(item) ? fillZeroValues(fields, item) : item))
    : items;
}

function fillZeroValues(fields: ZeroFields, attributes: Attributes): Attributes {
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
