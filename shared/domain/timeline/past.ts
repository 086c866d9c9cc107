import type { Acknowledgement } from '../../schemas/acknowledgement.ts';
import type { Transition } from '../../schemas/timeline.ts';
import type { EventRow } from '../../schemas/feed.ts';
import type { SilencedEntry } from '../../schemas/silenced.ts';
import { acknowledgementAfterResult, shownAcknowledgement } from '../acknowledgement.ts';

/** An event as it was at a time in the past, according to its recorded transitions (spec, timeline 5). */
export interface PastEvent {
  readonly status: number;
  readonly isFlapping: boolean;
  /**
   * Occurrences at the last transition; 1 if the transition has none. Later results with the same status are not
   * included, because they are not recorded.
   */
  readonly occurrences: number;
  /** Epoch seconds since which the event has its status, according to the known transitions. */
  readonly since: number;
  /** Epoch seconds of its last transition. */
  readonly last: number;
  /** Summary of the check output at the last transition, as in the list of events; empty if there is none. */
  readonly output: string;
  /** Present if the event was acknowledged. */
  readonly acknowledgement?: Acknowledgement;
}

/**
 * Returns the event of a check on a client after a transition; undefined if the check then has no event.
 *
 * @param before the event before the transition; undefined if there was none, or it is unknown
 */
export function nextPastEvent(
  before: PastEvent | undefined,
  transition: Transition,
  atMs: number,
): PastEvent | undefined {
  const { kind, status, flapping, occurrences = 1, output = '' } = transition;
  // After these two kinds of transition, the check is OK and has no event.
  const isOk = kind === 'new' || kind === 'resolve';
  if (isOk || status === undefined) return undefined;
  const at = Math.floor(atMs / 1000);
  const since = kind !== 'create' && before?.status === status ? before.since : at;
  const acknowledgement = nextAcknowledgement(before, transition, status, at);
  return {
    status,
    isFlapping: flapping === true,
    occurrences,
    since,
    last: at,
    output,
    ...(acknowledgement !== undefined && { acknowledgement }),
  };
}

/**
 * Returns the acknowledgement of a past event after a transition. A worse status ends an acknowledgement without a
 * transition of its own (on-call 1).
 *
 * @param at epoch seconds of the transition
 */
function nextAcknowledgement(
  before: PastEvent | undefined,
  { kind, creator, reason, end, sticky }: Transition,
  status: number,
  at: number,
): Acknowledgement | undefined {
  switch (kind) {
    case 'acknowledge':
      return {
        owner: creator ?? '',
        ...(reason !== undefined && { note: reason }),
        at,
        ...(end !== undefined && { until: end / 1000 }),
        ...(sticky !== undefined && { sticky }),
        status,
      };
    case 'create':
    case 'unacknowledge':
      return undefined;
    default:
      return acknowledgementAfterResult(before?.acknowledgement, status);
  }
}

/** Returns how a transition changes the number of known checks of a client: 1 for a new check, -1 for a removal. */
export function checkCountDelta({ was, status }: Transition): -1 | 0 | 1 {
  if ((was === undefined) === (status === undefined)) return 0;
  return status === undefined ? -1 : 1;
}

/**
 * Returns a silence as it was after one of its transitions; undefined if the silence ended.
 *
 * @param id id of the silence, the same as in the transition
 */
export function nextPastSilence(id: string, transition: Transition, atMs: number): SilencedEntry | undefined {
  if (transition.kind !== 'silence') return undefined;
  const {
    subscription,
    check,
    selector,
    creator,
    reason,
    begin,
    end,
    expire_on_resolve: endsWithEvent,
    recurrence,
  } = transition;
  return {
    id,
    subscription: subscription ?? null,
    check: check ?? null,
    creator: creator ?? null,
    reason: reason ?? null,
    begin: begin ?? null,
    expireAtMs: end ?? null,
    expire_on_resolve: endsWithEvent === true,
    timestamp: Math.floor(atMs / 1000),
    ...(selector !== undefined && { selector }),
    ...(recurrence !== undefined && { recurrence }),
  };
}

/** Converts an event of the past to a row for the list of events. */
export function pastEventRow(
  { isFlapping, acknowledgement, ...event }: PastEvent,
  { client, check }: Pick<EventRow, 'client' | 'check'>,
  silencedBy: string[],
): EventRow {
  return {
    client,
    check,
    ...event,
    action: isFlapping ? 'flapping' : 'create',
    ...(acknowledgement !== undefined && { acknowledged: shownAcknowledgement(acknowledgement) }),
    silenced_by: silencedBy,
  };
}

/**
 * The measurements that decide when the next checkpoint is stored: a copy of all events and silences at one time. From
 * the nearest checkpoint, the state at any past time can be computed quickly (spec, timeline 5).
 */
export interface CheckpointAge {
  /** Number of transitions since the last checkpoint. */
  readonly transitions: number;
  /** Number of rows (such as events and silences) in the last checkpoint. */
  readonly rows: number;
  readonly ageMs: number;
}

const TRANSITIONS_MIN = 20_000;
const DAY_MS = 86_400_000;

/**
 * Whether the next checkpoint must be stored. This is so after 20,000 transitions, but at least one per two rows of the
 * last checkpoint, so that checkpoints take less space than transitions. It is also so after a day with transitions.
 */
export function isCheckpointDue({ transitions, rows, ageMs }: CheckpointAge): boolean {
  return transitions >= Math.max(TRANSITIONS_MIN, rows / 2) || (transitions > 0 && ageMs >= DAY_MS);
}
