import { secondsSince, type Corrections } from '../../clock/corrections.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { CheckState, EventState } from '../../../shared/domain/event.ts';
import type { History } from '../../../shared/domain/history.ts';

/** The parts of a client and check that are not in the registry. */
export interface CheckBodies {
  /** The last result; null after it was deleted while its event stays. */
  readonly check: CheckResult | null;
  /** The event's check, where it differs from the result's: a cut output, an event that outlives an OK. */
  readonly eventCheck?: CheckResult | undefined;
  /** The history when the event was built, where it has grown since: an event that outlives an OK. */
  readonly eventHistory?: History | undefined;
}

/** The stored form of a client and check: the last result, what the rules remember, and the event if one is open. */
export type CheckRecord = CheckBodies & CheckState & AggregateState & Dated;

/** By which clock a record was written. */
export interface Dated {
  /** How often the clock had been corrected; undefined: never. */
  readonly era?: number | undefined;
}

/** What a result remembers of the aggregates around it. */
export interface AggregateState {
  /** How many aggregates of the namespace had been deleted when it came; undefined: none, or it names none. */
  readonly deletionsBefore?: number | undefined;
}

/**
 * Written for every result: an object literal of one shape is what the engine turns into text the fastest. The check is
 * the last part, after everything that is the backend's own, so that `splitCheckRecord` finds it unread.
 */
export function encodeCheckRecord(state: CheckState, bodies: CheckBodies, deletionsBefore: number, era = 0): string {
  return JSON.stringify({
    history: state.history,
    lastOk: state.lastOk,
    event: state.event,
    eventHistory: bodies.eventHistory,
    deletionsBefore: deletionsBefore === 0 ? undefined : deletionsBefore,
    era: era === 0 ? undefined : era,
    eventCheck: bodies.eventCheck,
    check: bodies.check,
  } satisfies CheckRecord);
}

export function decodeCheckRecord(value: string): CheckRecord {
  return JSON.parse(value) as CheckRecord;
}

/** A record with the age of its result by the clock of today: what the rules go on from. */
export function datedCheckRecord(value: string, corrections: Corrections): CheckRecord {
  const record = decodeCheckRecord(value);
  const seconds = secondsSince(corrections, record.era ?? 0);
  const { check } = record;
  return seconds === 0 || check === null
    ? record
    : { ...record, check: { ...check, executed: check.executed + seconds } };
}

/** A record whose check was left as the text that it is. */
export interface UnreadCheckRecord {
  readonly state: CheckState & Pick<CheckBodies, 'eventHistory'>;
  /** JSON of an object. */
  readonly check: string;
}

const FIRST_PART = '{"history":';
const EVENT_CHECK = '"eventCheck":';
const CHECK = ',"check":';

/**
 * Takes a record apart without reading the check, which is most of it.
 *
 * @returns undefined when the event has a check of its own
 */
export function splitCheckRecord(value: string): UnreadCheckRecord | undefined {
  const at = value.indexOf(CHECK);
  if (at === -1 || !value.startsWith(FIRST_PART)) return undefined;
  // Nothing before it comes from outside but a check of the event, so this is where the check begins.
  const own = value.slice(0, at);
  if (own.includes(EVENT_CHECK)) return undefined;
  const state = JSON.parse(`${own}}`) as UnreadCheckRecord['state'];
  return { state, check: value.slice(at + CHECK.length, -1) };
}

/** The packed state of a record, for the registry at start: of one shape, as the rules make it. */
export function stateOf({ history, lastOk, event }: CheckRecord): CheckState {
  return { history: packed(history), lastOk, event: event === undefined ? undefined : eventStateOf(event) };
}

function packed({ length, recent, older, wide }: History): History {
  return { length, recent, older, wide };
}

function eventStateOf(event: EventState): EventState {
  return {
    id: event.id,
    action: event.action,
    status: event.status,
    occurrences: event.occurrences,
    watermark: event.watermark,
    timestamp: event.timestamp,
    lastStateChange: event.lastStateChange,
    lastOk: event.lastOk,
    totalStateChange: event.totalStateChange,
    isSuppressed: event.isSuppressed,
  };
}
