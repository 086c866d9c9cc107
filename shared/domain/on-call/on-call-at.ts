import type { HoursWindow } from '../../schemas/on-call.ts';
import type { OnCallLayer, OnCallSchedule } from './schedule.ts';
import { WallTimes } from './wall-times.ts';

/*
 * The rule who is on call (on-call 3). The last layer that is active wins, and an override wins over all layers. A wall
 * time that the clocks show twice means the first time; one that they skip means the time of the change.
 */

/** The part of an override that decides who is on call. Times are in epoch milliseconds; the end is exclusive. */
export interface OverrideSpan {
  readonly id: string;
  readonly person: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The reason why a person is on call: a layer, counted from 1, or an override. */
export type ShiftSource =
  { readonly layer: number; readonly override?: never } | { readonly override: string; readonly layer?: never };

/** A person on call from `fromMs` until just before `untilMs`, in epoch milliseconds. */
export interface Shift {
  readonly person: string;
  readonly source: ShiftSource;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A span of time in which nobody is on call, in epoch milliseconds. */
export interface Gap {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The person on call at a point in time. */
export interface OnCall {
  readonly person: string;
  readonly source: ShiftSource;
  /** Time at which another person or nobody is on call; undefined: the person is on call for at least 92 days. */
  readonly untilMs: number | undefined;
}

const DAY_MS = 86_400_000;

/** Maximum number of days of a calculation. */
export const CALCULATED_DAYS_MAX = 92;
const RANGE_MAX_MS = CALCULATED_DAYS_MAX * DAY_MS;

/**
 * Returns who is on call at a point in time; undefined if nobody is.
 *
 * @param overrides the overrides of the schedule in the order of their creation; of two that overlap, the later wins
 */
export function onCallAt(
  schedule: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  atMs: number,
): OnCall | undefined {
  return currentAssignment(schedule, overrides, atMs).onCall;
}

/** Returns who is on call at a point in time, and the time until which this answer is valid, at most 92 days later. */
export function currentAssignment(
  schedule: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  atMs: number,
): { readonly onCall: OnCall | undefined; readonly validUntilMs: number } {
  const endMs = atMs + RANGE_MAX_MS;
  for (const { assignment, untilMs } of assignmentsBetween(schedule, overrides, atMs, endMs, isSamePerson)) {
    const onCall = assignment && { ...assignment, untilMs: untilMs === endMs ? undefined : untilMs };
    return { onCall, validUntilMs: untilMs };
  }
  return { onCall: undefined, validUntilMs: endMs };
}

/** Returns the shifts between two points in time, at most 92 days apart. Shifts are cut at both ends. */
export function shiftsBetween(
  schedule: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  fromMs: number,
  untilMs: number,
): readonly Shift[] {
  const periods = [...assignmentsBetween(schedule, overrides, fromMs, untilMs, isSameAssignment)];
  return periods.flatMap(({ assignment, ...span }) => (assignment === undefined ? [] : [{ ...assignment, ...span }]));
}

/** Returns when nobody is on call between two points in time, at most 92 days apart. */
export function gapsBetween(
  schedule: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  fromMs: number,
  untilMs: number,
): readonly Gap[] {
  const periods = [...assignmentsBetween(schedule, overrides, fromMs, untilMs, isSamePerson)];
  return periods.flatMap(({ assignment, ...span }) => (assignment === undefined ? [span] : []));
}

/** The person on call and the reason; undefined if nobody is on call. */
type Assignment = { readonly person: string; readonly source: ShiftSource } | undefined;

interface AssignmentPeriod {
  readonly assignment: Assignment;
  readonly fromMs: number;
  readonly untilMs: number;
}

function isSamePerson(one: Assignment, other: Assignment): boolean {
  return one?.person === other?.person;
}

function isSameAssignment(one: Assignment, other: Assignment): boolean {
  return (
    isSamePerson(one, other) &&
    one?.source.layer === other?.source.layer &&
    one?.source.override === other?.source.override
  );
}

/** Yields who is on call between two points in time, in order. Neighbors that are the same become one. */
function* assignmentsBetween(
  schedule: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  fromMs: number,
  untilMs: number,
  isSame: (one: Assignment, other: Assignment) => boolean,
): Generator<AssignmentPeriod, void, undefined> {
  const endMs = Math.min(untilMs, fromMs + RANGE_MAX_MS);
  const times = new WallTimes(schedule.zone);
  const relevant = overrides.filter((override) => override.untilMs > fromMs && override.fromMs < endMs);
  let period: AssignmentPeriod | undefined;
  for (let atMs = fromMs; atMs < endMs;) {
    const { assignment, nextMs } = assignmentAt(schedule, relevant, times, atMs);
    const next = { assignment, fromMs: atMs, untilMs: Math.min(nextMs, endMs) };
    if (period === undefined) period = next;
    else if (isSame(period.assignment, assignment)) period = { ...period, untilMs: next.untilMs };
    else {
      yield period;
      period = next;
    }
    atMs = next.untilMs;
  }
  if (period !== undefined) yield period;
}

/** Returns who is on call at a point in time, and a later time until which that is certain. */
function assignmentAt(
  { layers }: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  times: WallTimes,
  atMs: number,
): { readonly assignment: Assignment; readonly nextMs: number } {
  let nextMs = Infinity;
  for (const { id, person, fromMs, untilMs } of overrides.toReversed()) {
    if (untilMs <= atMs) continue;
    if (fromMs <= atMs) return { assignment: { person, source: { override: id } }, nextMs: Math.min(nextMs, untilMs) };
    nextMs = Math.min(nextMs, fromMs);
  }
  for (const [at, layer] of [...layers.entries()].toReversed()) {
    const { person, nextMs: layerNextMs } = layerAt(layer, times, atMs);
    nextMs = Math.min(nextMs, layerNextMs);
    if (person !== undefined) return { assignment: { person, source: { layer: at + 1 } }, nextMs };
  }
  return { assignment: undefined, nextMs };
}

/** Returns the person whom a layer puts on call at a point in time, and a later time until which that is certain. */
function layerAt(
  { people, firstWallMs, everyMs, hours }: OnCallLayer,
  times: WallTimes,
  atMs: number,
): { readonly person: string | undefined; readonly nextMs: number } {
  const firstMs = times.momentOf(firstWallMs);
  if (atMs < firstMs) return { person: undefined, nextMs: firstMs };
  const window = hours === undefined ? ALWAYS_ACTIVE : windowAt(hours, times, atMs);
  if (!window.isActive) return { person: undefined, nextMs: window.nextMs };
  const [onlyPerson] = people;
  if (people.length === 1) return { person: onlyPerson, nextMs: window.nextMs };
  const shiftStartMs = (shift: number): number => times.momentOf(firstWallMs + shift * everyMs);
  let shift = Math.max(0, Math.floor((times.wallOf(atMs) - firstWallMs) / everyMs));
  // While clocks are set back, the wall time is earlier than the wall time of shifts that have begun already.
  while (shiftStartMs(shift) > atMs) shift--;
  while (shiftStartMs(shift + 1) <= atMs) shift++;
  return { person: people[shift % people.length], nextMs: Math.min(window.nextMs, shiftStartMs(shift + 1)) };
}

const ALWAYS_ACTIVE = { isActive: true, nextMs: Infinity };

/** Returns whether a point in time is in one of the windows, and the next begin or end of a window. */
function windowAt(
  hours: readonly HoursWindow[],
  times: WallTimes,
  atMs: number,
): { readonly isActive: boolean; readonly nextMs: number } {
  const today = Math.floor(times.wallOf(atMs) / DAY_MS) * DAY_MS;
  let isActive = false;
  let nextMs = Infinity;
  // A window of yesterday can last until today. The next window begins within a week.
  for (let day = today - 2 * DAY_MS; day <= today + 8 * DAY_MS; day += DAY_MS) {
    if (nextMs <= times.momentOf(day)) break;
    const weekday = new Date(day).getUTCDay();
    for (const { weekdays, beginMs, endMs } of hours) {
      if (!weekdays.has(weekday)) continue;
      const [begin, end] = [times.momentOf(day + beginMs), times.momentOf(day + endMs)];
      if (begin <= atMs && atMs < end) isActive = true;
      for (const ms of [begin, end]) if (ms > atMs && ms < nextMs) nextMs = ms;
    }
  }
  return { isActive, nextMs };
}
