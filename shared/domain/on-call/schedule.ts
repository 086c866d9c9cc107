import { parseDay } from '../../schemas/calendar-day.ts';
import {
  parseEvery,
  parseHandover,
  parseHours,
  type HoursWindow,
  type ScheduleDefinition,
  type ScheduleLayer,
} from '../../schemas/on-call.ts';
import { timeZoneOf } from '../../schemas/time-zone.ts';

/*
 * A parsed schedule (on-call 3). Wall times are dates and times as clocks in the zone of the schedule show them, in
 * epoch milliseconds as if they were UTC.
 */

/** A layer of a schedule: people who take turns, and the hours in which the layer is active. */
export interface OnCallLayer {
  readonly people: readonly string[];
  /** Wall time at which the first shift begins. Before this time, the layer is not active. */
  readonly firstWallMs: number;
  /** Duration of a shift in wall time, in milliseconds. */
  readonly everyMs: number;
  /** The windows in which the layer is active; undefined: always. */
  readonly hours: readonly HoursWindow[] | undefined;
}

/** A schedule that is ready for calculations. */
export interface OnCallSchedule {
  readonly name: string;
  /** Time zone as `timeZoneOf` returns it. */
  readonly zone: string;
  readonly layers: readonly OnCallLayer[];
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** A Monday in the past: the day on which layers without `starting` begin. */
const DEFAULT_START_MS = Date.UTC(2024, 0, 1);

/** Converts a validated definition of a schedule to a form that is ready for calculations. */
export function parseOnCallSchedule(name: string, definition: ScheduleDefinition): OnCallSchedule {
  const zone = timeZoneOf(definition['time-zone']) ?? 'UTC';
  return { name, zone, layers: definition.layers.map(parseLayer) };
}

function parseLayer({ people, handover, every, starting, hours }: ScheduleLayer): OnCallLayer {
  const startMs = (starting === undefined ? undefined : parseDay(starting)) ?? DEFAULT_START_MS;
  const { weekday, timeMs } = parseHandover(handover ?? '') ?? { weekday: undefined, timeMs: 0 };
  const daysAhead = weekday === undefined ? 0 : (weekday - new Date(startMs).getUTCDay() + 7) % 7;
  return {
    people,
    firstWallMs: startMs + daysAhead * DAY_MS + timeMs,
    everyMs: parseEvery(every ?? '') ?? WEEK_MS,
    hours: hours === undefined ? undefined : parseHours(hours),
  };
}
