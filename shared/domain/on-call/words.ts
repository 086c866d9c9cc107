import { WEEKDAY_NAMES } from '../../schemas/cron.ts';
import { localTime } from '../local-time.ts';
import type { OnCall } from './on-call-at.ts';
import type { OnCallSchedule } from './schedule.ts';

/** Returns the text for users that says who is on call for a schedule, and until when. */
export function onCallReason({ name, zone }: OnCallSchedule, onCall: OnCall | undefined): string {
  if (onCall === undefined) return `nobody is on call for ${name}: add an override, or a layer without a gap`;
  const { person, untilMs } = onCall;
  const end = untilMs === undefined ? '' : ` until ${localTimeText(untilMs, zone)}`;
  return `${person} is on call for ${name}${end}`;
}

/** Formats a time in the zone of a schedule: `Mon 2026-11-30 09:00 Europe/Berlin`. */
export function localTimeText(atMs: number, zone: string): string {
  const { year, month, day, hour, minute, weekday } = localTime(atMs, zone);
  const [name = ''] = [WEEKDAY_NAMES[weekday]?.slice(0, 3)];
  const date = [String(year).padStart(4, '0'), twoDigits(month), twoDigits(day)].join('-');
  const time = `${twoDigits(hour)}:${twoDigits(minute)}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${date} ${time} ${zone}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
