import { secondsSince, type Corrections } from '../../../clock/corrections.ts';
import type { Recovery } from '../../../../shared/schemas/recovery.ts';
import type { CheckResult, CachedResult } from '../../../../shared/schemas/result.ts';
import type { CheckState, EventState } from '../../../../shared/domain/event.ts';
import { internLog } from '../../../../shared/domain/notify/log.ts';
import type { History } from '../../../../shared/domain/history.ts';

/** The parts of a client and check that are not in memory. */
export interface CheckBodies {
  /** The last result; null after it was deleted while its event stays. */
  readonly check: CheckResult | null;
  /** The event's check, if it differs from that of the result: a truncated output, or an event that outlives an OK. */
  readonly eventCheck?: CheckResult | undefined;
  /** The history when the event was built, if it has grown since: an event that outlives an OK. */
  readonly eventHistory?: History | undefined;
}

/**
 * The stored form of a client and check: the last result, the state of the rules, and the open event if there is one.
 */
export type CheckRecord = CheckBodies & CheckState & AggregateState & Dated;

/** The clock era of a record. */
export interface Dated {
  /** Number of clock corrections when it was written; undefined: none. */
  readonly era?: number | undefined;
}

/** The aggregate state of a result. */
export interface AggregateState {
  /** Number of aggregates of the namespace that had been deleted when it arrived; undefined: none, or it names none. */
  readonly deletionsBefore?: number | undefined;
}

/**
 * Encodes a record, for every result. The check is the last part, after everything that the backend itself writes, so
 * that `splitCheckRecord` can split it off unparsed.
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
  // The usual record, byte for byte as above.
  return `${ownPart(state, deletionsBefore, era)},"check":${JSON.stringify(bodies.check)}}`;
}

/** The attributes in which a repeated result differs from the one before. */
export interface RenewedResult {
  /** Stamp of the record that it renews. */
  readonly stamp: string;
  /** Epoch seconds. */
  readonly executed: number;
  /** Epoch seconds. */
  readonly issued: number;
  /** Seconds; undefined: none was reported. */
  readonly duration: number | undefined;
  /** Undefined: unchanged. */
  readonly output: string | undefined;
}

/**
 * Encodes the usual record in four parts: the state of the rules, the static part of the check, its output, its times.
 * `encodeRenewed` encodes them again without the second. The order of a check's attributes has no meaning.
 *
 * @param check of a result without an event
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

/** Encodes the parts of a record that a repeated result changes. */
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

/** Returns the bodies of a check after a repeated result. */
export function renewedBodies(bodies: CheckBodies, { output, executed, issued, duration }: RenewedResult): CheckBodies {
  const { check } = bodies;
  if (check === null) return bodies;
  return { ...bodies, check: { ...check, executed, issued, duration, output: output ?? check.output } };
}

/**
 * Encodes the backend's own part. It is concatenated, because that is faster than JSON of an object with a few numbers.
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

/** Returns a record with the age of its result by the present clock, which the rules use. */
export function datedCheckRecord(value: string, corrections: Corrections): CheckRecord {
  const record = decodeCheckRecord(value);
  const seconds = secondsSince(corrections, record.era ?? 0);
  return seconds === 0 ? record : movedRecord(record, seconds);
}

function movedRecord(record: CheckRecord, seconds: number): CheckRecord {
  const { check, event } = record;
  return {
    ...record,
    check: check === null ? null : { ...check, executed: check.executed + seconds },
    event: event?.recovery === undefined ? event : { ...event, recovery: movedRecovery(event.recovery, seconds) },
  };
}

function movedRecovery(recovery: Recovery, seconds: number): Recovery {
  return { ...recovery, since: recovery.since + seconds, last: recovery.last + seconds };
}

/** A record whose check is still unparsed text. */
export interface UnreadCheckRecord {
  readonly state: CheckState & Pick<CheckBodies, 'eventHistory'>;
  /** JSON of an object. */
  readonly check: string;
}

const FIRST_PART = '{"history":';
/** Matches names of the backend's own part that contain another check: the check of the event, and the inhibitor. */
const OTHER_CHECK = /"(?:eventCheck|inhibitedBy)":/;
const CHECK = ',"check":';

/**
 * Splits a record without parsing the check, which is its largest part.
 *
 * @returns undefined if the event has a check of its own, or is inhibited: then the whole record must be parsed
 */
export function splitCheckRecord(value: string): UnreadCheckRecord | undefined {
  const at = value.indexOf(CHECK);
  if (at === -1 || !value.startsWith(FIRST_PART)) return undefined;
  // Before the check only those attributes contain external data, so the check begins here.
  const own = value.slice(0, at);
  if (OTHER_CHECK.test(own)) return undefined;
  const state = JSON.parse(`${own}}`) as UnreadCheckRecord['state'];
  return { state, check: value.slice(at + CHECK.length, -1) };
}

/** The parts of a record that are kept in memory. */
export interface CachedRecord {
  readonly state: CheckState;
  /** Undefined: it was deleted while its event stays. */
  readonly result: CachedResult | undefined;
  /** The check by which selectors find an open event: of its last result, or of the event if that was deleted. */
  readonly selected: CachedResult | undefined;
  /** The check of an open event, if it differs from the last result. */
  readonly eventCheck?: CachedResult | null | undefined;
  /** Output of the event. */
  readonly output: string | undefined;
  readonly deletionsBefore: number;
}

/** @param name of the check */
export function toCachedRecord(value: string, name: string, corrections: Corrections): CachedRecord {
  const skimmed = skimmedRecord(value, name);
  const seconds = skimmed === undefined ? 0 : secondsSince(corrections, 0);
  if (skimmed !== undefined && seconds === 0) return skimmed;
  const record = datedCheckRecord(value, corrections);
  const { check, event, eventCheck, deletionsBefore = 0 } = record;
  const output = (eventCheck ?? check)?.output;
  const selected = event === undefined ? undefined : (check ?? eventCheck);
  return { state: checkStateOf(record), result: check ?? undefined, selected, eventCheck, output, deletionsBefore };
}

const SKIMMED =
  /^\{"history":\{"length":(?<length>\d+),"recent":(?<recent>\d+),"older":(?<older>\d+)\},"lastOk":(?<lastOk>\d+|null)(?:,"okCount":(?<okCount>\d+))?(?:,"okWatermark":(?<okWatermark>\d+))?,"check":\{/;
/** Also matches nested attributes, and strings that look like one: then the record is parsed. */
const CACHED_ATTRIBUTE = /"(?:(?<name>status|executed)":(?<value>-?\d+)(?=[,}])|ttl"|aggregate)/g;

/**
 * Reads the parts for memory from the usual record without parsing it, which takes a third of the time: a start reads
 * all records. The usual record has no open event and nothing else for memory.
 *
 * @returns undefined if the record must be parsed
 */
function skimmedRecord(value: string, name: string): CachedRecord | undefined {
  const own = SKIMMED.exec(value);
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

/** Returns the packed state of a record, with the same object shape that the rules produce. */
export function checkStateOf({ history, lastOk, event, okCount, okWatermark }: CheckRecord): CheckState {
  return {
    history: packed(history),
    lastOk,
    event: event === undefined ? undefined : eventStateOf(event),
    okCount,
    okWatermark,
  };
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
    notifications: internLog(event.notifications),
    recovery: event.recovery,
  };
}
