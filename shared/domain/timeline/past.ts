import type { Transition } from '../../schemas/timeline.ts';
import type { EventRow } from '../../schemas/feed.ts';
import type { SilencedEntry } from '../../schemas/silenced.ts';

/** An event at a past moment, as far as transitions record it (spec, timeline 5). */
export interface PastEvent {
  readonly status: number;
  readonly isFlapping: boolean;
  /** Occurrences at its last transition; later equal results are not recorded. */
  readonly occurrences: number;
  /** Epoch seconds when it entered its status. */
  readonly since: number;
  /** Epoch seconds of its last transition. */
  readonly last: number;
  /** Output at its last transition, as the list of events showed it. */
  readonly output: string;
}

/**
 * Returns the event of a client and check after a transition; undefined if it has none.
 *
 * @param before undefined if it had none, or is unknown
 */
export function nextPastEvent(
  before: PastEvent | undefined,
  { kind, status, flapping, occurrences = 1, output = '' }: Transition,
  atMs: number,
): PastEvent | undefined {
  // The check is known but has no event.
  const isOk = kind === 'new' || kind === 'resolve';
  if (isOk || status === undefined) return undefined;
  const at = Math.floor(atMs / 1000);
  const since = kind !== 'create' && before?.status === status ? before.since : at;
  return { status, isFlapping: flapping === true, occurrences, since, last: at, output };
}

/** Returns the change in the number of known checks by a transition. */
export function checkCountDelta({ was, status }: Transition): -1 | 0 | 1 {
  if ((was === undefined) === (status === undefined)) return 0;
  return status === undefined ? -1 : 1;
}

/**
 * Returns a silence after one of its transitions; undefined if it ended.
 *
 * @param id id of the silence, which the transition also names
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

/** Returns the row for the list of events. */
export function pastEventRow(
  { isFlapping, ...event }: PastEvent,
  { client, check }: Pick<EventRow, 'client' | 'check'>,
  silencedBy: string[],
): EventRow {
  return { client, check, ...event, action: isFlapping ? 'flapping' : 'create', silenced_by: silencedBy };
}

/** Decides when to store the next checkpoint, so that every moment is close to one (spec, timeline 5). */
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
 * Whether a checkpoint is due: after one transition per two rows, so that checkpoints take less space than transitions,
 * and daily.
 */
export function isCheckpointDue({ transitions, rows, ageMs }: CheckpointAge): boolean {
  return transitions >= Math.max(TRANSITIONS_MIN, rows / 2) || (transitions > 0 && ageMs >= DAY_MS);
}
