import type { CheckRequest } from '../../schemas/agent.ts';
import type { CheckDefinition } from '../../schemas/check.ts';
import type { Client, SubmittedClient } from '../../schemas/client.ts';
import type { V2Check } from '../../schemas/v2/check.ts';
import type { V2Entity, SubmittedV2Entity } from '../../schemas/v2/entity.ts';
import type { SubmittedV2Event } from '../../schemas/v2/event.ts';
import type { SubmittedResult } from '../../schemas/result.ts';
import { commandText } from '../command-text.ts';
import { keepaliveOf } from '../keepalive.ts';
import { needsOf, type NeedSource } from './check-hooks.ts';
import { clientOfEntity, v2EntityOf } from './entity.ts';
import { entityOfEvent, resultOfEvent } from './event.ts';
import { sentKeepaliveSettings } from './keepalive.ts';
import { v2Subscription } from './subscription.ts';
import { completeProxyRequests } from './zero-values.ts';

const AGENT_CLASS = 'agent';

/** The keepalive handler that Sensu Go agents send if none is configured. */
const DEFAULT_KEEPALIVE_HANDLER = 'keepalive';

/** Label of an entity that says who manages its configuration. With `sensu-agent`, it is the agent, not the backend. */
const MANAGED_BY_LABEL = 'sensu.io/managed_by';
const AGENT_MANAGES = 'sensu-agent';

/** The stored configuration of an agent, which overrides what the agent reports about itself. */
type AgentConfiguration = Pick<
  SubmittedV2Entity,
  'subscriptions' | 'deregister' | 'deregistration' | 'redact' | 'keepalive_handlers' | 'user'
> &
  Pick<V2Entity, 'metadata' | 'entity_class'>;

/**
 * Returns the client that a keepalive of a Sensu Go agent reports. Its `check.timeout` and `check.ttl` are the seconds
 * without a keepalive after which the status is warning and critical (clients 6). Without a `ttl` it never becomes
 * critical.
 *
 * Agents of version 6 and later are configured by the backend: the stored configuration overrides the keepalive, unless
 * the entity is marked as managed by its agent. Agents of version 5 cannot be configured, so their keepalives override
 * the stored configuration.
 *
 * @param present the stored client; undefined if there is none
 * @param isConfigurable whether the backend can configure an agent whose version is unknown
 * @param now epoch seconds
 */
export function clientOfKeepalive(
  event: SubmittedV2Event,
  name: string,
  {
    present,
    now,
    version,
    isConfigurable,
  }: {
    readonly present: Client | undefined;
    readonly now: number;
    readonly version: string;
    readonly isConfigurable: boolean;
  },
): SubmittedClient {
  const reportedEntity = entityOfEvent(event, name);
  const stored =
    present !== undefined && isConfiguredHere(reportedEntity, present, isConfigurable)
      ? configurationOf('', present)
      : undefined;
  const context = { present, now, version, createdBy: undefined, source: 'agent' } as const;
  // For a client with a signature, only keepalives with that signature are accepted. Sensu Go agents never send one, so
  // the attribute is dropped here; they cannot take over such a client.
  const { signature: _signature, ...client } = clientOfEntity(
    { ...reportedEntity, ...stored, entity_class: AGENT_CLASS },
    context,
  );
  const handlers = stored?.keepalive_handlers ? {} : keepaliveHandlers(event);
  // Drops `thresholds` and `pipelines`, which earlier versions of mon stored; they are set from the keepalive below.
  const { thresholds: _thresholds, pipelines: _pipelines, ...attributes } = keepaliveOf(client);
  return {
    ...client,
    subscriptions: [...client.subscriptions],
    keepalives: true,
    timestamp: Math.min(event.timestamp || now, now),
    keepalive: { ...attributes, ...handlers, ...keepalivePipelines(event), ...sentKeepaliveSettings(event) },
  };
}

/** Returns the pipelines of a keepalive, which come from the option `--keepalive-pipelines` of its agent. */
function keepalivePipelines({ pipelines }: SubmittedV2Event): { readonly pipelines?: readonly object[] } {
  return pipelines && pipelines.length > 0 ? { pipelines } : {};
}

/** The configuration that is sent to an agent whose client is not stored yet. */
const NO_CONFIGURATION = { entity_class: AGENT_CLASS, subscriptions: null, deregister: false, deregistration: {} };

/** Returns the stored configuration of an agent in the form that is sent to the agent (clients 6). */
export function entityConfigOf(namespace: string, client: Client | undefined): Readonly<Record<string, unknown>> {
  if (client === undefined) return { ...NO_CONFIGURATION, metadata: { name: 'not found', namespace } };
  return configurationOf(namespace, client);
}

/**
 * Whether a client is deleted if its keepalives stop. That is so for Sensu Go agents with `deregister`. Other clients
 * deregister explicitly, so missing keepalives are a problem for them (completion 1.10).
 */
export function deregistersWithoutKeepalives(client: Client): boolean {
  const version = client['sensu_agent_version'];
  return client['deregister'] === true && typeof version === 'string' && version !== '';
}

/**
 * Returns the result in an event that a Sensu Go agent sends. It belongs to another entity if the check ran for a proxy
 * entity, or if a local program sent the event for one.
 *
 * @param isDefined callback that says whether the backend has a definition of a check. If it has, an empty list of
 *   handlers in the event is replaced by the handlers of the definition: agents send an empty list if they got none
 * @returns undefined if the event has no check
 */
export function resultOfAgentEvent(
  event: SubmittedV2Event,
  agent: string,
  isDefined: (check: string) => boolean,
): SubmittedResult | undefined {
  const check = event.check?.metadata?.name;
  if (check === undefined) return undefined;
  const result = resultOfEvent(event, { entity: agent, check });
  const entity = event.entity?.metadata?.name ?? agent;
  const { handlers, ...others } = result;
  return {
    ...(isDefined(check) && handlers?.length === 0 ? others : result),
    ...(entity === agent || result.source !== undefined ? {} : { source: entity }),
  };
}

/** Values for "not set" that Sensu Go agents expect in every check. In their results, they mean "not set" too. */
const ZERO_VALUES = {
  interval: 0,
  ttl: 0,
  low_flap_threshold: 0,
  high_flap_threshold: 0,
  publish: false,
  stdin: false,
  round_robin: false,
  runtime_assets: null,
  check_hooks: null,
  env_vars: null,
  secrets: null,
  output_metric_format: '',
  output_metric_handlers: null,
};

/** The definitions from which a check request is built. */
interface RequestSource {
  /** The definition of the check, for attributes that are not in the request. */
  readonly definition: CheckDefinition | undefined;
  /** The definition as stored by the v2 API; undefined if it was not defined there. */
  readonly stored?: V2Check | undefined;
  /** Access to the hooks and assets that the check needs. */
  readonly needs: NeedSource;
}

/** Returns a check request in the format of Sensu Go agents (clients 6). */
export function v2CheckRequest(
  namespace: string,
  request: CheckRequest,
  { definition, stored, needs }: RequestSource,
): Readonly<Record<string, unknown>> {
  const check: Readonly<Record<string, unknown>> = { ...definition, ...request };
  const { assets, hooks, hookAssets } = needsOf(check, needs);
  const creator = stored?.metadata.created_by;
  return {
    config: {
      ...ZERO_VALUES,
      ...attributesOfType(check, isTexts, ['runtime_assets', 'env_vars', 'output_metric_handlers']),
      ...attributesOfType(check, Array.isArray, [
        'check_hooks',
        'secrets',
        'output_metric_tags',
        'output_metric_thresholds',
      ]),
      ...attributesOfType(check, Array.isArray, ['pipelines']),
      ...attributesOfType(check, (value) => typeof value === 'string', ['cron', 'output_metric_format']),
      ...attributesOfType(check, (value) => typeof value === 'boolean', [
        'stdin',
        'publish',
        'round_robin',
        'discard_output',
      ]),
      ...attributesOfType(check, Number.isInteger, ['interval', 'ttl', 'low_flap_threshold', 'high_flap_threshold']),
      ...attributesOfType(check, Number.isInteger, ['max_output_size']),
      metadata: {
        name: request.name,
        namespace,
        ...pairsOf(check['metadata']),
        ...(creator ? { created_by: creator } : {}),
      },
      command: commandText(request.command ?? ''),
      // Agents would return the single `handler` of a v1 check in addition to `handlers`, so it is omitted.
      handlers: isTexts(check['handlers']) ? check['handlers'] : null,
      subscriptions: (request.subscribers ?? definition?.subscribers ?? []).map(v2Subscription),
      subdue: stored?.subdue ?? null,
      ...(stored?.subdues ? { subdues: stored.subdues } : {}),
      ...(stored?.proxy_requests ? { proxy_requests: completeProxyRequests(stored.proxy_requests) } : {}),
      proxy_entity_name: request.source ?? '',
      timeout: Math.ceil(request.timeout ?? 0),
    },
    assets: orNull(assets),
    hooks: orNull(hooks),
    issued: request.issued,
    hook_assets: hookAssets,
  };
}

function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}

function isConfiguredHere(
  { metadata, sensu_agent_version: version }: SubmittedV2Entity,
  present: Client,
  isConfigurable: boolean,
): boolean {
  if (metadata.labels?.[MANAGED_BY_LABEL] === AGENT_MANAGES) return false;
  // Early agents of version 5 do not send their version.
  if (version ? version.startsWith('5.') : !isConfigurable) return false;
  // An entity that results created before its agent connected has no configuration.
  return present['entity_class'] === AGENT_CLASS || (present.keepalives !== false && present['type'] !== 'proxy');
}

function configurationOf(namespace: string, client: Client): AgentConfiguration {
  const { metadata, deregister, deregistration, ...others } = v2EntityOf(namespace, client);
  const { redact, user, keepalive_handlers: handlers } = others as SubmittedV2Entity;
  return {
    metadata,
    // Agents accept only this class, even if the stored entity has another one.
    entity_class: AGENT_CLASS,
    user: user ?? '',
    // The agent's own subscription is always included, because silences and check requests use it.
    subscriptions: client.subscriptions.map(v2Subscription),
    deregister,
    deregistration,
    ...(handlers ? { keepalive_handlers: handlers } : {}),
    ...(redact ? { redact } : {}),
  };
}

function keepaliveHandlers({ check }: SubmittedV2Event): { readonly handlers?: string[] } {
  const handlers = check?.handlers ?? [];
  return handlers.length === 0 || handlers.join() === DEFAULT_KEEPALIVE_HANDLER ? {} : { handlers };
}

/** Returns only the labels and annotations of metadata; empty if it has none. */
function pairsOf(metadata: unknown): Readonly<Record<string, unknown>> {
  const { labels, annotations } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
}

/**
 * Returns those of the named attributes that have the right type. One attribute with a wrong type would make Sensu Go
 * agents reject the whole request.
 */
function attributesOfType(
  check: Readonly<Record<string, unknown>>,
  is: (value: unknown) => boolean,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.filter((name) => is(check[name])).map((name) => [name, check[name]]));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
