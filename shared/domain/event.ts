import type { EventAction } from '../schemas/event.ts';
import { v2StateChange, isFlapping, totalStateChange } from './flapping.ts';
import type { NotificationLog } from '../schemas/notification-log.ts';
import type { Acknowledgement } from '../schemas/acknowledgement.ts';
import type { EscalationState } from '../schemas/escalation.ts';
import type { Recovery } from '../schemas/recovery.ts';
import { acknowledgementAfterResult } from './acknowledgement.ts';
import { EMPTY_NOTIFICATION_LOG } from './notify/notification-log.ts';
import { isRecovered, nextRecovery } from './recovery.ts';
import { nextOkCount, okOccurrences, type OkCount } from './ok-count.ts';
import { EMPTY_HISTORY, statusesWithoutFirst, pushStatus, statusAtAge, type History } from './history.ts';

/** The state of an event, without its check. */
export interface EventState {
  /** UUID of the event. It stays the same for as long as the event is stored (completion 1.4). */
  readonly id: string;
  readonly action: EventAction;
  /** The status with which the event was last stored. */
  readonly status: number;
  readonly occurrences: number;
  readonly watermark: number;
  /** Epoch seconds at which the backend computed this state of the event. */
  readonly timestamp: number;
  /**
   * Time of the last change of status in epoch seconds. If the event began without a change of status, it is undefined
   * in the first state of the event, and null in the later states.
   */
  readonly lastStateChange: number | null | undefined;
  /** Epoch seconds of the last OK result; null if there was none. */
  readonly lastOk: number | null;
  readonly totalStateChange: number;
  /** The record of which handlers were notified, and of what suppresses the event. */
  readonly notifications: NotificationLog;
  /** Set while the check is OK again and the event waits for further OK results (spec, recovery). */
  readonly recovery?: Recovery | undefined;
  /** Set while an operator works on the problem; handlers then get no further notification of it (on-call 1). */
  readonly acknowledgement?: Acknowledgement | undefined;
  /** The escalations that handlers have started; undefined if there are none (on-call 2). */
  readonly escalations?: readonly EscalationState[] | undefined;
}

/** Returns the state of a transient event, which is delivered to handlers but never stored. */
export function transientEventState(
  id: string,
  { status }: Pick<DecidingResult, 'status'>,
  now: number,
  occurrences = 1,
): EventState {
  return {
    id,
    action: 'create',
    status,
    occurrences,
    watermark: occurrences,
    timestamp: now,
    lastStateChange: undefined,
    lastOk: null,
    totalStateChange: 0,
    notifications: EMPTY_NOTIFICATION_LOG,
  };
}

/** The state of a check on a client that the event rules need. */
export interface CheckState extends OkCount {
  readonly history: History;
  /** Epoch seconds (`executed`) of the latest OK result; null if there was none. */
  readonly lastOk: number | null;
  readonly event: EventState | undefined;
}

export const NO_CHECK_STATE: CheckState = {
  history: EMPTY_HISTORY,
  lastOk: null,
  event: undefined,
  okCount: undefined,
  okWatermark: undefined,
};

/** The attributes of a result that the event rules evaluate. All its other attributes are only passed on. */
export interface DecidingResult {
  readonly status: number;
  readonly executed: number;
  readonly type?: unknown;
  readonly auto_resolve?: unknown;
  readonly force_resolve?: unknown;
  readonly resolve_after?: unknown;
  readonly low_flap_threshold?: unknown;
  readonly high_flap_threshold?: unknown;
  /** Metadata of the event itself; only results in the v2 format have this attribute. */
  readonly event_metadata?: unknown;
}

/** Whether a result was reported in the v2 format, which has its own rules for flapping and TTL. */
export function isV2Result(result: DecidingResult): boolean {
  return result.event_metadata !== undefined;
}

/**
 * The effect of a result on the event of its check and client.
 *
 * - `none`: no effect, also if the event stays open after an OK result because of `auto_resolve: false` or
 *   `resolve_after`
 * - `open`: the event is stored, replacing the previous one, and passed to handlers
 * - `resolve`: the stored event is removed, and the resolved event is passed to handlers
 * - `metric`: the event of a result of the type metric is passed to handlers and not stored
 * - `ok`: the event of an OK result is passed to the handlers that get every event, and not stored
 */
export type EventTransition =
  { readonly kind: 'none' } | { readonly kind: 'open' | 'resolve' | 'metric' | 'ok'; readonly event: EventState };

const NO_TRANSITION: EventTransition = { kind: 'none' };

/** Inputs of the event rules other than the state and the result. */
export interface EventRuleInputs {
  /** The current time in epoch seconds. */
  readonly now: number;
  readonly newId: () => string;
  /** Whether a handler is configured to get OK results of checks without an event. */
  readonly notifiesOk?: boolean;
}

/**
 * Returns the next state of a check on a client (completion 1.4 and 1.5). The results of a check on a client must be
 * passed one at a time and in order.
 */
export function nextCheckState(
  before: CheckState,
  result: DecidingResult,
  { now, newId, notifiesOk = false }: EventRuleInputs,
): { readonly state: CheckState; readonly transition: EventTransition } {
  const isOk = result.status === 0;
  const history = pushStatus(before.history, result.status);
  const lastOk = isOk ? result.executed : before.lastOk;
  const stored = before.event;
  const { okCount, okWatermark } = nextOkCount(before, history);
  const change = isV2Result(result) ? v2StateChange(statusesWithoutFirst(history)) : totalStateChange(history);
  const flapping = isFlapping(stored?.action === 'flapping', change, {
    low: result.low_flap_threshold,
    high: result.high_flap_threshold,
  });

  // The most frequent result is OK for a check without an event. No event is built for it.
  if (isOk && !flapping && stored === undefined && result.type !== 'metric' && !notifiesOk) {
    return { state: { history, lastOk, event: undefined, okCount, okWatermark }, transition: NO_TRANSITION };
  }

  const forced = result.force_resolve === true;
  const isProblem = !isOk || flapping;
  const recovery = isOk ? nextRecovery(stored?.recovery, result) : undefined;
  const isWaiting = stored !== undefined && !forced && !isProblem && recovery !== undefined && !isRecovered(recovery);
  const ends = stored !== undefined && !isWaiting && (forced || (!isProblem && result.auto_resolve !== false));
  const action: EventAction =
    stored !== undefined && !isWaiting && (forced || !isProblem) ? 'resolve' : flapping ? 'flapping' : 'create';
  // Occurrences do not count a resolution, and no OK result that is only passed to handlers.
  const counts = isProblem && action !== 'resolve';
  const isChanged = isStatusChanged(stored, result.status, history);
  const event: EventState = {
    id: stored?.id ?? newId(),
    action,
    status: result.status,
    ...(counts ? nextCount(stored, isChanged) : carriedCount(stored)),
    timestamp: now,
    lastStateChange: action === 'resolve' || (counts && isChanged) ? now : carriedStateChange(stored),
    lastOk,
    totalStateChange: change,
    notifications: stored?.notifications ?? EMPTY_NOTIFICATION_LOG,
    recovery,
    acknowledgement: isProblem
      ? acknowledgementAfterResult(stored?.acknowledgement, result.status)
      : stored?.acknowledgement,
    escalations: stored?.escalations,
  };

  const stateWith = (kept: EventState | undefined): CheckState => ({
    history,
    lastOk,
    event: kept,
    okCount,
    okWatermark,
  });
  if (ends) return { state: stateWith(undefined), transition: { kind: 'resolve', event } };
  if (isProblem && !forced) return { state: stateWith(event), transition: { kind: 'open', event } };
  const state = stateWith(isWaiting ? recoveringEvent(stored, recovery) : stored && removeRecovery(stored));
  // In the v1 format, OK results of the type metric are not counted.
  const isCounted = stored === undefined && (result.type !== 'metric' || isV2Result(result));
  const handled = isCounted ? { ...event, ...okOccurrences(state) } : event;
  if (result.type === 'metric') return { state, transition: { kind: 'metric', event: handled } };
  return { state, transition: notifiesOk && stored === undefined ? { kind: 'ok', event: handled } : NO_TRANSITION };
}

interface Count {
  readonly occurrences: number;
  readonly watermark: number;
}

/** Returns the occurrences of the stored event unchanged. So a resolution says how often the problem occurred. */
function carriedCount(stored: EventState | undefined): Count {
  return { occurrences: stored?.occurrences ?? 1, watermark: stored?.watermark ?? 1 };
}

/** Returns the stored event after an OK result that does not resolve it yet (`resolve_after`). It is not flapping. */
function recoveringEvent(stored: EventState, recovery: Recovery): EventState {
  return { ...stored, action: 'create', recovery };
}

/**
 * Returns an event that an OK result does not resolve because of `auto_resolve: false`. If the check was counting OK
 * results for `resolve_after`, that count is discarded.
 */
function removeRecovery(stored: EventState): EventState {
  return stored.recovery === undefined ? stored : { ...stored, recovery: undefined };
}

/** Increments the occurrences, or restarts them at 1 after a change of status. Their maximum (watermark) is kept. */
function nextCount(stored: EventState | undefined, isChanged: boolean): Count {
  const occurrences = isChanged ? 1 : (stored?.occurrences ?? 1) + 1;
  return { occurrences, watermark: Math.max(stored?.watermark ?? 1, occurrences) };
}

/**
 * Whether the last two statuses in the history differ. While an event recovers (`resolve_after`), the new status is
 * compared with that of the event instead. So a relapse is not notified again (spec, recovery 1).
 */
function isStatusChanged(stored: EventState | undefined, status: number, history: History): boolean {
  if (stored?.recovery !== undefined) return status !== stored.status;
  return statusAtAge(history, 0) !== statusAtAge(history, 1);
}

function carriedStateChange(stored: EventState | undefined): number | null | undefined {
  return stored === undefined ? undefined : (stored.lastStateChange ?? null);
}
