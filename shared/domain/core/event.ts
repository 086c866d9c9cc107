import type { CoreEntity, SubmittedCoreEntity } from '../../schemas/core/entity.ts';
import type { CoreEvent, CoreEventCheck, CoreEventState, SubmittedCoreEvent } from '../../schemas/core/event.ts';
import type { CheckResult, SubmittedResult } from '../../schemas/result.ts';
import type { CheckState } from '../event.ts';
import { totalStateChange } from '../flapping.ts';
import { statusesOf, type History } from '../history.ts';
import { isSettings, type Settings } from '../merge-settings.ts';
import { shownAttributes } from './event-check.ts';
import { subscriptionOfCore } from './subscription.ts';

/** What an event of the newer face is put together from. */
export interface CoreEventParts {
  /** Of the open event, or one that names this result. */
  readonly id: string;
  readonly namespace: string;
  /** As it is shown. */
  readonly entity: CoreEntity;
  /** As it is shown: redacted. */
  readonly check: CheckResult;
  /** With the status of `check` at its new end. */
  readonly history: History;
  readonly state: Pick<CheckState, 'event' | 'lastOk'>;
  /** Names of the silenced entries that match now. */
  readonly silenced: readonly string[];
}

/** The last result of a check as an event, also one that is well (clients, section 6). */
export function coreEventOf(parts: CoreEventParts): CoreEvent {
  const { id, namespace, entity, check, history, state, silenced } = parts;
  const { event } = state;
  const metrics = check['metrics'];
  return {
    metadata: { namespace },
    timestamp: event?.timestamp ?? check.executed,
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
      duration: typeof check['duration'] === 'number' ? check['duration'] : 0,
      history: shownHistory(history, check.executed),
      last_ok: (event === undefined ? state.lastOk : event.lastOk) ?? 0,
      total_state_change: event?.totalStateChange ?? totalStateChange(history),
      is_silenced: silenced.length > 0,
      silenced,
    },
    ...(isSettings(metrics) ? { metrics } : {}),
    pipelines: Array.isArray(check['pipelines']) ? check['pipelines'] : null,
    id,
    sequence: 0,
  };
}

function stateOf({ check, state: { event } }: CoreEventParts): CoreEventState {
  if (event?.action === 'flapping') return 'flapping';
  return check.status === 0 ? 'passing' : 'failing';
}

/** An open event is counted by the rules of events; what is well, by its results in a row. */
function counts({
  history,
  state: { event },
}: CoreEventParts): Pick<CoreEventCheck, 'occurrences' | 'occurrences_watermark'> {
  if (event !== undefined) return { occurrences: event.occurrences, occurrences_watermark: event.watermark };
  const statuses = statusesOf(history);
  const before = statuses.findLastIndex((status) => status !== statuses.at(-1));
  const inRow = Math.max(1, statuses.length - 1 - before);
  return { occurrences: inRow, occurrences_watermark: inRow };
}

/** Only when the last one ran is remembered. */
function shownHistory(history: History, executed: number): CoreEventCheck['history'] {
  return statusesOf(history).map((status, at, { length }) => ({
    status: shownStatus(status),
    executed: at === length - 1 ? executed : 0,
  }));
}

/** Clients of this face read no negative numbers here: one would cost them the whole list. */
function shownStatus(status: number): number {
  return status < 0 ? 3 : status;
}

function metadataOf(check: CheckResult, namespace: string): CoreEventCheck['metadata'] {
  const { labels, annotations } = isSettings(check['metadata']) ? check['metadata'] : {};
  return { name: check.name, namespace, labels: pairsOf(labels), annotations: pairsOf(annotations) };
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
  'proxy_requests',
  'cron',
  'publish',
  'round_robin',
  'scheduler',
  'processed_by',
  // What only the backend and its operators may say of a result.
  'name',
  'source',
  'origin',
  'handler',
  'subscribers',
  'standalone',
  'force_resolve',
]);

/**
 * The result that an event reports, by the rules of every other result from here on. Zero, empty text and null are "not
 * set" in its check, so that a definition of that name shows through. An event that brings metrics is handled whatever
 * its status, as those of the type `metric` are.
 *
 * @param names of the entity and the check, from the path or the event
 */
export function resultOfEvent(
  event: SubmittedCoreEvent,
  { entity, check: name }: { readonly entity: string; readonly check: string },
): SubmittedResult {
  const check = event.check ?? {};
  const { metadata, subscriptions, interval, timeout, ttl, executed, issued, handlers, ...rest } = check;
  const { low_flap_threshold: low, high_flap_threshold: high, proxy_entity_name: proxy, ...attributes } = rest;
  const metricHandlers = event.metrics?.handlers ?? [];
  return {
    ...taken(attributes),
    ...positive({ interval, timeout, ttl, issued, executed: executed || event.timestamp }),
    // One of them alone detects nothing.
    ...(low && high ? { low_flap_threshold: low, high_flap_threshold: high } : {}),
    ...(subscriptions ? { subscribers: subscriptions.map(subscriptionOfCore) } : {}),
    ...(handlers || metricHandlers.length > 0
      ? { handlers: [...new Set([...(handlers ?? []), ...metricHandlers])] }
      : {}),
    ...(hasPairs(metadata?.labels) || hasPairs(metadata?.annotations)
      ? { metadata: { labels: metadata?.labels, annotations: metadata?.annotations } }
      : {}),
    ...(event.metrics ? { metrics: event.metrics } : {}),
    ...(metricHandlers.length > 0 ? { type: 'metric' } : {}),
    ...(event.pipelines && event.pipelines.length > 0 && !check.pipelines ? { pipelines: event.pipelines } : {}),
    ...(proxy && proxy !== entity ? { source: proxy } : {}),
    name,
    status: check.status ?? 0,
    output: check.output ?? '',
  };
}

/** The entity that an event brings along. */
export function entityOfEvent(event: SubmittedCoreEvent, name: string): SubmittedCoreEntity {
  const { metadata, ...attributes } = event.entity ?? {};
  return { ...attributes, metadata: { ...metadata, name } };
}

function taken(attributes: Settings): Settings {
  return Object.fromEntries(
    Object.entries(attributes).filter(
      ([name, value]) => !NOT_TAKEN.has(name) && value !== null && value !== undefined && value !== '',
    ),
  );
}

function positive(seconds: Readonly<Record<string, number | null | undefined>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(seconds).filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0));
}

function pairsOf(pairs: unknown): Record<string, string> | null {
  return isSettings(pairs) && Object.values(pairs).every((value) => typeof value === 'string')
    ? (pairs as Record<string, string>)
    : null;
}

function hasPairs(pairs: Readonly<Record<string, string>> | null | undefined): boolean {
  return Object.keys(pairs ?? {}).length > 0;
}
