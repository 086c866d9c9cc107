import type { V2Entity, SubmittedV2Entity } from '../../schemas/v2/entity.ts';
import type { V2Event, V2EventCheck, V2EventState, SubmittedV2Event } from '../../schemas/v2/event.ts';
import type { CheckResult, SubmittedResult } from '../../schemas/result.ts';
import { isOfNewerShape, type CheckState } from '../event.ts';
import { okOccurrences } from '../ok-count.ts';
import { v2StateChange } from '../flapping.ts';
import { laterStatuses, type History } from '../history.ts';
import { isSettings, type Settings } from '../merge-settings.ts';
import { whenPositive } from './check.ts';
import { shownAttributes } from './event-check.ts';
import { subscriptionOfV2 } from './subscription.ts';

/** What an event of version 2 is put together from. */
export interface V2EventParts {
  /** Of the open event, or one that names this result. */
  readonly id: string;
  readonly namespace: string;
  /** As it is shown. */
  readonly entity: V2Entity;
  /** As it is shown: redacted. */
  readonly check: CheckResult;
  /** With the status of `check` at its new end. */
  readonly history: History;
  readonly state: Omit<CheckState, 'history'>;
  /** Names of the silenced entries that match now. */
  readonly silenced: readonly string[];
}

/** The last result of a check as an event, also one that is well (clients 6). */
export function v2EventOf(parts: V2EventParts): V2Event {
  const { id, namespace, entity, check, history, state, silenced } = parts;
  const { event } = state;
  const metrics = check['metrics'];
  const duration = check['duration'];
  const executed = sentNumber(check, 'executed') ?? check.executed;
  return {
    metadata: eventMetadataOf(check, namespace),
    timestamp: sentNumber(check, 'timestamp') ?? event?.timestamp ?? check.executed,
    entity,
    check: {
      ...shownAttributes(check, namespace),
      ...counts(parts),
      metadata: metadataOf(check, namespace),
      status: shownStatus(check.status),
      output: check.output,
      state: stateOf(parts),
      executed,
      issued: sentNumber(check, 'issued') ?? check.issued,
      ...(typeof duration === 'number' && duration > 0 ? { duration } : {}),
      history: shownHistory(history, executed),
      last_ok: (event === undefined ? state.lastOk : event.lastOk) ?? 0,
      total_state_change: event?.totalStateChange ?? v2StateChange(laterStatuses(history)),
      is_silenced: silenced.length > 0,
      ...(silenced.length > 0 ? { silenced } : {}),
    },
    ...(isSettings(metrics) ? { metrics } : {}),
    ...(Array.isArray(check['pipelines']) ? { pipelines: check['pipelines'] } : {}),
    id,
    sequence: sentNumber(check, 'sequence') ?? 0,
  };
}

function stateOf({ check, state: { event } }: V2EventParts): V2EventState {
  if (event?.action === 'flapping') return 'flapping';
  return check.status === 0 ? 'passing' : 'failing';
}

/**
 * An open event is counted by the rules of events. A check that is OK is counted by its results in a row, and so is the
 * end of a problem, whose watermark says how often that had occurred (completion 1.22).
 */
function counts({ check, history, state }: V2EventParts): Pick<V2EventCheck, 'occurrences' | 'occurrences_watermark'> {
  const { event, okCount, okWatermark } = state;
  if (event?.action === 'resolve') return { occurrences: 1, occurrences_watermark: event.watermark };
  // Of an OK result of the type metric, version 1 counts nothing.
  const isUncounted = check.status === 0 && check['type'] === 'metric' && !isOfNewerShape(check);
  if (event !== undefined && (!isUncounted || event.action === 'flapping')) {
    return { occurrences: event.occurrences, occurrences_watermark: event.watermark };
  }
  const { occurrences, watermark } = okOccurrences({ history, okCount, okWatermark });
  return { occurrences, occurrences_watermark: watermark };
}

/** The history of this face begins with the second result; only when the last one ran is remembered. */
function shownHistory(history: History, executed: number): V2EventCheck['history'] {
  const statuses = laterStatuses(history);
  if (statuses.length === 0) return null;
  return statuses.map((status, at, { length }) => ({
    status: shownStatus(status),
    executed: at === length - 1 ? executed : 0,
  }));
}

/** Clients of this face read no negative numbers here: one would cost them the whole list. */
function shownStatus(status: number): number {
  return status < 0 ? 3 : status;
}

function metadataOf(check: CheckResult, namespace: string): V2EventCheck['metadata'] {
  const { labels, annotations, created_by: creator } = isSettings(check['metadata']) ? check['metadata'] : {};
  return { name: check.name, namespace, ...pairsOf({ labels, annotations }), ...makerOf(creator) };
}

/** What was sent with the event as a whole; who sent it is said of its check as well. */
function eventMetadataOf(check: CheckResult, namespace: string): V2Event['metadata'] {
  const { created_by: creator } = isSettings(check['metadata']) ? check['metadata'] : {};
  const { labels, annotations, created_by: own } = isSettings(check['event_metadata']) ? check['event_metadata'] : {};
  const pairs = pairsOf({ labels, annotations });
  return { ...(Object.keys(pairs).length > 0 ? { namespace } : {}), ...pairs, ...makerOf(own ?? creator) };
}

/**
 * A number that the event of this result was sent with, as the peer shows it; absent: the number of the result counts.
 * `executed` and `issued` are 0 where the event had none: then the result has the time at which it was received.
 */
function sentNumber(
  { event_metadata: metadata }: CheckResult,
  name: 'timestamp' | 'executed' | 'issued' | 'sequence',
): number | undefined {
  const value = isSettings(metadata) ? metadata[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}

function makerOf(creator: unknown): { readonly created_by?: string } {
  return typeof creator === 'string' ? { created_by: creator } : {};
}

/** Attributes of an event's check that the backend makes itself, or that belong to the schedule. */
const NOT_TAKEN: ReadonlySet<string> = new Set([
  'history',
  'state',
  'occurrences',
  'occurrences_watermark',
  'last_ok',
  'total_state_change',
  'is_silenced',
  'silenced',
  'subdue',
  'subdues',
  'proxy_requests',
  'processed_by',
  'event_metadata',
  'pipelines',
  // What only the backend and its operators may say of a result.
  'name',
  'source',
  'origin',
  'handler',
  'subscribers',
  'standalone',
  'force_resolve',
]);

/** Whose zero value is false: it is not set. */
const FLAGS: ReadonlySet<string> = new Set(['publish', 'round_robin', 'stdin', 'discard_output']);

/**
 * The result that an event reports, by the rules of every other result from here on. Zero, empty text and null are "not
 * set" in its check, so that a definition of that name shows through. An event that brings metrics is handled whatever
 * its status, as those of the type `metric` are.
 *
 * @param names of the entity and the check, from the path or the event
 * @param createdBy who sent it; absent: the agent that ran it
 */
export function resultOfEvent(
  event: SubmittedV2Event,
  { entity, check: name }: { readonly entity: string; readonly check: string },
  createdBy?: string,
): SubmittedResult {
  const check = event.check ?? {};
  const { metadata, subscriptions, interval, timeout, ttl, executed, issued, handlers, ...rest } = check;
  const { low_flap_threshold: low, high_flap_threshold: high, proxy_entity_name: proxy, ...attributes } = rest;
  const metricHandlers = event.metrics?.handlers ?? [];
  return {
    ...taken(attributes),
    ...whenPositive({ interval, timeout, ttl, issued, executed: executed || event.timestamp }),
    // One of them alone detects nothing.
    ...(low && high ? { low_flap_threshold: low, high_flap_threshold: high } : {}),
    ...(subscriptions ? { subscribers: subscriptions.map(subscriptionOfV2) } : {}),
    ...(handlers || metricHandlers.length > 0
      ? { handlers: [...new Set([...(handlers ?? []), ...metricHandlers])] }
      : {}),
    ...underName('metadata', { ...pairsOf(metadata), ...makerOf(createdBy) }),
    ...underName('event_metadata', {
      ...pairsOf(event.metadata),
      ...(event.timestamp ? { timestamp: event.timestamp } : {}),
      ...(executed ? {} : { executed: 0 }),
      ...(issued ? {} : { issued: 0 }),
      ...(event.sequence ? { sequence: event.sequence } : {}),
    }),
    ...(hasMetrics(event) ? { metrics: event.metrics } : {}),
    ...(metricHandlers.length > 0 ? { type: 'metric' } : {}),
    ...pipelinesOf(event),
    ...(proxy && proxy !== entity ? { source: proxy } : {}),
    name,
    status: check.status ?? 0,
    output: check.output ?? '',
  };
}

/** Whether an event brings metrics: the peer leaves them out where there are neither points nor handlers. */
function hasMetrics({ metrics }: SubmittedV2Event): boolean {
  return (metrics?.points ?? []).length > 0 || (metrics?.handlers ?? []).length > 0;
}

/**
 * The pipelines that an event names. Agents repeat them in the check, and send an empty list where there are none. An
 * empty list counts as not set, so that those of the definition show through.
 */
function pipelinesOf({ pipelines, check }: SubmittedV2Event): { readonly pipelines?: readonly object[] } {
  const own = [pipelines, check?.pipelines].find((list) => (list ?? []).length > 0);
  return own ? { pipelines: own } : {};
}

/** The attributes of a check that the peer refuses in an event as it does in a definition. */
type LimitedCheck = Pick<
  NonNullable<SubmittedV2Event['check']>,
  'ttl' | 'interval' | 'low_flap_threshold' | 'high_flap_threshold'
>;

/**
 * Why the peer refuses the check of an event (reference 8); undefined: it does not. Results of version 1 and checks of
 * the configuration may have such values, so an event that is read and put back with them is accepted.
 *
 * @param before the check of the event that is replaced, as it is shown
 */
export function eventCheckProblem(check: LimitedCheck, before: LimitedCheck | undefined): string | undefined {
  const { ttl, interval, low_flap_threshold: low, high_flap_threshold: high } = check;
  const isPutBack = before?.ttl === ttl && before?.interval === interval;
  if (ttl && ttl > 0 && ttl <= (interval ?? 0) && !isPutBack) {
    return `check.ttl: must be greater than interval (${String(interval)})`;
  }
  const hasSameThresholds = before?.low_flap_threshold === low && before?.high_flap_threshold === high;
  if (low && high && low >= high && !hasSameThresholds) {
    return 'check.low_flap_threshold: must be less than high_flap_threshold';
  }
  return undefined;
}

/** The entity that an event brings along. */
export function entityOfEvent(event: SubmittedV2Event, name: string): SubmittedV2Entity {
  const { metadata, ...attributes } = event.entity ?? {};
  return { ...attributes, metadata: { ...metadata, name } };
}

function taken(attributes: Settings): Settings {
  return Object.fromEntries(
    Object.entries(attributes).filter(
      ([name, value]) =>
        !NOT_TAKEN.has(name) &&
        value !== null &&
        value !== undefined &&
        value !== '' &&
        !(value === false && FLAGS.has(name)),
    ),
  );
}

/** Labels and annotations, where there are any. */
function pairsOf(metadata: { readonly labels?: unknown; readonly annotations?: unknown } | null | undefined): {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
} {
  const { labels, annotations } = metadata ?? {};
  return { ...(isPairs(labels) ? { labels } : {}), ...(isPairs(annotations) ? { annotations } : {}) };
}

function isPairs(pairs: unknown): pairs is Record<string, string> {
  if (!isSettings(pairs)) return false;
  const values = Object.values(pairs);
  return values.length > 0 && values.every((value) => typeof value === 'string');
}

function underName(name: string, attributes: Settings): Settings {
  return Object.keys(attributes).length === 0 ? {} : { [name]: attributes };
}
