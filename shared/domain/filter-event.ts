import type { Event } from '../schemas/event.ts';
import type { FilterDefinition } from '../schemas/filter.ts';
import type { HandledEvent } from '../schemas/handler-job.ts';
import {
  matchConditions,
  parseConditions,
  type AttributeConditions,
  type ConditionProblems,
  type EvaluationTime,
} from './attribute-conditions.ts';
import { endsProblem, eventSubjectOf, hasMetrics } from './v2/event-subject.ts';
import { judgeV2Filter, type V2EventFilter } from './v2/filter.ts';
import { isInWindow, parseTimeWindows, type TimeWindow } from './time-window.ts';

/** The decision of a filter about an event, with the reason as text for operators. */
export interface FilterVerdict {
  readonly kind: 'pass' | 'filtered';
  readonly reason: string;
  /** Dotted path of the attribute whose condition is not met; absent if all conditions are met. */
  readonly attribute?: string;
  /** Log message if a condition of the filter cannot be evaluated; absent otherwise. */
  readonly defect?: 'attribute value eval error' | 'attribute value eval unmatched tokens';
}

/** A compiled filter definition. */
export interface EventFilter {
  readonly kind: 'filter';
  readonly conditions: AttributeConditions;
  /** Whether events that meet the conditions are rejected instead of passed. */
  readonly isExclusive: boolean;
  readonly windows: readonly TimeWindow[] | undefined;
}

/** Compiles a valid filter definition once, when it is loaded. The paths in its problems start below `attributes`. */
export function parseFilter({ attributes, negate, when }: FilterDefinition): EventFilter | ConditionProblems {
  const conditions = parseConditions(attributes);
  if (conditions.kind === 'problems') return conditions;
  return {
    kind: 'filter',
    conditions,
    isExclusive: negate ?? false,
    windows: when === undefined ? undefined : parseTimeWindows(when),
  };
}

/**
 * Decides whether an event passes a filter of the v1 API, with the reason (completion 1.9). Outside of the time windows
 * of the filter, every event passes.
 */
export function filterEvent(filter: EventFilter, event: Event, moment: EvaluationTime): FilterVerdict {
  if (filter.windows !== undefined && !isInWindow(filter.windows, moment.nowMs, moment.zone)) {
    return { kind: 'pass', reason: 'the time is outside of the time windows of the filter' };
  }
  // The copy is for the type checker: `Event` has no index signature, but a filter can name any attribute.
  const match = matchConditions(filter.conditions, { ...event }, moment);
  if (match.matches) return { kind: filter.isExclusive ? 'filtered' : 'pass', reason: 'all attributes match' };
  const attribute = match.path.join('.');
  const reason = `${attribute} ${match.reason}`;
  const verdict = { kind: filter.isExclusive ? 'pass' : 'filtered', reason, attribute } as const;
  switch (match.cause) {
    case 'error':
      return { ...verdict, defect: 'attribute value eval error' };
    case 'unmatched':
      return { ...verdict, defect: 'attribute value eval unmatched tokens' };
    default:
      return verdict;
  }
}

/** Decides whether an event passes a filter of the v2 API, with the reason. */
export function filterV2Event(
  filter: V2EventFilter,
  { namespace, event }: { readonly namespace: string; readonly event: Event },
  moment: EvaluationTime,
): FilterVerdict {
  const { isFiltered, reason, defect } = judgeV2Filter(filter, eventSubjectOf(namespace, event), moment);
  const verdict = { kind: isFiltered ? 'filtered' : 'pass', reason } as const;
  return defect === undefined ? verdict : { ...verdict, defect: 'attribute value eval error' };
}

/** The built-in filter `is_incident` of the v2 API: passes problems and their resolutions (completion 1.17). */
function filterByIncident({ check, action }: Event): FilterVerdict {
  return check.status !== 0 || action === 'resolve' || endsProblem(check)
    ? { kind: 'pass', reason: 'it is an incident or its resolution' }
    : { kind: 'filtered', reason: 'it is neither an incident nor its resolution' };
}

function filterBySilence({ silenced, silenced_by: by }: Event): FilterVerdict {
  return silenced
    ? { kind: 'filtered', reason: `it is silenced by ${by.join(', ')}` }
    : { kind: 'pass', reason: 'it is not silenced' };
}

function filterByMetrics({ check }: Event): FilterVerdict {
  return hasMetrics(check)
    ? { kind: 'pass', reason: 'it has metrics' }
    : { kind: 'filtered', reason: 'it has no metrics' };
}

/** Defaults of `occurrences`, `refresh` and `interval` of a check for the filter `occurrences` (completion 1.9). */
const NEEDED_OCCURRENCES = 1;
const REFRESH_SECONDS = 1800;
const INTERVAL_SECONDS = 60;

/** A built-in filter: decides whether an event passes, with access to the stored events. */
export type BuiltInFilter = (event: HandledEvent, events: StoredEvents) => FilterVerdict;

/** Returns the built-in filter of this name; undefined if there is none. */
export function builtInFilter(name: string): BuiltInFilter | undefined {
  switch (name) {
    case 'occurrences':
      return filterByOccurrences;
    case 'check_dependencies':
      return filterByDependencies;
    case 'is_incident':
      return filterByIncident;
    case 'not_silenced':
      return filterBySilence;
    case 'has_metrics':
      return filterByMetrics;
    default:
      return undefined;
  }
}

/** Maximum length of an attribute value that is quoted in a reason; longer values are cut. */
const QUOTED_VALUE_LENGTH = 40;

/**
 * Returns the reason why an event passes although `occurrences` or `refresh` of its check is not a whole number. As in
 * Sensu Core, the filter passes every such event.
 */
function noCount(attribute: string, value: unknown): string {
  const shown = JSON.stringify(value).slice(0, QUOTED_VALUE_LENGTH);
  return `occurrences are not counted, because ${attribute} of the check is ${shown} and not a whole number`;
}

/**
 * The built-in filter `occurrences`. It passes an event that reaches the `occurrences` of its check, and then again
 * every `refresh` seconds, converted to a number of occurrences (completion 1.9). It also passes an event when its
 * silence or inhibition has ended, and in a step of an escalation.
 */
export function filterByOccurrences(event: HandledEvent): FilterVerdict {
  const { check, action, occurrences, occurrences_watermark } = event;
  const needed = check['occurrences'] ?? NEEDED_OCCURRENCES;
  const refresh = check['refresh'] ?? REFRESH_SECONDS;
  if (!isInteger(needed)) return { kind: 'pass', reason: noCount('occurrences', needed) };
  if (!isInteger(refresh)) return { kind: 'pass', reason: noCount('refresh', refresh) };
  if (action === 'resolve' && occurrences_watermark >= needed) {
    return { kind: 'pass', reason: 'it resolves an event that was handled' };
  }
  if (occurrences < needed) return { kind: 'filtered', reason: 'not enough occurrences' };
  if (occurrences === needed || action === 'resolve') return { kind: 'pass', reason: 'enough occurrences' };
  if (event.silence_ended === true) return { kind: 'pass', reason: 'the silence that suppressed it has ended' };
  if (event.inhibition_ended === true) return { kind: 'pass', reason: 'the inhibition that suppressed it has ended' };
  if (event.escalation !== undefined) return { kind: 'pass', reason: 'an escalation notifies the handler' };
  const every = occurrencesPerRefresh(check, refresh);
  return every === 0 || (occurrences - needed) % every === 0
    ? { kind: 'pass', reason: 'its refresh interval has passed' }
    : { kind: 'filtered', reason: `only handling every ${String(every)} occurrences` };
}

/** Returns the number of occurrences within `refresh` seconds; 0 if the check runs less often. */
function occurrencesPerRefresh({ interval }: HandledEvent['check'], refresh: number): number {
  return Math.trunc(refresh / (isInteger(interval) && interval > 0 ? interval : INTERVAL_SECONDS));
}

/**
 * Returns the number of occurrences at which the filter `occurrences` passes an event that it rejects now; undefined if
 * it passes the event.
 */
export function nextPassingOccurrence(event: HandledEvent): number | undefined {
  if (filterByOccurrences(event).kind === 'pass') return undefined;
  const { check, occurrences } = event;
  const needed = check['occurrences'] ?? NEEDED_OCCURRENCES;
  const refresh = check['refresh'] ?? REFRESH_SECONDS;
  if (!isInteger(needed) || !isInteger(refresh)) return undefined;
  if (occurrences < needed) return needed;
  const every = occurrencesPerRefresh(check, refresh);
  return every === 0 ? undefined : needed + (Math.floor((occurrences - needed) / every) + 1) * every;
}

/** Access to stored events for the filter `check_dependencies`. */
export interface StoredEvents {
  has(client: string, check: string): boolean;
  /** Whether at least one client with the subscription has an event of the check. */
  hasOfSubscription(subscription: string, check: string): boolean;
}

const SUBSCRIPTION_PREFIX = 'subscription:';

/**
 * The built-in filter `check_dependencies`. It rejects an event while one of the `dependencies` of its check has an
 * event. A dependency is written as `check`, `client/check` or `subscription:<name>/check` (completion 1.9).
 */
export function filterByDependencies({ client, check }: Event, events: StoredEvents): FilterVerdict {
  const dependencies = check['dependencies'];
  const failing = Array.isArray(dependencies)
    ? dependencies.find((item) => typeof item === 'string' && hasEvent(item, client.name, events))
    : undefined;
  return failing === undefined
    ? { kind: 'pass', reason: 'none of its dependencies has an event' }
    : { kind: 'filtered', reason: `its dependency has an event: ${String(failing)}` };
}

function hasEvent(dependency: string, client: string, events: StoredEvents): boolean {
  const slash = dependency.lastIndexOf('/');
  const check = dependency.slice(slash + 1);
  if (slash === -1) return events.has(client, check);
  const where = dependency.slice(0, slash);
  return where.startsWith(SUBSCRIPTION_PREFIX)
    ? events.hasOfSubscription(where.slice(SUBSCRIPTION_PREFIX.length), check)
    : events.has(where, check);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}
