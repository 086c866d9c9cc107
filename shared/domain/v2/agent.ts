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
import { saidOfSilence } from './keepalive.ts';
import { v2Subscription } from './subscription.ts';
import { wholeProxyRequests } from './zero-values.ts';

const AGENT_CLASS = 'agent';

/** What agents of the newer generation say when nobody told them who is to hear of their silence. */
const DEFAULT_KEEPALIVE_HANDLER = 'keepalive';

/** Marks an entity whose agent says how it is configured, whatever the backend has stored. */
const MANAGED_BY = 'sensu.io/managed_by';
const AGENT_MANAGES = 'sensu-agent';

/** What is stored of an agent and counts more than what it says about itself. */
type Configuration = Pick<
  SubmittedV2Entity,
  'subscriptions' | 'deregister' | 'deregistration' | 'redact' | 'keepalive_handlers' | 'user'
> &
  Pick<V2Entity, 'metadata' | 'entity_class'>;

/**
 * The client that a keepalive of the newer generation tells of: its `check.timeout` and `check.ttl` are the seconds of
 * silence that are a warning and critical (clients 6); without a `ttl` it is never critical.
 *
 * From version 6 on the backend configures its agents: what it has stored of an agent wins over what the keepalive says,
 * unless the entity is marked as managed by its agent. Agents of version 5 cannot be told, so they are right.
 *
 * @param present the client that is there already
 * @param isConfigurable whether an agent that does not tell its version can be told what is stored
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
  const told = entityOfEvent(event, name);
  const stored =
    present !== undefined && isConfiguredHere(told, present, isConfigurable) ? configurationOf('', present) : undefined;
  const context = { present, now, version, createdBy: undefined, source: 'agent' } as const;
  // A signature is for its owner to show: these agents have none, so a client that has one is not theirs.
  const { signature: _signature, ...client } = clientOfEntity(
    { ...told, ...stored, entity_class: AGENT_CLASS },
    context,
  );
  const handlers = stored?.keepalive_handlers ? {} : keepaliveHandlers(event);
  // Which earlier versions had made of it.
  const { thresholds: _thresholds, pipelines: _pipelines, ...attributes } = keepaliveOf(client);
  return {
    ...client,
    subscriptions: [...client.subscriptions],
    keepalives: true,
    timestamp: Math.min(event.timestamp || now, now),
    keepalive: { ...attributes, ...handlers, ...keepalivePipelines(event), ...saidOfSilence(event) },
  };
}

/** The pipelines of a keepalive, which its agent is started with (`--keepalive-pipelines`). */
function keepalivePipelines({ pipelines }: SubmittedV2Event): { readonly pipelines?: readonly object[] } {
  return pipelines && pipelines.length > 0 ? { pipelines } : {};
}

/** Of an agent that is not stored yet. */
const NO_CONFIGURATION = { entity_class: AGENT_CLASS, subscriptions: null, deregister: false, deregistration: {} };

/** How the backend has stored an agent, as the agent is told it (clients 6). */
export function entityConfigOf(namespace: string, client: Client | undefined): Readonly<Record<string, unknown>> {
  if (client === undefined) return { ...NO_CONFIGURATION, metadata: { name: 'not found', namespace } };
  return configurationOf(namespace, client);
}

/**
 * Whether the silence of a client is its departure, as it is for agents of the newer generation that are to deregister.
 * Of others it is news: they say goodbye by themselves (completion 1.10).
 */
export function leavesBySilence(client: Client): boolean {
  const version = client['sensu_agent_version'];
  return client['deregister'] === true && typeof version === 'string' && version !== '';
}

/**
 * What an event of an agent reports. A check that runs on behalf of another entity, or an event that a local program
 * gave the agent for one, is that entity's.
 *
 * @param isDefined whether the backend has a definition of the check: then an empty list of handlers means its own,
 *   because agents make that of a list that they were not sent
 * @returns undefined for an event without a check: there is nothing that could have a status
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

/** What agents of the newer generation find in every check, where it has no value of its own; they return it as not set. */
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

/** Where a request comes from. */
interface RequestSource {
  /** Of the check, which has what a request leaves out. */
  readonly definition: CheckDefinition | undefined;
  /** The same as it was sent, if version 2 defines it. */
  readonly stored?: V2Check | undefined;
  /** Of the hooks and assets that the check names. */
  readonly needs: NeedSource;
}

/** The order to run a check, as agents of the newer generation read it (clients 6). */
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
      ...ofKind(check, isTexts, ['runtime_assets', 'env_vars', 'output_metric_handlers']),
      ...ofKind(check, Array.isArray, ['check_hooks', 'secrets', 'output_metric_tags', 'output_metric_thresholds']),
      ...ofKind(check, Array.isArray, ['pipelines']),
      ...ofKind(check, (value) => typeof value === 'string', ['cron', 'output_metric_format']),
      ...ofKind(check, (value) => typeof value === 'boolean', ['stdin', 'publish', 'round_robin', 'discard_output']),
      ...ofKind(check, Number.isInteger, ['interval', 'ttl', 'low_flap_threshold', 'high_flap_threshold']),
      ...ofKind(check, Number.isInteger, ['max_output_size']),
      metadata: {
        name: request.name,
        namespace,
        ...pairsOf(check['metadata']),
        ...(creator ? { created_by: creator } : {}),
      },
      command: commandText(request.command ?? ''),
      // The single `handler` of a check of the configuration is no business of its agents, which would return it twice.
      handlers: isTexts(check['handlers']) ? check['handlers'] : null,
      subscriptions: (request.subscribers ?? definition?.subscribers ?? []).map(v2Subscription),
      subdue: stored?.subdue ?? null,
      ...(stored?.subdues ? { subdues: stored.subdues } : {}),
      ...(stored?.proxy_requests ? { proxy_requests: wholeProxyRequests(stored.proxy_requests) } : {}),
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
  if (metadata.labels?.[MANAGED_BY] === AGENT_MANAGES) return false;
  // The earlier ones of version 5 do not tell it.
  if (version ? version.startsWith('5.') : !isConfigurable) return false;
  // One that results made before the agent came has nothing to say about it.
  return present['entity_class'] === AGENT_CLASS || (present.keepalives !== false && present['type'] !== 'proxy');
}

function configurationOf(namespace: string, client: Client): Configuration {
  const { metadata, deregister, deregistration, ...others } = v2EntityOf(namespace, client);
  const { redact, user, keepalive_handlers: handlers } = others as SubmittedV2Entity;
  return {
    metadata,
    // Whatever somebody called it: an agent takes no other.
    entity_class: AGENT_CLASS,
    user: user ?? '',
    // With the one of its own, whatever somebody put: it is silenced and asked by that.
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

/** Labels and annotations, where there are any. */
function pairsOf(metadata: unknown): Readonly<Record<string, unknown>> {
  const { labels, annotations } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
}

/** Agents refuse the whole request when an attribute of another program has the name and not the kind of theirs. */
function ofKind(
  check: Readonly<Record<string, unknown>>,
  is: (value: unknown) => boolean,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.filter((name) => is(check[name])).map((name) => [name, check[name]]));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
