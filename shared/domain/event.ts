import type { EventAction } from '../schemas/event.ts';
import { v2StateChange, isFlapping, totalStateChange } from './flapping.ts';
import type { Inhibited } from '../schemas/inhibition.ts';
import type { Recovery } from '../schemas/recovery.ts';
import { isRecovered, nextRecovery } from './recovery.ts';
import { nextOkCount, okOccurrences, type OkCount } from './ok-count.ts';
import { EMPTY_HISTORY, laterStatuses, pushStatus, statusBack, type History } from './history.ts';

/** What is remembered of an event beside its check, packed. */
export interface EventState {
  /** UUID; lives as long as the event is stored (completion 1.4). */
  readonly id: string;
  readonly action: EventAction;
  /** The status that it was last stored with. */
  readonly status: number;
  readonly occurrences: number;
  readonly watermark: number;
  /** Epoch seconds when it was built. */
  readonly timestamp: number;
  /** Epoch seconds; undefined in an event that began without a change of status, null in those that follow it. */
  readonly lastStateChange: number | null | undefined;
  /** Epoch seconds of the last OK before it, null when there was none. */
  readonly lastOk: number | null;
  readonly totalStateChange: number;
  /** Whether a silence keeps back a handler that would have run, and none has run without a silence since. */
  readonly isSuppressed?: true | undefined;
  /** Whether an inhibition has kept it from all handlers since it began, so that nobody has heard of it. */
  readonly isHeld?: true | undefined;
  /** The inhibition that kept its last result from all handlers. */
  readonly inhibited?: Inhibited | undefined;
  /** Handlers that an inhibition kept it from, and that no result has named since. */
  readonly owed?: readonly string[] | undefined;
  /** While its check is OK again and the event waits for more of that (spec, recovery). */
  readonly recovery?: Recovery | undefined;
}

/** Of an event that is told and not stored, and so has no past. */
export function pastlessState(
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
  };
}

/** The state that the rules keep of a client and check. */
export interface CheckState extends OkCount {
  readonly history: History;
  /** `executed` of the latest OK. */
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

/** The attributes of a result that decide; the rest is carried along. */
export interface DecidingResult {
  readonly status: number;
  readonly executed: number;
  readonly type?: unknown;
  readonly auto_resolve?: unknown;
  readonly force_resolve?: unknown;
  readonly resolve_after?: unknown;
  readonly low_flap_threshold?: unknown;
  readonly high_flap_threshold?: unknown;
  /** What was said of the event as a whole: only those of the newer shape have it. */
  readonly event_metadata?: unknown;
}

/** Whether a result was reported in the shape of version 2: its flapping and its ttl go by the rules of that one. */
export function isOfNewerShape(result: DecidingResult): boolean {
  return result.event_metadata !== undefined;
}

/**
 * What a result does to the event of its client and check.
 *
 * - `none`: nothing; also while `auto_resolve: false` or `resolve_after` keeps an event through an OK
 * - `open`: the event is stored, replacing the one before, and handled
 * - `resolve`: the stored event is removed, and this one is handled
 * - `metric`: handled, never stored
 * - `well`: the same, for handlers that get every event
 */
export type Transition =
  { readonly kind: 'none' } | { readonly kind: 'open' | 'resolve' | 'metric' | 'ok'; readonly event: EventState };

const NOTHING: Transition = { kind: 'none' };

/** What a rule may ask of the outside. */
export interface Surroundings {
  /** Epoch seconds. */
  readonly now: number;
  readonly newId: () => string;
  /** Whether somebody is to be told also of what is well and follows nothing. */
  readonly tellsAll?: boolean;
}

/**
 * The next state of a client and check (completion 1.4 and 1.5). Results of one key must come one at a time and in
 * order.
 */
export function nextCheckState(
  before: CheckState,
  result: DecidingResult,
  { now, newId, tellsAll = false }: Surroundings,
): { readonly state: CheckState; readonly transition: Transition } {
  const isOk = result.status === 0;
  const history = pushStatus(before.history, result.status);
  const lastOk = isOk ? result.executed : before.lastOk;
  const stored = before.event;
  const { okCount, okWatermark } = nextOkCount(before, history);
  const change = isOfNewerShape(result) ? v2StateChange(laterStatuses(history)) : totalStateChange(history);
  const flapping = isFlapping(stored?.action === 'flapping', change, {
    low: result.low_flap_threshold,
    high: result.high_flap_threshold,
  });

  // The usual result: all is well and nothing is open. No event is built for it.
  if (isOk && !flapping && stored === undefined && result.type !== 'metric' && !tellsAll) {
    return { state: { history, lastOk, event: undefined, okCount, okWatermark }, transition: NOTHING };
  }

  const forced = result.force_resolve === true;
  const isProblem = !isOk || flapping;
  const recovery = isOk ? nextRecovery(stored?.recovery, result) : undefined;
  const isWaiting = stored !== undefined && !forced && !isProblem && recovery !== undefined && !isRecovered(recovery);
  const ends = stored !== undefined && !isWaiting && (forced || (!isProblem && result.auto_resolve !== false));
  const action: EventAction =
    stored !== undefined && !isWaiting && (forced || !isProblem) ? 'resolve' : flapping ? 'flapping' : 'create';
  // A resolve, and an OK that is only handled (metric), take no part in the counting.
  const counts = isProblem && action !== 'resolve';
  const isChanged = isNews(stored, result.status, history);
  const event: EventState = {
    id: stored?.id ?? newId(),
    action,
    status: result.status,
    ...(counts ? nextCount(stored, isChanged) : carriedCount(stored)),
    timestamp: now,
    lastStateChange: action === 'resolve' || (counts && isChanged) ? now : carriedStateChange(stored),
    lastOk,
    totalStateChange: change,
    isSuppressed: stored?.isSuppressed,
    isHeld: stored?.isHeld,
    inhibited: stored?.inhibited,
    owed: stored?.owed,
    recovery,
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
  const state = stateWith(isWaiting ? waiting(stored, recovery) : stored && staying(stored));
  // Version 1 counts no OK results.
  const isCounted = stored === undefined && (result.type !== 'metric' || isOfNewerShape(result));
  const handled = isCounted ? { ...event, ...okOccurrences(state) } : event;
  if (result.type === 'metric') return { state, transition: { kind: 'metric', event: handled } };
  return { state, transition: tellsAll && stored === undefined ? { kind: 'ok', event: handled } : NOTHING };
}

interface Count {
  readonly occurrences: number;
  readonly watermark: number;
}

/** A resolve tells how often the problem had occurred. */
function carriedCount(stored: EventState | undefined): Count {
  return { occurrences: stored?.occurrences ?? 1, watermark: stored?.watermark ?? 1 };
}

/** The event as it was while its check is OK, but that one which flapped no longer does. */
function waiting(stored: EventState, recovery: Recovery): EventState {
  return { ...stored, action: 'create', recovery };
}

/** The event as it was, which nothing but a request ends: what had begun to recover does so no more. */
function staying(stored: EventState): EventState {
  return stored.recovery === undefined ? stored : { ...stored, recovery: undefined };
}

/** What is the same as before counts on, everything else starts again; the watermark never sinks. */
function nextCount(stored: EventState | undefined, isChanged: boolean): Count {
  const occurrences = isChanged ? 1 : (stored?.occurrences ?? 1) + 1;
  return { occurrences, watermark: Math.max(stored?.watermark ?? 1, occurrences) };
}

/**
 * Whether a status is another one than before: neighbours at the end of the history differ. An event that had begun to
 * recover goes on where it was, so that it is not told anew at each relapse (spec, recovery 1).
 */
function isNews(stored: EventState | undefined, status: number, history: History): boolean {
  if (stored?.recovery !== undefined) return status !== stored.status;
  return statusBack(history, 0) !== statusBack(history, 1);
}

function carriedStateChange(stored: EventState | undefined): number | null | undefined {
  return stored === undefined ? undefined : (stored.lastStateChange ?? null);
}
