/**
 * Names of built-in handlers, filters and mutators (completion 1.9). A configured object with such a name overrides the
 * built-in one.
 */
export const BUILT_IN_NAMES = {
  handlers: new Set(['debug', 'deregistration', 'prometheus']),
  filters: new Set(['occurrences', 'check_dependencies', 'is_incident', 'not_silenced', 'has_metrics']),
  mutators: new Set([
    'json',
    'only_check_output',
    'ruby_hash',
    'graphite_plaintext',
    'influxdb_line',
    'opentsdb_line',
    'prometheus_text',
  ]),
} as const satisfies Readonly<Record<string, ReadonlySet<string>>>;
