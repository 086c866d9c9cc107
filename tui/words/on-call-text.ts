import { WEEKDAY_NAMES } from '../../shared/schemas/cron.ts';
import { localTime } from '../../shared/domain/local-time.ts';
import type { ListedSchedule } from '../../shared/schemas/on-call.ts';
import { localZone, shownClock, shownDayAndClock } from './shown-time.ts';

/* Texts about schedules: who is on call, and until when. */

export const NO_SCHEDULE_TEXT = 'No schedules: nobody is on call.';

const WEEK_MS = 7 * 86_400_000;

/** Returns the end of a shift: `Mon 09:00Z` within a week, otherwise `12-28 09:00Z`; `-` if it has no end. */
export function shiftEndText(seconds: number | null | undefined, nowMs: number): string {
  if (seconds === null || seconds === undefined) return '-';
  const atMs = seconds * 1000;
  return atMs - nowMs < WEEK_MS ? `${weekdayText(atMs)} ${shownClock(atMs, 'minutes')}` : shownDayAndClock(atMs);
}

/** Returns the day of the week, such as `Mon`. */
export function weekdayText(atMs: number): string {
  const name = WEEKDAY_NAMES[localTime(atMs, localZone()).weekday]?.slice(0, 3) ?? '';
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/**
 * Returns the text of the header about who is on call. With a single schedule, it contains the end of the shift, such
 * as `on call: ada until Mon 09:00Z`. A schedule without a person on call comes first.
 */
export function onCallHeaderText(schedules: readonly ListedSchedule[], nowMs: number): string | undefined {
  const [first, ...others] = schedules;
  if (first === undefined) return undefined;
  const gap = schedules.find(({ on_call: onCall }) => onCall === null);
  if (gap !== undefined) return `on call: nobody for ${gap.name}`;
  const people = new Set(schedules.flatMap(({ on_call: onCall }) => onCall?.person ?? []));
  const { until } = first.on_call ?? {};
  const hasEnd = others.length === 0 && until !== null && until !== undefined;
  return `on call: ${[...people].join(', ')}${hasEnd ? ` until ${shiftEndText(until, nowMs)}` : ''}`;
}
