import type { WrappedObject } from './wrapped-object.ts';

/** An attribute of an imported object that is lost or has no effect, and the reason. */
export interface LostAttribute {
  readonly attribute: string;
  readonly reason: string;
}

const CLUSTER_REASON = 'this backend has no cluster';
const PROVIDERS_REASON = 'secret providers are not supported';
const DIRECTORY_REASON = 'directory services are not supported: create the users with monctl user create';
const STREAMS_REASON = 'only handlers of the types pipe, tcp, udp and set are supported';

/** The types of Sensu Go objects that an import skips, with the reason. */
const SKIPPED_TYPES: Readonly<Record<string, string>> = {
  Secret: 'secrets are not fetched from providers: use the environment of the backend or of the agent',
  Env: PROVIDERS_REASON,
  VaultProvider: PROVIDERS_REASON,
  ClusterConfig: CLUSTER_REASON,
  Cluster: CLUSTER_REASON,
  etcd_replicator: CLUSTER_REASON,
  EtcdReplicator: CLUSTER_REASON,
  PostgresConfig: 'a separate event store is not supported: the backend stores everything itself',
  ldap: DIRECTORY_REASON,
  ad: DIRECTORY_REASON,
  oidc: 'providers are not part of a dump: set up single sign-on with the setting oidc',
  GlobalConfig: 'there is no web interface',
  SearchConfig: 'there is no web interface: save views in the console',
  ServiceComponent: 'business services are not supported: use aggregates',
  RuleTemplate: 'business services are not supported: use aggregates',
  SumoLogicMetricsHandler: STREAMS_REASON,
  TCPStreamHandler: STREAMS_REASON,
  BatchEventsHandler: STREAMS_REASON,
  Integration: 'it describes an integration to the web interface: create the file of its resources',
  License: 'no license is needed',
};

/** Returns the reason why the import skips an object of an unsupported type. */
export function skippedReason({ type, api_version: version }: Pick<WrappedObject, 'type' | 'api_version'>): string {
  const reason = Object.hasOwn(SKIPPED_TYPES, type) ? SKIPPED_TYPES[type] : undefined;
  return reason ?? `the type ${version}.${type} is not supported`;
}

/**
 * Returns the attributes of an imported object that are lost or changed when it is stored. It compares the v2 forms of
 * the original and of the stored object. Empty text, zero, false, empty lists and null count as no value.
 *
 * @param prefix prepended to the name of each attribute
 */
export function lostAttributes(
  original: Readonly<Record<string, unknown>>,
  kept: Readonly<Record<string, unknown>>,
  prefix = '',
): readonly LostAttribute[] {
  return Object.entries(original).flatMap(([name, value]) => {
    if (isEmptyValue(value)) return [];
    const there = Object.hasOwn(kept, name) ? kept[name] : undefined;
    if (isEmptyValue(there)) return [{ attribute: prefix + name, reason: 'mon has no such attribute' }];
    return isEqual(value, there) ? [] : [{ attribute: prefix + name, reason: `it becomes ${shortText(there)}` }];
  });
}

/** Returns the attributes of an object that are stored and shown but have no effect, each with the reason. */
export function idleAttributes(
  attributes: Readonly<Record<string, unknown>>,
  reasons: Readonly<Record<string, string>>,
): readonly LostAttribute[] {
  return Object.entries(reasons).flatMap(([attribute, reason]) =>
    isEmptyValue(attributes[attribute]) ? [] : [{ attribute, reason: `it is kept, but ${reason}` }],
  );
}

function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && Object.values(value).every((part) => part === null || part === undefined);
}

/** Whether two values are deeply equal; the order of attribute names does not matter. */
function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => isEqual(item, b[at]));
  }
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  // An attribute without a value equals an absent one.
  return [...names].every(
    (name) => isEqual(left[name], right[name]) || (isEmptyValue(left[name]) && isEmptyValue(right[name])),
  );
}

const SHORT_TEXT_LENGTH = 60;

function shortText(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length <= SHORT_TEXT_LENGTH ? text : `${text.slice(0, SHORT_TEXT_LENGTH)}...`;
}
