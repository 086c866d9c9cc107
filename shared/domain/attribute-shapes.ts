/** The attributes that an object can have: `any`, or only those with the given names and shapes. */
export type Shape = 'any' | { readonly [name: string]: Shape };

const attributesOfAnyType = (...names: readonly string[]): Record<string, Shape> =>
  Object.fromEntries(names.map((name) => [name, 'any']));

const METADATA_SHAPE: Shape = attributesOfAnyType('name', 'namespace', 'labels', 'annotations', 'created_by');

/** An entity of the v2 API. The attributes of its metadata also appear at the top level. */
const ENTITY_SHAPE: Shape = {
  ...METADATA_SHAPE,
  metadata: METADATA_SHAPE,
  ...attributesOfAnyType(
    'entity_class',
    'subscriptions',
    'last_seen',
    'deregister',
    'deregistration',
    'user',
    'redact',
  ),
  ...attributesOfAnyType('keepalive_handlers', 'sensu_agent_version'),
  system: {
    ...attributesOfAnyType(
      'hostname',
      'os',
      'platform',
      'platform_family',
      'platform_version',
      'arch',
      'arm_version',
      'float_type',
    ),
    ...attributesOfAnyType('network', 'libc_type', 'vm_system', 'vm_role', 'cloud_provider', 'processes'),
  },
};

const CHECK_SHAPE: Shape = {
  ...METADATA_SHAPE,
  metadata: METADATA_SHAPE,
  ...attributesOfAnyType(
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
  ...attributesOfAnyType('handlers', 'subscriptions', 'proxy_entity_name', 'low_flap_threshold', 'high_flap_threshold'),
  ...attributesOfAnyType(
    'env_vars',
    'secrets',
    'check_hooks',
    'hooks',
    'runtime_assets',
    'pipelines',
    'scheduler',
    'processed_by',
  ),
  ...attributesOfAnyType(
    'output_metric_format',
    'output_metric_handlers',
    'output_metric_tags',
    'output_metric_thresholds',
  ),
  ...attributesOfAnyType(
    'max_output_size',
    'discard_output',
    'status',
    'output',
    'state',
    'duration',
    'executed',
    'issued',
  ),
  ...attributesOfAnyType('history', 'last_ok', 'occurrences', 'occurrences_watermark', 'total_state_change'),
  ...attributesOfAnyType('is_silenced', 'silenced'),
  // Further attributes of checks in configuration files.
  ...attributesOfAnyType(
    'extension',
    'ttl_status',
    'auto_resolve',
    'resolve_after',
    'handle',
    'truncate_output',
    'truncate_output_length',
  ),
  ...attributesOfAnyType(
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

const EVENT_SHAPE: Shape = {
  ...attributesOfAnyType(
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
  ...attributesOfAnyType('has_check', 'has_metrics', 'is_incident', 'is_resolution', 'is_silenced'),
  ...attributesOfAnyType('is_flapping_start', 'is_flapping_end'),
  metadata: METADATA_SHAPE,
  entity: ENTITY_SHAPE,
  check: CHECK_SHAPE,
};

/** The shape of the object that the expressions of v2 filters evaluate. */
export const EVENT_SUBJECT: Shape = { event: EVENT_SHAPE };

/** The shape of the object that the expressions in `entity_attributes` of a proxy request evaluate. */
export const ENTITY_SUBJECT: Shape = { entity: ENTITY_SHAPE };

/** The shape of an event of the v1 API. Its client and check can have any attributes, so they have no fixed shape. */
export const V1_EVENT: Shape = {
  ...attributesOfAnyType(
    'id',
    'client',
    'check',
    'occurrences',
    'occurrences_watermark',
    'last_ok',
    'action',
    'timestamp',
  ),
  ...attributesOfAnyType(
    'last_state_change',
    'silenced',
    'silenced_by',
    'silence_ended',
    'silence_ending',
    'inhibition_ended',
  ),
  ...attributesOfAnyType('escalation'),
};
