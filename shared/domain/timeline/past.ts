import type { Transition } from '../../schemas/timeline.ts';
import type { EventRow } from '../../schemas/feed.ts';
import type { SilencedEntry } from '../../schemas/silenced.ts';

/** An event as it was at a moment of the past, as far as transitions tell (spec, timeline 5). */
export interface PastEvent {
  readonly status: number;
  readonly isFlapping: boolean;
  /** At its last transition: what the same failure once more made of it was not noted. */
  readonly occurrences: number;
  /** Epoch seconds: when it entered its status. */
  readonly since: number;
  /** Epoch seconds of its last transition. */
  readonly last: number;
  /** Of its last transition, as the list had it. */
  readonly output: string;
}

/**
 * The event of a client and check behind a transition of theirs; undefined: it has none.
 *
 * @param before undefined: it had none, or nothing is known of it
 */
export function nextPastEvent(
  before: PastEvent | undefined,
  { kind, status, flapping, occurrences = 1, output = '' }: Transition,
  atMs: number,
): PastEvent | undefined {
  // Known, but without an event.
  const isWell = kind === 'new' || kind === 'resolve';
  if (isWell || status === undefined) return undefined;
  const at = Math.floor(atMs / 1000);
  const since = kind !== 'create' && before?.status === status ? before.since : at;
  return { status, isFlapping: flapping === true, occurrences, since, last: at, output };
}

/** By how much a transition changes the number of checks of which something is known. */
export function knownBy({ was, status }: Transition): -1 | 0 | 1 {
  if ((was === undefined) === (status === undefined)) return 0;
  return status === undefined ? -1 : 1;
}

/**
 * A silenced entry behind a transition of its own; undefined: it has ended.
 *
 * @param id of the entry, which the transition names as well
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

/** As the list of events shows it. */
export function pastEventRow(
  { isFlapping, ...event }: PastEvent,
  { client, check }: Pick<EventRow, 'client' | 'check'>,
  silencedBy: string[],
): EventRow {
  return { client, check, ...event, action: isFlapping ? 'flapping' : 'create', silenced_by: silencedBy };
}

/** When the state is to be kept whole again, so that none is far from any moment (spec, timeline 5). */
export interface CheckpointAge {
  /** Transitions since the last one. */
  readonly turns: number;
  /** Rows in the last one. */
  readonly rows: number;
  readonly ageMs: number;
}

const TURNS_MIN = 20_000;
const DAY_MS = 86_400_000;

/** For every two rows of it a transition, so that they take less room than those; and every day. */
export function isCheckpointDue({ turns, rows, ageMs }: CheckpointAge): boolean {
  return turns >= Math.max(TURNS_MIN, rows / 2) || (turns > 0 && ageMs >= DAY_MS);
}
