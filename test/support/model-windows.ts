/** The recurrence of a silence in the form of a request (silencing 3). */
export interface ModelRecurrence {
  readonly schedule: string;
  readonly zone?: string;
  readonly duration: number;
  readonly last_day?: string;
}

interface Reading {
  /** Days of the week, 0 for Sunday; `undefined` for every day. */
  readonly days?: readonly number[];
  /** Start times in minutes since midnight, in ascending order. */
  readonly at: readonly number[];
}

const everyHalfHour = Array.from({ length: 48 }, (_, at) => at * 30);

/** The start times of the schedules that the stories use; the model does not parse schedules. */
const READINGS: Readonly<Record<string, Reading>> = {
  'daily 00:20': { at: [20] },
  'daily 00:40,03:00': { at: [40, 180] },
  '*/30 * * * *': { at: everyHalfHour },
  'thu 01:10': { days: [4], at: [70] },
  'weekdays 20:05': { days: [1, 2, 3, 4, 5], at: [1205] },
};

/** Offsets from UTC in minutes, as they are in the winter in which the stories take place. */
const OFFSETS: Readonly<Record<string, number>> = { UTC: 0, 'Europe/Berlin': 60, 'America/New_York': -300 };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Number of days that are searched for a window, starting two days ago: enough for a weekly schedule. */
const DAYS = 12;

/** Returns the current window of a recurrence, or the next one if none is active; `undefined` if there are no more. */
export function windowAt(
  { schedule, zone = 'UTC', duration, last_day: last }: ModelRecurrence,
  nowMs: number,
): { readonly beginMs: number; readonly endMs: number } | undefined {
  const reading = READINGS[schedule];
  const offset = OFFSETS[zone];
  if (reading === undefined || offset === undefined) throw new Error(`nothing is known of ${schedule} in ${zone}`);
  const today = Math.floor(nowMs / DAY_MS) - 2;
  for (let day = today; day < today + DAYS; day++) {
    const date = new Date(day * DAY_MS);
    if (reading.days?.includes(date.getUTCDay()) === false) continue;
    if (last !== undefined && date.toISOString().slice(0, 10) > last) continue;
    for (const minutes of reading.at) {
      const beginMs = day * DAY_MS + (minutes - offset) * MINUTE_MS;
      const endMs = beginMs + duration * 1000;
      if (endMs > nowMs) return { beginMs, endMs };
    }
  }
  return undefined;
}
