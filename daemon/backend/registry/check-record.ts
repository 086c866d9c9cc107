import type { EventAction } from '../../../shared/schemas/event.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { CheckState, EventState } from '../../../shared/domain/event.ts';
import { historyOf, statusesOf } from '../../../shared/domain/history.ts';

/**
 * The stored form of a client and check: the last result with the history, and the event if one is open.
 *
 * `check` is null after the result was deleted while its event stays. The event's check is the result's, unless they
 * differ (a cut output, an event that outlives an OK); then `event.check` holds it.
 */
export interface CheckRecord {
  readonly check: CheckResult | null;
  readonly history: readonly number[];
  readonly lastOk: number | null;
  readonly event?: StoredEvent;
}

export interface StoredEvent {
  readonly id: string;
  readonly action: EventAction;
  readonly status: number;
  readonly occurrences: number;
  readonly watermark: number;
  readonly timestamp: number;
  readonly lastStateChange?: number | null;
  readonly lastOk: number | null;
  readonly totalStateChange: number;
  /** The history when the event was built, where it has grown since (an event that outlives an OK). */
  readonly history?: readonly number[];
  readonly check?: CheckResult;
}

/** The parts of a record that are not in the registry. */
export interface CheckBodies {
  readonly check: CheckResult | null;
  /** Undefined: the same as `check`. */
  readonly eventCheck: CheckResult | undefined;
  /** Undefined: the same as the result's history. */
  readonly eventHistory: readonly number[] | undefined;
}

export function encodeCheckRecord(state: CheckState, bodies: CheckBodies): string {
  const { history, lastOk, event } = state;
  const record: CheckRecord = { check: bodies.check, history: statusesOf(history), lastOk };
  if (event === undefined) return JSON.stringify(record);
  const stored: StoredEvent = {
    id: event.id,
    action: event.action,
    status: event.status,
    occurrences: event.occurrences,
    watermark: event.watermark,
    timestamp: event.timestamp,
    ...(event.lastStateChange === undefined ? {} : { lastStateChange: event.lastStateChange }),
    lastOk: event.lastOk,
    totalStateChange: event.totalStateChange,
    ...(bodies.eventHistory === undefined ? {} : { history: bodies.eventHistory }),
    ...(bodies.eventCheck === undefined ? {} : { check: bodies.eventCheck }),
  };
  return JSON.stringify({ ...record, event: stored });
}

export function decodeCheckRecord(value: string): CheckRecord {
  return JSON.parse(value) as CheckRecord;
}

export function bodiesOf(record: CheckRecord): CheckBodies {
  return { check: record.check, eventCheck: record.event?.check, eventHistory: record.event?.history };
}

/** The packed state of a record, for the registry at start. */
export function stateOf(record: CheckRecord): CheckState {
  return {
    history: historyOf(record.history),
    lastOk: record.lastOk,
    event: record.event === undefined ? undefined : eventStateOf(record.event),
  };
}

function eventStateOf(event: StoredEvent): EventState {
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
  };
}
