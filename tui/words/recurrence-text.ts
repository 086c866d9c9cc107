import { formatDuration } from '../../shared/domain/duration.ts';
import { localTime } from '../../shared/domain/local-time.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { Recurrence, ShownWindow } from '../../shared/schemas/recurrence.ts';
import { timeZoneOf } from '../../shared/schemas/time-zone.ts';
import { timeOfDayText } from '../../shared/domain/time-text.ts';
import type { SilencedTargetAttributes } from '../../shared/schemas/silenced.ts';
import { shownClock } from './shown-time.ts';
import { targetText } from '../../shared/domain/silence-name.ts';

/*
 * Texts about recurring silences. Windows are shown in the time zone of their schedule, followed by their start on the
 * user's clock in parentheses. The texts are not safe for a terminal, unless a function says so.
 */

/**
 * The message if the backend is too old for recurring silences. Such a backend would create a silence that never
 * expires.
 */
export const RECURRENCE_UNSUPPORTED = 'this backend does not support recurring silences: upgrade it';

const WEEKDAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Returns the text of a recurrence, such as `sat,sun 02:00 Europe/Berlin, 2h each, 2026-12-01 to 2026-12-31`. */
export function recurrenceText(recurrence: Recurrence): string {
  const { first_day: first, last_day: last } = recurrence;
  const days =
    first !== undefined && last !== undefined
      ? `, ${first} to ${last}`
      : first !== undefined
        ? `, from ${first}`
        : last !== undefined
          ? `, to ${last}`
          : '';
  return `${scheduleText(recurrence)}, ${formatDuration(recurrence.duration)} each${days}`;
}

/** Returns the text of a schedule, such as `sat,sun 02:00 Europe/Berlin`. */
export function scheduleText({ schedule, zone }: Pick<Recurrence, 'schedule' | 'zone'>): string {
  return `${schedule} ${zone}`;
}

/**
 * Returns the message that a new silence must not replace a recurring one, because the backend rejects that. It says
 * what to do instead, and is safe for a terminal.
 */
export function recurringConflictText(entry: SilencedTargetAttributes & { readonly recurrence?: Recurrence }): string {
  const when = entry.recurrence === undefined ? '' : ` (${scheduleText(entry.recurrence)})`;
  return safeLine(`${targetText(entry)} recurs${when}: end it first, or silence by search`);
}

/** Returns the text of one window of a recurring silence, such as `Sat 2026-11-28 02:00 to 04:00 (01:00Z)`. */
export function windowText({ begin, end }: Pick<ShownWindow, 'begin' | 'end'>, zone: string): string {
  const validZone = timeZoneOf(zone) ?? 'UTC';
  const [from, to] = [wallTime(begin, validZone), wallTime(end, validZone)];
  const until = to.day === from.day ? to.time : `${to.day} ${to.time}`;
  const [atUser, atSchedule] = [shownClock(begin * 1000, 'minutes'), timeOfDayText(begin * 1000, validZone, 'minutes')];
  const start = atUser === atSchedule ? atUser.slice(from.time.length) : ` (${atUser})`;
  return `${from.day} ${from.time} to ${until}${start}`;
}

/**
 * Returns the text of one window of a recurring silence. If a daylight saving change affects the window, the text says
 * how.
 */
export function fullWindowText(window: ShownWindow, zone: string): string {
  const change = clockChangeText(window);
  return `${windowText(window, zone)}${change === '' ? '' : `: ${change}`}`;
}

/**
 * Returns a text about the effect of a daylight saving change on one window of a recurring silence; empty if there is
 * no effect.
 */
export function clockChangeText({ clock_change: change, begin, end }: ShownWindow): string {
  switch (change) {
    case 'start_skipped':
      return 'the start falls into the hour skipped by DST: it begins when clocks go forward';
    case 'start_twice':
      return 'the start occurs twice because of DST: it begins the first time';
    case 'during':
      return `DST changes during the window: it still lasts ${formatDuration(end - begin)}`;
    default:
      return '';
  }
}

function wallTime(seconds: number, zone: string): { readonly day: string; readonly time: string } {
  const { year, month, day, hour, minute, weekday } = localTime(seconds * 1000, zone);
  const [text, ...remaining] = [month, day, hour, minute].map((part) => String(part).padStart(2, '0'));
  const [ofMonth = '', hours = '', minutes = ''] = remaining;
  return {
    day: `${WEEKDAY_NAMES[weekday] ?? ''} ${String(year)}-${text ?? ''}-${ofMonth}`,
    time: `${hours}:${minutes}`,
  };
}
