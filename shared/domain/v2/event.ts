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
  return {
    metadata: eventMetadataOf(check, namespace),
    timestamp: sentTimestamp(check) ?? event?.timestamp ?? check.executed,
    entity,
    check: {
      ...shownAttributes(check, namespace),
      ...counts(parts),
      metadata: metadataOf(check, namespace),
      status: shownStatus(check.status),
      output: check.output,
      state: stateOf(parts),
      executed: check.executed,
      issued: check.issued,
      ...(typeof duration === 'number' && duration > 0 ? { duration } : {}),
      history: shownHistory(history, check.executed),
      last_ok: (event === undefined ? state.lastOk : event.lastOk) ?? 0,
      total_state_change: event?.totalStateChange ?? v2StateChange(laterStatuses(history)),
      is_silenced: silenced.length > 0,
      ...(silenced.length > 0 ? { silenced } : {}),
    },
    ...(isSettings(metrics) ? { metrics } : {}),
    ...(Array.isArray(check['pipelines']) ? { pipelines: check['pipelines'] } : {}),
    id,
    sequence: 0,
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

/** When the event that brought this result says that it was; absent: nobody said. */
function sentTimestamp({ event_metadata: metadata }: CheckResult): number | undefined {
  const timestamp = isSettings(metadata) ? metadata['timestamp'] : undefined;
  return typeof timestamp === 'number' ? timestamp : undefined;
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
    }),
    ...(event.metrics ? { metrics: event.metrics } : {}),
    ...(metricHandlers.length > 0 ? { type: 'metric' } : {}),
    ...pipelinesOf(event),
    ...(proxy && proxy !== entity ? { source: proxy } : {}),
    name,
    status: check.status ?? 0,
    output: check.output ?? '',
  };
}

/**
 * The pipelines that an event names. Agents repeat them in the check, and send an empty list where there are none. An
 * empty list counts as not set, so that those of the definition show through.
 */
function pipelinesOf({ pipelines, check }: SubmittedV2Event): { readonly pipelines?: readonly object[] } {
  const own = [pipelines, check?.pipelines].find((list) => (list ?? []).length > 0);
  return own ? { pipelines: own } : {};
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
