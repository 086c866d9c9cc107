import type { ScheduleDetail, ScheduleView } from '../../schemas/on-call.ts';
import {
  CALCULATED_DAYS_MAX,
  gapsBetween,
  onCallAt,
  shiftsBetween,
  type OverrideSpan,
  type Shift,
} from './on-call-at.ts';
import type { OnCallSchedule } from './schedule.ts';

/* Schedules in the format of the API. Times are in epoch seconds. */

const DAY_MS = 86_400_000;

/** Returns a schedule with the person on call at a point in time, and the next shift. */
export function scheduleView(
  schedule: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  { atMs, isReachable }: { readonly atMs: number; readonly isReachable: (person: string) => boolean },
): ScheduleView {
  const onCall = onCallAt(schedule, overrides, atMs);
  const people = new Set([
    ...schedule.layers.flatMap((layer) => layer.people),
    ...overrides.filter(({ untilMs }) => untilMs > atMs).map(({ person }) => person),
  ]);
  return {
    name: schedule.name,
    time_zone: schedule.zone,
    on_call: onCall === undefined ? null : { ...onCallView(onCall), until: secondsOrNull(onCall.untilMs) },
    next: nextShift(schedule, overrides, atMs, onCall?.person),
    unreachable: [...people].filter((person) => !isReachable(person)).toSorted(),
  };
}

/** Returns the shifts and gaps of a schedule between two points in time, at most 92 days apart. */
export function scheduleSpans(
  schedule: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  fromMs: number,
  untilMs: number,
): Pick<ScheduleDetail, 'shifts' | 'gaps'> {
  return {
    shifts: shiftsBetween(schedule, overrides, fromMs, untilMs).map(shiftView),
    gaps: gapsBetween(schedule, overrides, fromMs, untilMs).map((gap) => ({
      from: gap.fromMs / 1000,
      until: gap.untilMs / 1000,
    })),
  };
}

function nextShift(
  schedule: OnCallSchedule,
  overrides: readonly OverrideSpan[],
  atMs: number,
  current: string | undefined,
): ScheduleView['next'] {
  const shifts = shiftsBetween(schedule, overrides, atMs, atMs + CALCULATED_DAYS_MAX * DAY_MS);
  const next = shifts.find(({ person, fromMs }) => person !== current && fromMs > atMs);
  return next === undefined ? null : shiftView(next);
}

function shiftView({ fromMs, untilMs, ...shift }: Shift): ScheduleDetail['shifts'][number] {
  return { ...onCallView(shift), from: fromMs / 1000, until: untilMs / 1000 };
}

function onCallView({ person, source }: Pick<Shift, 'person' | 'source'>): {
  readonly person: string;
  readonly layer?: number;
  readonly override?: string;
} {
  return source.override === undefined ? { person, layer: source.layer } : { person, override: source.override };
}

function secondsOrNull(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1000;
}
