import type { Transition } from '../../schemas/timeline.ts';
import type { EventRow } from '../../schemas/feed.ts';
import type { SilencedEntry } from '../../schemas/silenced.ts';

/** An event at a past moment, with what its transitions recorded (spec, timeline 5). */
export interface PastEvent {
  readonly status: number;
  readonly isFlapping: boolean;
  /**
   * Occurrences that the last transition recorded, or 1 if it recorded none. Later results with the same status are not
   * recorded.
   */
  readonly occurrences: number;
  /** Epoch seconds since which its status is the same, according to the known transitions. */
  readonly since: number;
  /** Epoch seconds of its last transition. */
  readonly last: number;
  /** Output that the last transition recorded, as in the list of events; empty if it recorded none. */
  readonly output: string;
}

/**
 * Returns the event of a check on a client after a transition; undefined if there is none then.
 *
 * @param before the event before the transition; undefined if there was none, or it is unknown
 */
export function nextPastEvent(
  before: PastEvent | undefined,
  { kind, status, flapping, occurrences = 1, output = '' }: Transition,
  atMs: number,
): PastEvent | undefined {
  // After these transitions the check is known, but it has no event.
  const isOk = kind === 'new' || kind === 'resolve';
  if (isOk || status === undefined) return undefined;
  const at = Math.floor(atMs / 1000);
  const since = kind !== 'create' && before?.status === status ? before.since : at;
  return { status, isFlapping: flapping === true, occurrences, since, last: at, output };
}

/** Returns by how much a transition changes the number of known checks of a client. */
export function checkCountDelta({ was, status }: Transition): -1 | 0 | 1 {
  if ((was === undefined) === (status === undefined)) return 0;
  return status === undefined ? -1 : 1;
}

/**
 * Returns a silence after one of its transitions; undefined if the silence ended.
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

/** Returns a past event as a row for the list of events. */
export function pastEventRow(
  { isFlapping, ...event }: PastEvent,
  { client, check }: Pick<EventRow, 'client' | 'check'>,
  silencedBy: string[],
): EventRow {
  return { client, check, ...event, action: isFlapping ? 'flapping' : 'create', silenced_by: silencedBy };
}

/**
 * The measurements that decide when the next checkpoint is stored, so that one is close to every moment (spec, timeline
 * 5).
 */
export interface CheckpointAge {
  /** Number of transitions since the last checkpoint. */
  readonly transitions: number;
  /** Number of rows in the last checkpoint. */
  readonly rows: number;
  readonly ageMs: number;
}

const TRANSITIONS_MIN = 20_000;
const DAY_MS = 86_400_000;

/**
 * Whether a checkpoint is due: after at least 20,000 transitions and one per two rows, so that checkpoints take less
 * space than transitions, or after a day with any transitions.
 */
export function isCheckpointDue({ transitions, rows, ageMs }: CheckpointAge): boolean {
  return transitions >= Math.max(TRANSITIONS_MIN, rows / 2) || (transitions > 0 && ageMs >= DAY_MS);
}
