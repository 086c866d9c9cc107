import type { SeriesResponse, SeriesValues } from '../../shared/schemas/series.ts';
import { FEED_HELLO } from './feed-server.ts';

const UNTIL = FEED_HELLO.time;
const STEP_MS = 300_000;
/** The path of the series of the first event of the common scene. */
export const SERIES_PATH = '/api/mon/v1/results/db-014.eu-west-1/postgres-repl/series';

export const valueOf = (avg: number): SeriesValues => ({ avg, min: avg * 0.9, max: avg * 1.2 });

/** A day in which the lag of a replica grew until it became critical, with an hour without results. */
export const SERIES: SeriesResponse = {
  since: UNTIL - 288 * STEP_MS,
  until: UNTIL,
  recorded: 'yes',
  step: 300,
  metrics: [{ label: 'lag', unit: 's', warn: '30', crit: '60', min: 0, max: null }],
  points: Array.from({ length: 288 }, (_, step) => ({
    at: UNTIL - (288 - step) * STEP_MS,
    duration: valueOf(0.05 + 0.02 * Math.sin(step / 20)),
    values: [valueOf(5 + 4 * Math.sin(step / 30) + Math.max(0, step - 240) ** 1.3)],
  })).filter((_, step) => step < 100 || step >= 112),
};
