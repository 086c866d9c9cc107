/** The attributes that an object can have: `any`, or only those with the given names and shapes. */
export type Shape = 'any' | { readonly [name: string]: Shape };

const named = (...names: readonly string[]): Record<string, Shape> =>
  Object.fromEntries(names.map((name) => [name, 'any']));

const METADATA: Shape = named('name', 'namespace', 'labels', 'annotations', 'created_by');

/** An entity of the v2 API. The attributes of its metadata also appear at the top level. */
const ENTITY: Shape = {
  ...METADATA,
  metadata: METADATA,
  ...named('entity_class', 'subscriptions', 'last_seen', 'deregister', 'deregistration', 'user', 'redact'),
  ...named('keepalive_handlers', 'sensu_agent_version'),
  system: {
    ...named('hostname', 'os', 'platform', 'platform_family', 'platform_version', 'arch', 'arm_version', 'float_type'),
    ...named('network', 'libc_type', 'vm_system', 'vm_role', 'cloud_provider', 'processes'),
  },
};

const CHECK: Shape = {
  ...METADATA,
  metadata: METADATA,
  ...named(
    'command',
    'interval',
    'cron',
    'timezone',
    'publish',
    'timeout',
    'ttl',
    'stdin',
    'round_robin',
    'subdue',
    'subdues',
  ),
  ...named('handlers', 'subscriptions', 'proxy_entity_name', 'low_flap_threshold', 'high_flap_threshold'),
  ...named('env_vars', 'secrets', 'check_hooks', 'hooks', 'runtime_assets', 'pipelines', 'scheduler', 'processed_by'),
  ...named('output_metric_format', 'output_metric_handlers', 'output_metric_tags', 'output_metric_thresholds'),
  ...named('max_output_size', 'discard_output', 'status', 'output', 'state', 'duration', 'executed', 'issued'),
  ...named('history', 'last_ok', 'occurrences', 'occurrences_watermark', 'total_state_change'),
  ...named('is_silenced', 'silenced'),
  // Further attributes of checks in configuration files.
  ...named(
    'extension',
    'ttl_status',
    'auto_resolve',
    'resolve_after',
    'handle',
    'truncate_output',
    'truncate_output_length',
  ),
  ...named(
    'aggregate',
    'aggregates',
    'refresh',
    'dependencies',
    'contact',
    'contacts',
    'notification',
    'api_requested',
  ),
};

const EVENT: Shape = {
  ...named(
    'id',
    'timestamp',
    'sequence',
    'namespace',
    'metrics',
    'pipelines',
    'silence_ended',
    'silence_ending',
    'inhibition_ended',
    'escalation',
  ),
  ...named('has_check', 'has_metrics', 'is_incident', 'is_resolution', 'is_silenced'),
  ...named('is_flapping_start', 'is_flapping_end'),
  metadata: METADATA,
  entity: ENTITY,
  check: CHECK,
};

/** The shape of the object that the expressions of v2 filters evaluate. */
export const EVENT_SUBJECT: Shape = { event: EVENT };

/** The shape of the object that the expressions in `entity_attributes` of a proxy request evaluate. */
export const ENTITY_SUBJECT: Shape = { entity: ENTITY };

/** The shape of an event of the v1 API. Its client and check can have any attributes, so they have no fixed shape. */
export const V1_EVENT: Shape = {
  ...named('id', 'client', 'check', 'occurrences', 'occurrences_watermark', 'last_ok', 'action', 'timestamp'),
  ...named('last_state_change', 'silenced', 'silenced_by', 'silence_ended', 'silence_ending', 'inhibition_ended'),
  ...named('escalation'),
};
