import { parseWrittenTime, type SubdueWindow } from '../schemas/subdues.ts';

const DAY_MS = 86_400_000;

/** Added to the length of a window, because it includes the whole second of its end. */
const SECOND_MS = 1000;

const SUNDAY_INDEX = 0;
const SATURDAY_INDEX = 6;
const DAY_NAMES = ['sundays', 'mondays', 'tuesdays', 'wednesdays', 'thursdays', 'fridays', 'saturdays'];

type RepeatWord = NonNullable<SubdueWindow['repeat']>[number];

/**
 * Whether a time is in one of the `subdues` windows of a check, in which it does not run. Each window has the fixed UTC
 * offset that is written with its begin. A repeating window starts no earlier than its first begin. It always has the
 * same length, even if it crosses midnight. A monthly window on day 31 is skipped in shorter months.
 */
export function isInSubdues(windows: readonly SubdueWindow[], nowMs: number): boolean {
  return windows.some((window) => isInSubdue(window, nowMs));
}

function isInSubdue({ begin, end, repeat }: SubdueWindow, nowMs: number): boolean {
  const first = parseWrittenTime(begin);
  const last = parseWrittenTime(end);
  if (first === undefined || last === undefined || nowMs < first.atMs) return false;
  const lengthMs = last.atMs - first.atMs + SECOND_MS;
  const repeats = repeat ?? [];
  if (repeats.length === 0) return nowMs < first.atMs + lengthMs;
  // Local time at the UTC offset of the window. Days have 24 hours, because the offset never changes.
  const wallMs = nowMs + first.offsetMs;
  const firstWallMs = first.atMs + first.offsetMs;
  const clockMs = firstWallMs - dayOf(firstWallMs);
  for (let day = dayOf(wallMs); day + clockMs > wallMs - lengthMs; day -= DAY_MS) {
    const beginMs = day + clockMs;
    if (beginMs < firstWallMs) return false;
    if (beginMs <= wallMs && repeats.some((one) => repeatsOnDay(one, day, firstWallMs))) return true;
  }
  return false;
}

/** Returns the begin of the local day, in milliseconds of local time. */
function dayOf(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}

function repeatsOnDay(repeat: RepeatWord, day: number, firstWallMs: number): boolean {
  const date = new Date(day);
  const first = new Date(firstWallMs);
  const weekday = date.getUTCDay();
  const isWeekend = weekday === SUNDAY_INDEX || weekday === SATURDAY_INDEX;
  switch (repeat) {
    case 'daily':
      return true;
    case 'weekly':
      return weekday === first.getUTCDay();
    case 'monthly':
      return date.getUTCDate() === first.getUTCDate();
    case 'annually':
      return date.getUTCDate() === first.getUTCDate() && date.getUTCMonth() === first.getUTCMonth();
    case 'weekdays':
      return !isWeekend;
    case 'weekends':
      return isWeekend;
    default:
      return weekday === DAY_NAMES.indexOf(repeat);
  }
}
