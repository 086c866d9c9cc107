import type { CheckResult } from '../../schemas/result.ts';
import { commandOf, commandText } from '../command-text.ts';
import { isSettings, type Settings } from '../merge-settings.ts';
import { CHECK_FIELDS, zeroValuesInEvent } from './event-shape.ts';
import { v2Subscription } from './subscription.ts';

/**
 * The types of check attributes that v2 clients expect. If an attribute of a result has another type, it is omitted,
 * because v2 clients could not parse the whole list of events.
 */
const TYPE_TESTS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...testsByName(Array.isArray, [
    'runtime_assets',
    'check_hooks',
    'output_metric_handlers',
    'output_metric_tags',
    'output_metric_thresholds',
    'env_vars',
    'secrets',
    'pipelines',
  ]),
  ...testsByName(isText, ['command', 'cron', 'output_metric_format', 'scheduler', 'processed_by']),
  ...testsByName(isBoolean, ['publish', 'round_robin', 'stdin', 'discard_output']),
  ...testsByName(Number.isInteger, ['max_output_size']),
]);

const ZERO_VALUES = zeroValuesInEvent(CHECK_FIELDS);

/** Attributes of a result that are not copied to a v2 event: they are renamed, computed again or omitted. */
const HIDDEN_ATTRIBUTES: ReadonlySet<string> = new Set([
  'name',
  'type',
  'origin',
  'source',
  'handler',
  'subscribers',
  'standalone',
  'force_resolve',
  'metrics',
  'event_metadata',
  'hooks',
  'duration',
  'pipelines',
  'proxy_requests',
]);

/** Returns the attributes of a check for a v2 event, except those of its outcome, such as the status. */
export function shownAttributes(check: CheckResult, namespace: string): Settings {
  // This object is modified in place for speed, because a list of events calls this function for every result.
  const shown: Record<string, unknown> = { ...ZERO_VALUES };
  for (const name of Object.keys(check)) {
    const value = check[name];
    if (!HIDDEN_ATTRIBUTES.has(name) && (TYPE_TESTS.get(name)?.(value) ?? true)) shown[name] = value;
  }
  const { handler, handlers, source, subdue } = check;
  // The v2 API shows commands as text only.
  const command = commandOf(check['command']);
  if (command !== undefined) shown['command'] = commandText(command);
  shown['handlers'] = removeMetricHandlers(textsOf(handlers) ?? (isText(handler) ? [handler] : []), check);
  shown['subscriptions'] = (textsOf(check['subscribers']) ?? []).map(v2Subscription);
  shown['proxy_entity_name'] = isText(source) ? source : '';
  for (const name of SECONDS_ATTRIBUTES) shown[name] = secondsOf(check[name]);
  shown['subdue'] = isSettings(subdue) && isSettings(subdue['days']) ? subdue : null;
  const hooks = hooksOf(check['hooks'], namespace);
  if (hooks !== undefined) shown['hooks'] = hooks;
  return shown;
}

/** Removes the handlers that get only metrics. v2 events list them in `metrics.handlers`. */
function removeMetricHandlers(handlers: readonly string[], check: CheckResult): readonly string[] {
  const { metrics, output_metric_handlers: ofOutput } = check;
  const others = [
    ...((isSettings(metrics) ? textsOf(metrics['handlers']) : undefined) ?? []),
    ...(textsOf(ofOutput) ?? []),
  ];
  return others.length === 0 ? handlers : handlers.filter((name) => !others.includes(name));
}

const SECONDS_ATTRIBUTES = ['interval', 'timeout', 'ttl', 'low_flap_threshold', 'high_flap_threshold'] as const;

/** Converts the hooks of a result to a list for the v2 API. In the v1 API they are an object with a key per hook. */
function hooksOf(hooks: unknown, namespace: string): unknown {
  if (Array.isArray(hooks)) return hooks;
  if (!isSettings(hooks)) return undefined;
  return Object.entries(hooks).map(([name, hook]) =>
    Object.assign({}, isSettings(hook) ? hook : {}, { metadata: { name, namespace } }),
  );
}

function secondsOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.ceil(value) : 0;
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter(isText) : undefined;
}

function testsByName(
  is: (value: unknown) => boolean,
  names: readonly string[],
): (readonly [name: string, is: (value: unknown) => boolean])[] {
  return names.map((name) => [name, is]);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}
