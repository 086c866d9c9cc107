import type { CheckDefinition } from '../../schemas/check.ts';
import type { V2Check } from '../../schemas/v2/check.ts';
import { timeWindowsOf } from '../../schemas/v2/windows.ts';
import { redact } from '../redact.ts';
import { commandOfV2, shownCommand } from './definition-command.ts';
import { entityConditions } from './expressions.ts';
import { isUntranslatable, type Untranslatable } from './problem.ts';
import { CONFIGURED } from './source.ts';
import { v2Subscription, subscriptionOfV2 } from './subscription.ts';

type NamedCheck = CheckDefinition & { readonly name: string };

/**
 * A check of version 2 as the definition that the backend works by: what is scheduled, sent to agents, and merged
 * under results (completion 1.17). Zero, empty text and null are "not set" there. Attributes without a meaning here go
 * along, so that agents, handlers and events of version 2 have them.
 */
export function checkDefinitionOf(check: V2Check): NamedCheck | Untranslatable {
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
    ...rest
  } = check;
  const command = commandOfV2(check);
  if (isUntranslatable(command)) return command;
  const conditions = entityConditions(proxy?.entity_attributes ?? []);
  if ('problem' in conditions) return { problem: `proxy_requests.entity_attributes: ${conditions.problem}` };
  const windows = timeWindowsOf(subdue);
  return {
    ...present(rest),
    ...whenPositive({ interval, timeout, ttl }),
    ...(cron ? { cron } : {}),
    ...(source ? { source } : {}),
    // One of them alone detects nothing.
    ...(low && high ? { low_flap_threshold: low, high_flap_threshold: high } : {}),
    ...(windows === undefined ? {} : { subdue: windows }),
    ...((subdues ?? []).length === 0 ? {} : { subdues: subdues ?? [] }),
    ...(proxy ? { proxy_requests: proxyRequests(proxy) } : {}),
    // Nobody is told unless the check says so: the handler `default` is a matter of version 1.
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
 * A check of the configuration as version 2 shows it. What has no place there keeps its name.
 *
 * @param namespace where it is: those of the configuration are in `default`
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
    ...rest
  } = redact(definition);
  return {
    ...rest,
    metadata: { name, namespace, labels: null, annotations: CONFIGURED },
    ...shownCommand(command ?? ''),
    subscriptions: (subscribers ?? []).map(v2Subscription),
    handlers: handlers ?? (handler === undefined ? [] : [handler]),
    interval: interval ?? 0,
    cron: cron ?? '',
    // Standalone checks are scheduled by their agents.
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

function present(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined));
}

/** Those that are more than nothing: version 2 has 0 for what is not set. */
export function whenPositive(seconds: Readonly<Record<string, number | null | undefined>>): Record<string, number> {
  return Object.fromEntries(Object.entries(seconds).filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0));
}

function hasPairs(pairs: Readonly<Record<string, string>> | null | undefined): boolean {
  return Object.keys(pairs ?? {}).length > 0;
}
