import { findLocalTimes, utcOffsetMs } from '../local-time.ts';

const DAY_MS = 86_400_000;

/** Maximum number of cached days. It covers the days of one request for shifts. */
const DAYS_MAX = 400;

/**
 * Converts between points in time and wall times of one zone. It caches the UTC offset of each day, because many wall
 * times of the same days are converted for the shifts of a schedule.
 */
export class WallTimes {
  readonly #zone: string;
  /** The UTC offset of each day, by midnight in wall time; null for a day around which the offset changes. */
  readonly #offsets = new Map<number, number | null>();

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Returns the wall time at a point in time. */
  wallOf(atMs: number): number {
    return atMs + (this.#offsetOfDay(atMs) ?? utcOffsetMs(atMs, this.#zone));
  }

  /** Returns the first point in time with a wall time. If the clocks skip it, returns the time of the change. */
  momentOf(wallMs: number): number {
    const offset = this.#offsetOfDay(wallMs);
    return offset === null ? findLocalTimes(wallMs, this.#zone).firstMs : wallMs - offset;
  }

  #offsetOfDay(ms: number): number | null {
    const day = Math.floor(ms / DAY_MS) * DAY_MS;
    const cached = this.#offsets.get(day);
    if (cached !== undefined) return cached;
    // UTC offsets are at most 14 hours, so the whole local day is between these two points in time.
    const [before, after] = [utcOffsetMs(day - DAY_MS, this.#zone), utcOffsetMs(day + 2 * DAY_MS, this.#zone)];
    const offset = before === after ? before : null;
    if (this.#offsets.size >= DAYS_MAX) this.#offsets.clear();
    this.#offsets.set(day, offset);
    return offset;
  }
}
