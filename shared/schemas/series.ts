import { z } from 'zod';
import { type ResponseOf } from './response.ts';

/** The values of a metric in one step of a series. */
const seriesValue = z.object({ avg: z.number(), min: z.number(), max: z.number() });
export type SeriesValues = ResponseOf<typeof seriesValue>;

/**
 * Whether a series is recorded. `yes`: it is; `no_data`: no result had a duration or performance data; `disabled`: the
 * setting `series.enabled` is false; `limit`: too many other checks have a series (`series.checks`).
 */
const recordedSchema = z.enum(['yes', 'no_data', 'disabled', 'limit']);
export type SeriesRecorded = z.infer<typeof recordedSchema>;

/** The duration and the metrics of a check over the last 24 hours: `GET /api/mon/v1/results/:client/:check/series`. */
export const seriesResponse = z.object({
  /** Start and end of the time range, in epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  recorded: recordedSchema,
  /** Length of the steps in seconds. The results of a step are one point. */
  step: z.number(),
  /** The metrics of the performance data, at most four. */
  metrics: z.array(
    z.object({
      label: z.string(),
      /** The unit as the check wrote it, such as `s`, `%` or `MB`; empty if there is none. */
      unit: z.string(),
      /**
       * The ranges of the thresholds in the notation of Nagios plugins, such as `80` or `10:20`; null if not reported.
       */
      warn: z.string().nullable(),
      crit: z.string().nullable(),
      /** The lowest and the highest possible value; null if not reported. */
      min: z.number().nullable(),
      max: z.number().nullable(),
    }),
  ),
  /** The points, oldest first, at most 288. A step without a result has no point. */
  points: z.array(
    z.object({
      /** Start of the step, in epoch milliseconds. */
      at: z.number(),
      /** Durations of the check in seconds; null if none was reported. */
      duration: seriesValue.nullable(),
      /** The values in the order of `metrics`; null if a metric was not reported. */
      values: z.array(seriesValue.nullable()),
    }),
  ),
});
export type SeriesResponse = ResponseOf<typeof seriesResponse>;
