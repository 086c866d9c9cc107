import type { CheckDefinition } from '../../schemas/check.ts';
import type { V2Check } from '../../schemas/v2/check.ts';
import { timeWindowsOf } from '../../schemas/v2/windows.ts';
import { redact } from '../redact.ts';
import { commandOfV2, shownCommand } from './definition-command.ts';
import { entityConditions } from './expressions.ts';
import { isUntranslatable, type UntranslatableObject } from './problem.ts';
import { CONFIGURED_ANNOTATIONS } from './source.ts';
import { v2Subscription, subscriptionOfV2 } from './subscription.ts';

type NamedCheck = CheckDefinition & { readonly name: string };

/**
 * Converts a check of the v2 API to the internal definition, by which it is scheduled, sent to agents and merged into
 * results (completion 1.17). In a v2 check, zero, empty text and null mean "not set". Attributes that the backend does
 * not use are kept for agents, handlers and v2 events.
 */
export function checkDefinitionOf(check: V2Check): NamedCheck | UntranslatableObject {
  const {
    metadata: { name, labels, annotations },
    subscriptions,
    interval,
    cron,
    publish,
    timeout,
    ttl,
    proxy_entity_name: source,
    low_flap_threshold: low,
    high_flap_threshold: high,
    subdue,
    subdues,
    proxy_requests: proxy,
    handlers,
    command: _text,
    mon: _own,
    ...attributes
  } = check;
  const command = commandOfV2(check);
  if (isUntranslatable(command)) return command;
  const conditions = entityConditions(proxy?.entity_attributes ?? []);
  if ('problem' in conditions) return { problem: `proxy_requests.entity_attributes: ${conditions.problem}` };
  const windows = timeWindowsOf(subdue);
  return {
    ...omitMissing(attributes),
    ...onlyPositive({ interval, timeout, ttl }),
    ...(cron ? { cron } : {}),
    ...(source ? { source } : {}),
    // Flap detection needs both thresholds.
    ...(low && high ? { low_flap_threshold: low, high_flap_threshold: high } : {}),
    ...(windows === undefined ? {} : { subdue: windows }),
    ...((subdues ?? []).length === 0 ? {} : { subdues: subdues ?? [] }),
    ...(proxy ? { proxy_requests: proxyRequests(proxy) } : {}),
    // A v2 check without handlers notifies no handler. Only v1 checks use the handler `default` then.
    handlers: handlers ?? [],
    subscribers: (subscriptions ?? []).map(subscriptionOfV2),
    publish: publish === true,
    ...(hasPairs(labels) || hasPairs(annotations) ? { metadata: { labels, annotations } } : {}),
    command,
    name,
  };
}

function proxyRequests(proxy: NonNullable<V2Check['proxy_requests']>): NonNullable<NamedCheck['proxy_requests']> {
  const { splay, splay_coverage: coverage, entity_attributes } = proxy;
  return {
    client_attributes: {},
    entity_attributes: entity_attributes ?? [],
    ...(splay === true ? { splay } : {}),
    ...(coverage ? { splay_coverage: Math.min(coverage, 99) } : {}),
  };
}

/**
 * Converts a check from a configuration file to its v2 form. Attributes that the v2 API does not know keep their names.
 *
 * @param namespace namespace of the check; checks from configuration files are in `default`
 */
export function v2CheckOf(namespace: string, definition: NamedCheck): V2Check {
  const {
    name,
    subscribers,
    source,
    handler,
    handlers,
    publish,
    standalone,
    interval,
    cron,
    timeout,
    ttl,
    stdin,
    command,
    low_flap_threshold,
    high_flap_threshold,
    subdue,
    proxy_requests,
    ...attributes
  } = redact(definition);
  return {
    ...attributes,
    metadata: { name, namespace, labels: null, annotations: CONFIGURED_ANNOTATIONS },
    ...shownCommand(command ?? ''),
    subscriptions: (subscribers ?? []).map(v2Subscription),
    handlers: handlers ?? (handler === undefined ? [] : [handler]),
    interval: interval ?? 0,
    cron: cron ?? '',
    // Agents schedule standalone checks themselves.
    publish: publish !== false && standalone !== true,
    timeout: Math.ceil(timeout ?? 0),
    ttl: ttl ?? 0,
    stdin: stdin ?? false,
    round_robin: false,
    proxy_entity_name: source ?? '',
    low_flap_threshold: low_flap_threshold ?? 0,
    high_flap_threshold: high_flap_threshold ?? 0,
    subdue: subdue ?? null,
    proxy_requests: proxy_requests ?? null,
    env_vars: null,
    check_hooks: null,
    runtime_assets: null,
    secrets: null,
    output_metric_format: '',
    output_metric_handlers: null,
  };
}

function omitMissing(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined));
}

/** Returns only the attributes with a positive value. In the v2 API, 0 means "not set". */
export function onlyPositive(seconds: Readonly<Record<string, number | null | undefined>>): Record<string, number> {
  return Object.fromEntries(Object.entries(seconds).filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0));
}

function hasPairs(pairs: Readonly<Record<string, string>> | null | undefined): boolean {
  return Object.keys(pairs ?? {}).length > 0;
}
