import type { Acknowledgement } from '../../schemas/acknowledgement.ts';
import type { V2Entity, SubmittedV2Entity } from '../../schemas/v2/entity.ts';
import type { V2Event, V2EventCheck, V2EventState, SubmittedV2Event } from '../../schemas/v2/event.ts';
import type { CheckResult, SubmittedResult } from '../../schemas/result.ts';
import { isV2Result, type CheckState } from '../event.ts';
import { okOccurrences } from '../ok-count.ts';
import { v2StateChange } from '../flapping.ts';
import { statusesWithoutFirst, type History } from '../history.ts';
import { isSettings, type Settings } from '../merge-settings.ts';
import { onlyPositive } from './check.ts';
import { shownAttributes } from './event-check.ts';
import { subscriptionOfV2 } from './subscription.ts';

/** The entity, check, history and state from which an event of the v2 API is built. */
export interface V2EventSource {
  /** Id of the open event; if there is none, an id for this result. */
  readonly id: string;
  readonly namespace: string;
  /** The entity in its v2 form. */
  readonly entity: V2Entity;
  /** The last result of the check, already redacted. */
  readonly check: CheckResult;
  /** Recent statuses of the check; the last one is the status of `check`. */
  readonly history: History;
  readonly state: Omit<CheckState, 'history'>;
  /** Names of the silences that match the event now. */
  readonly silenced: readonly string[];
}

/** Builds a v2 event from the last result of a check, even if it is OK (clients 6). */
export function v2EventOf(parts: V2EventSource): V2Event {
  const { id, namespace, entity, check, history, state, silenced } = parts;
  const { event } = state;
  const metrics = check['metrics'];
  const duration = check['duration'];
  const executed = sentNumber(check, 'executed') ?? check.executed;
  return {
    metadata: eventMetadataOf(check, namespace, event?.acknowledgement),
    timestamp: sentNumber(check, 'timestamp') ?? event?.timestamp ?? check.executed,
    entity,
    check: {
      ...shownAttributes(check, namespace),
      ...occurrenceCounts(parts),
      metadata: metadataOf(check, namespace),
      status: shownStatus(check.status),
      output: check.output,
      state: stateOf(parts),
      executed,
      issued: sentNumber(check, 'issued') ?? check.issued,
      ...(typeof duration === 'number' && duration > 0 ? { duration } : {}),
      history: shownHistory(history, executed),
      last_ok: (event === undefined ? state.lastOk : event.lastOk) ?? 0,
      total_state_change: event?.totalStateChange ?? v2StateChange(statusesWithoutFirst(history)),
      is_silenced: silenced.length > 0,
      ...(silenced.length > 0 ? { silenced } : {}),
    },
    ...(isSettings(metrics) ? { metrics } : {}),
    ...(Array.isArray(check['pipelines']) ? { pipelines: check['pipelines'] } : {}),
    id,
    sequence: sentNumber(check, 'sequence') ?? 0,
  };
}

function stateOf({ check, state: { event } }: V2EventSource): V2EventState {
  if (event?.action === 'flapping') return 'flapping';
  return check.status === 0 ? 'passing' : 'failing';
}

/**
 * Returns the occurrences of a check and their maximum, the watermark. They are those of the open event, if there is
 * one. For an OK check, the occurrences are its OK results in a row, and the watermark is at least the number of
 * occurrences of the problem before them (completion 1.22).
 */
function occurrenceCounts({
  check,
  history,
  state,
}: V2EventSource): Pick<V2EventCheck, 'occurrences' | 'occurrences_watermark'> {
  const { event, okCount, okWatermark } = state;
  if (event?.action === 'resolve') return { occurrences: 1, occurrences_watermark: event.watermark };
  // In the v1 format, OK results of the type metric are not counted.
  const isUncounted = check.status === 0 && check['type'] === 'metric' && !isV2Result(check);
  if (event !== undefined && (!isUncounted || event.action === 'flapping')) {
    return { occurrences: event.occurrences, occurrences_watermark: event.watermark };
  }
  const { occurrences, watermark } = okOccurrences({ history, okCount, okWatermark });
  return { occurrences, occurrences_watermark: watermark };
}

/** Returns the history in its v2 form: without the very first result, and with a time only for the last run. */
function shownHistory(history: History, executed: number): V2EventCheck['history'] {
  const statuses = statusesWithoutFirst(history);
  if (statuses.length === 0) return null;
  return statuses.map((status, at, { length }) => ({
    status: shownStatus(status),
    executed: at === length - 1 ? executed : 0,
  }));
}

/** Replaces a negative status by 3, because v2 clients cannot parse a list of events with a negative status. */
function shownStatus(status: number): number {
  return status < 0 ? 3 : status;
}

function metadataOf(check: CheckResult, namespace: string): V2EventCheck['metadata'] {
  const { labels, annotations, created_by: creator } = isSettings(check['metadata']) ? check['metadata'] : {};
  return { name: check.name, namespace, ...pairsOf({ labels, annotations }), ...creatorOf(creator) };
}

/**
 * Returns the metadata of the event itself. If it has no creator, it gets that of the check. The acknowledgement is
 * shown as annotations, because v2 events have no attribute for it.
 */
function eventMetadataOf(
  check: CheckResult,
  namespace: string,
  acknowledgement: Acknowledgement | undefined,
): V2Event['metadata'] {
  const { created_by: creator } = isSettings(check['metadata']) ? check['metadata'] : {};
  const { labels, annotations, created_by: own } = isSettings(check['event_metadata']) ? check['event_metadata'] : {};
  const shown = acknowledgement === undefined ? annotations : addAcknowledgement(annotations, acknowledgement);
  const pairs = pairsOf({ labels, annotations: shown });
  return { ...(Object.keys(pairs).length > 0 ? { namespace } : {}), ...pairs, ...creatorOf(own ?? creator) };
}

const OWNER_ANNOTATION = 'mon.acknowledged_by';
const NOTE_ANNOTATION = 'mon.acknowledged_note';

function addAcknowledgement(annotations: unknown, { owner, note }: Acknowledgement): Settings {
  return {
    ...(isSettings(annotations) ? annotations : {}),
    [OWNER_ANNOTATION]: owner,
    ...(note !== undefined && { [NOTE_ANNOTATION]: note }),
  };
}

/**
 * Removes the annotations of an acknowledgement from the metadata of a submitted event, so that an event that a client
 * reads and submits again does not keep them.
 */
function removeAcknowledgement(annotations: unknown): unknown {
  if (!isSettings(annotations)) return annotations;
  const { [OWNER_ANNOTATION]: _owner, [NOTE_ANNOTATION]: _note, ...others } = annotations;
  return others;
}

/**
 * Returns a number as the sender of the event set it; undefined if the number in the stored result is used. `executed`
 * and `issued` are 0 if the sender did not set them; the stored result then has the time of its receipt.
 */
function sentNumber(
  { event_metadata: metadata }: CheckResult,
  name: 'timestamp' | 'executed' | 'issued' | 'sequence',
): number | undefined {
  const value = isSettings(metadata) ? metadata[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}

function creatorOf(creator: unknown): { readonly created_by?: string } {
  return typeof creator === 'string' ? { created_by: creator } : {};
}

/**
 * Check attributes in a submitted event that are ignored: the backend computes them, or they are only for scheduling.
 */
const IGNORED_ATTRIBUTES: ReadonlySet<string> = new Set([
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
  // Attributes of a result that a submitted event must not set.
  'name',
  'source',
  'origin',
  'handler',
  'subscribers',
  'standalone',
  'force_resolve',
]);

/** Flags for which false means "not set". */
const OPTIONAL_FLAGS: ReadonlySet<string> = new Set(['publish', 'round_robin', 'stdin', 'discard_output']);

/**
 * Converts a submitted v2 event to a result, which is then processed like any other. Zero, empty text and null in its
 * check mean "not set": the value in the check definition is used. An event with handlers for metrics gets the type
 * `metric`, so that handlers get it even if its status is OK.
 *
 * @param names names of the entity and the check, from the path or the event
 * @param createdBy user who sent the event; undefined for an event from an agent or a dump
 */
export function resultOfEvent(
  event: SubmittedV2Event,
  { entity, check: name }: { readonly entity: string; readonly check: string },
  createdBy?: string,
): SubmittedResult {
  const check = event.check ?? {};
  const { metadata, subscriptions, interval, timeout, ttl, executed, issued, handlers, ...otherAttributes } = check;
  const {
    low_flap_threshold: low,
    high_flap_threshold: high,
    proxy_entity_name: proxy,
    ...attributes
  } = otherAttributes;
  const metricHandlers = event.metrics?.handlers ?? [];
  return {
    ...acceptedAttributes(attributes),
    ...onlyPositive({ interval, timeout, ttl, issued, executed: executed || event.timestamp }),
    // Flap detection needs both thresholds.
    ...(low && high ? { low_flap_threshold: low, high_flap_threshold: high } : {}),
    ...(subscriptions ? { subscribers: subscriptions.map(subscriptionOfV2) } : {}),
    ...(handlers || metricHandlers.length > 0
      ? { handlers: [...new Set([...(handlers ?? []), ...metricHandlers])] }
      : {}),
    ...underName('metadata', { ...pairsOf(metadata), ...creatorOf(createdBy) }),
    ...underName('event_metadata', {
      ...pairsOf({ ...event.metadata, annotations: removeAcknowledgement(event.metadata?.annotations) }),
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

/** Whether an event has metrics. As in Sensu Go, they are omitted if there are neither points nor handlers. */
function hasMetrics({ metrics }: SubmittedV2Event): boolean {
  return (metrics?.points ?? []).length > 0 || (metrics?.handlers ?? []).length > 0;
}

/**
 * Returns the pipelines that a submitted event names, in the event itself or in its check. Agents send an empty list if
 * there are none. It means "not set": the pipelines of the check definition are used.
 */
function pipelinesOf({ pipelines, check }: SubmittedV2Event): { readonly pipelines?: readonly object[] } {
  const own = [pipelines, check?.pipelines].find((list) => (list ?? []).length > 0);
  return own ? { pipelines: own } : {};
}

/** The attributes of a check that Sensu Go validates in events as well as in check definitions. */
type LimitedCheck = Pick<
  NonNullable<SubmittedV2Event['check']>,
  'ttl' | 'interval' | 'low_flap_threshold' | 'high_flap_threshold'
>;

/**
 * Returns why Sensu Go would reject the check of an event (reference 8); undefined if it is accepted. Results of the v1
 * API and configured checks can have values that Sensu Go rejects. So they are accepted if they are the same as in
 * `before`, that is, if an event was read and sent back.
 *
 * @param before the check of the existing event, as returned by the API; undefined if there is none
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

/** Returns the entity in an event, with the given name. */
export function entityOfEvent(event: SubmittedV2Event, name: string): SubmittedV2Entity {
  const { metadata, ...attributes } = event.entity ?? {};
  return { ...attributes, metadata: { ...metadata, name } };
}

function acceptedAttributes(attributes: Settings): Settings {
  return Object.fromEntries(
    Object.entries(attributes).filter(
      ([name, value]) =>
        !IGNORED_ATTRIBUTES.has(name) &&
        value !== null &&
        value !== undefined &&
        value !== '' &&
        !(value === false && OPTIONAL_FLAGS.has(name)),
    ),
  );
}

/** Returns only the labels and annotations of metadata; empty if it has none. */
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
