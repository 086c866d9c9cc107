import { correctionSecondsSince, type Corrections } from '../../../clock/corrections.ts';
import type { Acknowledgement } from '../../../../shared/schemas/acknowledgement.ts';
import type { EscalationState } from '../../../../shared/schemas/escalation.ts';
import type { Recovery } from '../../../../shared/schemas/recovery.ts';
import type { CheckResult, CachedResult } from '../../../../shared/schemas/result.ts';
import type { CheckState, EventState } from '../../../../shared/domain/event.ts';
import { internNotificationLog } from '../../../../shared/domain/notify/notification-log.ts';
import type { History } from '../../../../shared/domain/history.ts';

/** The parts of a check record that are only in the store, not in memory. */
export interface CheckBodies {
  /** The last result; null if it was deleted while its event was open. */
  readonly check: CheckResult | null;
  /**
   * The check that the event shows, if it differs from `check`. That is so if the event stayed open after an OK result,
   * or the output in `check` is truncated.
   */
  readonly eventCheck?: CheckResult | undefined;
  /**
   * The history that the event shows, if the history of the check has grown since, because the event stayed open after
   * an OK result.
   */
  readonly eventHistory?: History | undefined;
}

/**
 * The stored record of a check on a client: its last result, the state of the event rules, and the open event if there
 * is one.
 */
export type CheckRecord = CheckBodies & CheckState & AggregateState & ClockCorrected;

/** The attribute that tells by how much the times in a record must be shifted after clock corrections. */
export interface ClockCorrected {
  /** Number of clock corrections before the record was written; undefined if there were none. */
  readonly era?: number | undefined;
}

/** The attribute of a record that decides whether its result still belongs to its aggregates. */
export interface AggregateState {
  /**
   * Number of aggregates deleted in the namespace when the result arrived; undefined if it is 0 or there are no
   * aggregates.
   */
  readonly deletionsBefore?: number | undefined;
}

/**
 * Encodes a check record. The check comes last, after the attributes that the backend itself writes. So
 * `splitCheckRecord` can separate it without parsing it.
 */
export function encodeCheckRecord(state: CheckState, bodies: CheckBodies, deletionsBefore: number, era = 0): string {
  const { history, lastOk, okCount, okWatermark } = state;
  if (hasEvent(state, bodies) || history.wide !== undefined) {
    return JSON.stringify({
      history,
      lastOk,
      okCount,
      okWatermark,
      event: state.event,
      eventHistory: bodies.eventHistory,
      deletionsBefore: deletionsBefore === 0 ? undefined : deletionsBefore,
      era: era === 0 ? undefined : era,
      eventCheck: bodies.eventCheck,
      check: bodies.check,
    } satisfies CheckRecord);
  }
  // A record without an event, the usual case, is concatenated for speed; the text is the same as that of
  // `JSON.stringify` above.
  return `${ownPart(state, deletionsBefore, era)},"check":${JSON.stringify(bodies.check)}}`;
}

/** The attributes of a repeated result that can differ from those of the previous result. */
export interface RenewedResult {
  /** Stamp (unique text) of the stored record that the repeated result updates. */
  readonly stamp: string;
  /** Time at which the check ran, in epoch seconds. */
  readonly executed: number;
  /** Time at which the run was requested, in epoch seconds. */
  readonly issued: number;
  /** Duration of the run in seconds; undefined if none was reported. */
  readonly duration: number | undefined;
  /** The new output; undefined if it is unchanged. */
  readonly output: string | undefined;
}

/**
 * Encodes a record without an event in four parts: the state of the event rules, the static attributes of the check,
 * its output, and its times. Later, `encodeRenewed` replaces all parts except the static attributes. The attributes of
 * the check thereby change their order, which has no meaning.
 *
 * @param check the last result, of a check without an open event
 */
export function encodeRecordParts(
  state: CheckState,
  check: CheckResult,
  deletionsBefore: number,
  era = 0,
): readonly string[] {
  const { output, executed, issued, duration, ...attributes } = check;
  return [
    `${ownPart(state, deletionsBefore, era)},"check":{`,
    JSON.stringify(attributes).slice(1, -1),
    outputPart(output),
    timesPart({ executed, issued, duration: duration as number | undefined }),
  ];
}

/**
 * Encodes a record after a repeated result in the same four parts as `encodeRecordParts`; an unchanged part is
 * undefined.
 */
export function encodeRenewed(
  state: CheckState,
  { output, ...times }: Omit<RenewedResult, 'stamp'>,
  deletionsBefore: number,
  era = 0,
): readonly (string | undefined)[] {
  return [
    `${ownPart(state, deletionsBefore, era)},"check":{`,
    undefined,
    output === undefined ? undefined : outputPart(output),
    timesPart(times),
  ];
}

/** Applies a repeated result to the parts of a check record that are only in the store. */
export function renewedBodies(bodies: CheckBodies, { output, executed, issued, duration }: RenewedResult): CheckBodies {
  const { check } = bodies;
  if (check === null) return bodies;
  return { ...bodies, check: { ...check, executed, issued, duration, output: output ?? check.output } };
}

/**
 * Encodes the beginning of a record: the attributes that the backend itself writes. For an object with a few numbers,
 * concatenation is faster than `JSON.stringify`.
 */
function ownPart({ history, lastOk, okCount, okWatermark }: CheckState, deletions: number, era: number): string {
  const { length, recent, older } = history;
  const count = okCount === undefined ? '' : `,"okCount":${String(okCount)}`;
  const watermark = okWatermark === undefined ? '' : `,"okWatermark":${String(okWatermark)}`;
  const deletionsBefore = deletions === 0 ? '' : `,"deletionsBefore":${String(deletions)}`;
  const corrections = era === 0 ? '' : `,"era":${String(era)}`;
  return (
    `{"history":{"length":${String(length)},"recent":${String(recent)},"older":${String(older)}},` +
    `"lastOk":${String(lastOk)}${count}${watermark}${deletionsBefore}${corrections}`
  );
}

function outputPart(output: string): string {
  return `,"output":${JSON.stringify(output)}`;
}

function timesPart({ executed, issued, duration }: Omit<RenewedResult, 'stamp' | 'output'>): string {
  const took = duration === undefined ? '' : `,"duration":${String(duration)}`;
  return `,"executed":${String(executed)},"issued":${String(issued)}${took}}}`;
}

function hasEvent({ event }: CheckState, { eventCheck, eventHistory }: CheckBodies): boolean {
  return event !== undefined || eventCheck !== undefined || eventHistory !== undefined;
}

export function decodeCheckRecord(value: string): CheckRecord {
  return JSON.parse(value) as CheckRecord;
}

/**
 * Decodes a record. Shifts the times that the event rules use by all clock corrections since the record was written.
 */
export function datedCheckRecord(value: string, corrections: Corrections): CheckRecord {
  const record = decodeCheckRecord(value);
  const seconds = correctionSecondsSince(corrections, record.era ?? 0);
  return seconds === 0 ? record : movedRecord(record, seconds);
}

function movedRecord(record: CheckRecord, seconds: number): CheckRecord {
  const { check, event } = record;
  return {
    ...record,
    check: check === null ? null : { ...check, executed: check.executed + seconds },
    event: event === undefined ? undefined : movedEvent(event, seconds),
  };
}

function movedEvent(event: EventState, seconds: number): EventState {
  const { recovery, acknowledgement, escalations } = event;
  if (recovery === undefined && acknowledgement === undefined && escalations === undefined) return event;
  return {
    ...event,
    recovery: recovery && movedRecovery(recovery, seconds),
    acknowledgement: acknowledgement && movedAcknowledgement(acknowledgement, seconds),
    escalations: escalations?.map((escalation) => movedEscalation(escalation, seconds)),
  };
}

function movedEscalation(escalation: EscalationState, seconds: number): EscalationState {
  const { at, due } = escalation;
  return {
    ...escalation,
    ...(at !== undefined && { at: at + seconds }),
    ...(due !== undefined && { due: due + seconds }),
  };
}

function movedAcknowledgement(acknowledgement: Acknowledgement, seconds: number): Acknowledgement {
  const { at, until } = acknowledgement;
  return { ...acknowledgement, at: at + seconds, ...(until !== undefined && { until: until + seconds }) };
}

function movedRecovery(recovery: Recovery, seconds: number): Recovery {
  return { ...recovery, since: recovery.since + seconds, last: recovery.last + seconds };
}

/** A check record whose check is still JSON text. */
export interface UnreadCheckRecord {
  readonly state: CheckState & Pick<CheckBodies, 'eventHistory'>;
  /** The check as JSON text. */
  readonly check: string;
}

const HISTORY_JSON_START = '{"history":';
/**
 * Matches attributes in front of the check that can also contain the text `CHECK_JSON_START`. They are the event's
 * check, its inhibitor and its acknowledgement.
 */
const OTHER_CHECK = /"(?:eventCheck|inhibitedBy|acknowledgement)":/;
const CHECK_JSON_START = ',"check":';

/**
 * Splits a record into its state and the text of its check. The check is the largest part and is not parsed.
 *
 * @returns undefined if the caller must parse the whole record: the event has a check of its own or is inhibited, or
 *   the record has another form
 */
export function splitCheckRecord(value: string): UnreadCheckRecord | undefined {
  const at = value.indexOf(CHECK_JSON_START);
  if (at === -1 || !value.startsWith(HISTORY_JSON_START)) return undefined;
  // In front of the check, only the attributes in `OTHER_CHECK` contain external data. Without them, the check begins
  // at `at`.
  const own = value.slice(0, at);
  if (OTHER_CHECK.test(own)) return undefined;
  const state = JSON.parse(`${own}}`) as UnreadCheckRecord['state'];
  return { state, check: value.slice(at + CHECK_JSON_START.length, -1) };
}

/** The parts of a check record that are kept in memory. */
export interface CachedRecord {
  readonly state: CheckState;
  /** The last result; undefined if it was deleted while its event was open. */
  readonly result: CachedResult | undefined;
  /** The check that selectors match if an event is open: the last result or, if it was deleted, the event's check. */
  readonly selected: CachedResult | undefined;
  /** The check of an open event, if it differs from the last result. */
  readonly eventCheck?: CachedResult | null | undefined;
  /** Output of the event's check or, if there is none, of the last result; undefined if the record was not parsed. */
  readonly output: string | undefined;
  readonly deletionsBefore: number;
}

/** Decodes the parts of a stored record that are kept in memory. @param name name of the check */
export function toCachedRecord(value: string, name: string, corrections: Corrections): CachedRecord {
  const skimmed = skimmedRecord(value, name);
  const seconds = skimmed === undefined ? 0 : correctionSecondsSince(corrections, 0);
  if (skimmed !== undefined && seconds === 0) return skimmed;
  const record = datedCheckRecord(value, corrections);
  const { check, event, eventCheck, deletionsBefore = 0 } = record;
  const output = (eventCheck ?? check)?.output;
  const selected = event === undefined ? undefined : (check ?? eventCheck);
  return { state: checkStateOf(record), result: check ?? undefined, selected, eventCheck, output, deletionsBefore };
}

const RECORD_START_FORMAT =
  /^\{"history":\{"length":(?<length>\d+),"recent":(?<recent>\d+),"older":(?<older>\d+)\},"lastOk":(?<lastOk>\d+|null)(?:,"okCount":(?<okCount>\d+))?(?:,"okWatermark":(?<okWatermark>\d+))?,"check":\{/;
/**
 * Matches attributes that are kept in memory. If a nested attribute or text in a string matches too, the record is
 * parsed.
 */
const CACHED_ATTRIBUTE = /"(?:(?<name>status|executed)":(?<value>-?\d+)(?=[,}])|ttl"|aggregate)/g;

/**
 * Reads the parts that are kept in memory from a simple record, by regular expressions. This takes a third of the time
 * of parsing, which matters because all records are read at a start. A simple record has no open event, no `ttl` and no
 * aggregates.
 *
 * @returns undefined if the record is not simple and must be parsed
 */
function skimmedRecord(value: string, name: string): CachedRecord | undefined {
  const own = RECORD_START_FORMAT.exec(value);
  if (own?.groups === undefined) return undefined;
  const { length, recent, older, lastOk, okCount, okWatermark } = own.groups;
  let status: number | undefined;
  let executed: number | undefined;
  CACHED_ATTRIBUTE.lastIndex = own[0].length;
  for (let match = CACHED_ATTRIBUTE.exec(value); match !== null; match = CACHED_ATTRIBUTE.exec(value)) {
    const number = Number(match.groups?.['value']);
    if (match.groups?.['name'] === 'status' && status === undefined) status = number;
    else if (match.groups?.['name'] === 'executed' && executed === undefined) executed = number;
    else return undefined;
  }
  if (status === undefined || executed === undefined) return undefined;
  const history = { length: Number(length), recent: Number(recent), older: Number(older), wide: undefined };
  const state = {
    history,
    lastOk: lastOk === 'null' ? null : Number(lastOk),
    event: undefined,
    okCount: okCount === undefined ? undefined : Number(okCount),
    okWatermark: okWatermark === undefined ? undefined : Number(okWatermark),
  };
  return { state, result: { name, status, executed }, selected: undefined, output: undefined, deletionsBefore: 0 };
}

/**
 * Copies the state of the event rules out of a record. The result has the same object shape as the state that the rules
 * return, which makes access to it faster.
 */
export function checkStateOf({ history, lastOk, event, okCount, okWatermark }: CheckRecord): CheckState {
  return {
    history: packHistory(history),
    lastOk,
    event: event === undefined ? undefined : eventStateOf(event),
    okCount,
    okWatermark,
  };
}

function packHistory({ length, recent, older, wide }: History): History {
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
    notifications: internNotificationLog(event.notifications),
    recovery: event.recovery,
    acknowledgement: event.acknowledgement,
    escalations: event.escalations,
  };
}
