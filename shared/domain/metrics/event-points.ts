import type { HandledEvent } from '../../schemas/handler-job.ts';
import { isSettings } from '../merge-settings.ts';
import { readGraphite, writeGraphite } from './graphite.ts';
import { readInflux, writeInflux } from './influx.ts';
import { readNagios } from './nagios.ts';
import { readOpentsdb, writeOpentsdb } from './opentsdb.ts';
import { POINTS_MAX, type MetricPoint, type ParsedMetrics } from './point.ts';
import { readPrometheus, writePrometheus } from './prometheus.ts';

/** Parsers of output metric formats, by the name of the format in the v2 API. */
const PARSERS_BY_FORMAT: ReadonlyMap<unknown, (output: string, now: number) => ParsedMetrics> = new Map([
  ['graphite_plaintext', readGraphite],
  ['influxdb_line', readInflux],
  ['nagios_perfdata', readNagios],
  ['opentsdb_line', readOpentsdb],
  ['prometheus_text', readPrometheus],
]);

/** Formatters of metrics, by the name of the mutator that uses them. It is the same as the name of the format. */
const FORMATTERS_BY_MUTATOR: ReadonlyMap<string, (points: readonly MetricPoint[]) => string> = new Map([
  ['graphite_plaintext', writeGraphite],
  ['influxdb_line', writeInflux],
  ['opentsdb_line', writeOpentsdb],
  ['prometheus_text', writePrometheus],
]);

/** Returns the metric points of an event, with the tags in `output_metric_tags` of its check (prometheus 3.2). */
export function eventPoints({ check }: Pick<HandledEvent, 'check'>): ParsedMetrics {
  const sent = isSettings(check['metrics']) ? check['metrics']['points'] : undefined;
  const read = Array.isArray(sent) ? sentPoints(sent, check.executed) : readOutput(check);
  return addTags(read, tagsOfList(check['output_metric_tags']));
}

/**
 * Returns the metric points of an event with the tags `client` and `check` added. Existing tags of a point are kept.
 */
export function pointsWithOrigin(event: Pick<HandledEvent, 'check' | 'client'>): ParsedMetrics {
  return addTags(eventPoints(event), { client: event.client.name, check: event.check.name });
}

/** Adds tags to metric points. If a point already has a tag of that name, its value is kept. */
function addTags({ points, unreadable }: ParsedMetrics, more: MetricPoint['tags']): ParsedMetrics {
  const tagged = points.map(({ name, value, tags, timestamp }) => {
    return { name, value, tags: { ...more, ...tags }, timestamp };
  });
  return { points: tagged, unreadable };
}

/**
 * Formats the metrics of an event for a receiver. Points get the tags `client` and `check`, except if Graphite output
 * is written as Graphite again: its metric names usually contain the host already.
 *
 * @param format the name of a mutator
 * @returns undefined if the mutator does not write metrics; an empty text if the event has no metrics
 */
export function metricsText(event: Pick<HandledEvent, 'check' | 'client'>, format: string): string | undefined {
  const write = FORMATTERS_BY_MUTATOR.get(format);
  if (write === undefined) return undefined;
  const isAsItIs = format === 'graphite_plaintext' && formatOf(event.check) === format;
  return write((isAsItIs ? eventPoints(event) : pointsWithOrigin(event)).points);
}

/** Whether the mutator with this name writes metrics. */
export function isMetricFormat(mutator: string): boolean {
  return FORMATTERS_BY_MUTATOR.has(mutator);
}

type HandledCheck = HandledEvent['check'];

function formatOf({ output_metric_format: format, type, metrics }: HandledCheck): unknown {
  if (isSettings(metrics) && Array.isArray(metrics['points'])) return undefined;
  if (typeof format === 'string' && format !== '') return format;
  return type === 'metric' ? 'graphite_plaintext' : undefined;
}

function readOutput(check: HandledCheck): ParsedMetrics {
  const read = PARSERS_BY_FORMAT.get(formatOf(check));
  return read === undefined ? NO_METRICS : read(check.output, check.executed);
}

const NO_METRICS: ParsedMetrics = { points: [], unreadable: 0 };

/** Converts the points that a Sensu Go agent has already parsed. */
function sentPoints(sent: readonly unknown[], now: number): ParsedMetrics {
  const points: MetricPoint[] = [];
  let unreadable = 0;
  for (const item of sent) {
    const { name, value, timestamp, tags } = isSettings(item) ? item : {};
    if (typeof name !== 'string' || name === '' || typeof value !== 'number' || points.length === POINTS_MAX) {
      unreadable++;
      continue;
    }
    points.push({ name, value, tags: tagsOfList(tags), timestamp: secondsOf(timestamp) ?? now });
  }
  return { points, unreadable };
}

/**
 * Converts a timestamp of a Sensu Go agent to seconds; returns undefined if it is invalid. Depending on their version,
 * these agents send seconds, milliseconds, microseconds or nanoseconds. The size of the number shows the unit.
 */
function secondsOf(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'number' || timestamp <= 0) return undefined;
  if (timestamp >= 1e17) return timestamp / 1e9;
  if (timestamp >= 1e14) return timestamp / 1e6;
  return timestamp >= 1e11 ? timestamp / 1e3 : timestamp;
}

/** Converts tags from the v2 form `[{name, value}]` to a record; invalid tags are omitted. */
function tagsOfList(list: unknown): Readonly<Record<string, string>> {
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(
    list.flatMap((item: unknown) => {
      const { name, value } = isSettings(item) ? item : {};
      return typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}
