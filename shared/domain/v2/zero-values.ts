import type { V2Asset } from '../../schemas/v2/asset.ts';
import type { V2Check } from '../../schemas/v2/check.ts';
import type { V2Filter } from '../../schemas/v2/filter.ts';
import type { V2Handler } from '../../schemas/v2/handler.ts';
import type { V2Hook } from '../../schemas/v2/hook.ts';
import type { Role, RoleBinding, RoleRule } from '../../schemas/v2/role.ts';
import type { V2Mutator } from '../../schemas/v2/mutator.ts';
import type { V2Pipeline, V2Workflow } from '../../schemas/v2/pipeline.ts';

/*
 * Completes v2 objects for responses: they have every attribute that Sensu Go returns, and an attribute that is not set
 * is zero, empty or null. This is needed because clients compare a response with their request, and some decode it
 * strictly (completion 1.17).
 */

/** Attributes that Sensu Go omits from responses if they are empty. */
const OMITTED_IF_EMPTY: ReadonlySet<string> = new Set([
  'command',
  'continue_on_error',
  'cron',
  'discard_output',
  'labels',
  'annotations',
  'max_output_size',
  'mutator',
  'proxy_requests',
  'socket',
  'type',
  'when',
]);

export function completeCheck(check: V2Check): V2Check {
  const { subdue = null, proxy_requests: proxy } = check;
  return {
    ...omitEmpty(check),
    metadata: omitEmpty(check.metadata),
    handlers: check.handlers ?? [],
    high_flap_threshold: check.high_flap_threshold ?? 0,
    interval: check.interval ?? 0,
    low_flap_threshold: check.low_flap_threshold ?? 0,
    publish: check.publish ?? false,
    runtime_assets: check.runtime_assets ?? null,
    subscriptions: check.subscriptions ?? [],
    proxy_entity_name: check.proxy_entity_name ?? '',
    check_hooks: check.check_hooks ?? null,
    stdin: check.stdin ?? false,
    subdue: subdue === null ? null : { ...subdue, days: subdue.days ?? {} },
    ttl: check.ttl ?? 0,
    timeout: check.timeout ?? 0,
    round_robin: check.round_robin ?? false,
    output_metric_format: check.output_metric_format ?? '',
    output_metric_handlers: check.output_metric_handlers ?? null,
    env_vars: check.env_vars ?? null,
    secrets: check.secrets ?? null,
    ...(proxy ? { proxy_requests: completeProxyRequests(proxy) } : {}),
    ...(check.pipelines ? { pipelines: check.pipelines.map(completeReference) } : {}),
  };
}

type PipelineReference = NonNullable<V2Check['pipelines']>[number];

/** Adds type and API version to a reference to a pipeline; a request can contain the name alone. */
function completeReference(reference: PipelineReference): PipelineReference {
  return { ...reference, type: reference.type || 'Pipeline', api_version: reference.api_version || 'core/v2' };
}

export function completeProxyRequests(proxy: NonNullable<V2Check['proxy_requests']>): typeof proxy {
  const { entity_attributes = null, splay, splay_coverage: coverage } = proxy;
  return { ...proxy, entity_attributes, splay: splay ?? false, splay_coverage: coverage ?? 0 };
}

export function completeHandler(handler: V2Handler): V2Handler {
  const { handlers = null, filters = null, env_vars = null, runtime_assets = null, secrets = null } = handler;
  return {
    ...omitEmpty(handler),
    metadata: omitEmpty(handler.metadata),
    timeout: handler.timeout ?? 0,
    handlers,
    filters,
    env_vars,
    runtime_assets,
    secrets,
  };
}

export function completeFilter(filter: V2Filter): V2Filter {
  const { runtime_assets = null } = filter;
  return { ...omitEmpty(filter), metadata: omitEmpty(filter.metadata), runtime_assets };
}

export function completeMutator(mutator: V2Mutator): V2Mutator {
  const { env_vars = null, runtime_assets = null, secrets = null } = mutator;
  return {
    ...omitEmpty(mutator),
    metadata: omitEmpty(mutator.metadata),
    timeout: mutator.timeout ?? 0,
    env_vars,
    runtime_assets,
    secrets,
  };
}

function omitEmpty<Value extends object>(value: Value): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([name, item]) => !OMITTED_IF_EMPTY.has(name) || !isEmpty(name, item)),
  ) as Value;
}

/**
 * Whether an attribute is empty, so that it is omitted. An object without members counts as empty only if it is
 * `labels` or `annotations`.
 */
function isEmpty(name: string, item: unknown): boolean {
  if (!item) return true;
  return (name === 'labels' || name === 'annotations') && Object.keys(item).length === 0;
}

export function completePipeline(pipeline: V2Pipeline): V2Pipeline {
  return {
    ...omitEmpty(pipeline),
    metadata: omitEmpty(pipeline.metadata),
    workflows: pipeline.workflows?.map(completeWorkflow) ?? null,
  };
}

/** Prepares a workflow of a pipeline for a response. As in Sensu Go, empty filters or an empty mutator are omitted. */
function completeWorkflow(workflow: V2Workflow): V2Workflow {
  const { filters, mutator, ...attributes } = workflow;
  return {
    ...attributes,
    ...((filters ?? []).length === 0 ? {} : { filters }),
    ...(mutator ? { mutator } : {}),
  };
}

export function completeHook(hook: V2Hook): V2Hook {
  return {
    ...hook,
    metadata: omitEmpty(hook.metadata),
    stdin: hook.stdin ?? false,
    runtime_assets: hook.runtime_assets ?? null,
  };
}

export function completeAsset(asset: V2Asset): V2Asset {
  const { filters = null, headers = null, builds } = asset;
  return {
    ...asset,
    metadata: omitEmpty(asset.metadata),
    filters,
    builds: builds?.map(completeBuild) ?? null,
    headers,
  };
}

type Build = NonNullable<V2Asset['builds']>[number];

function completeBuild(build: Build): Build {
  return { ...build, filters: build.filters ?? null, headers: build.headers ?? null };
}

export function completeRole(role: Role): Role {
  return { ...role, metadata: omitEmpty(role.metadata), rules: role.rules.map(completeRule) };
}

export function shownRoleBinding(binding: RoleBinding): RoleBinding {
  return { ...binding, metadata: omitEmpty(binding.metadata) };
}

function completeRule(rule: RoleRule): RoleRule {
  const { verbs = null, resources = null, resource_names: names = null } = rule;
  return { ...rule, verbs, resources, resource_names: names };
}
