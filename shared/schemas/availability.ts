import { z } from 'zod';
import { type ResponseOf } from './response.ts';

/** The seconds that a check spent in each status during a time range, with fractions (spec, timeline 4). */
const statusSeconds = {
  ok: z.number(),
  warning: z.number(),
  critical: z.number(),
  unknown: z.number(),
  /** Seconds with a silenced problem, which `warning`, `critical` and `unknown` do not include. */
  silenced: z.number(),
  /** Seconds for which no status is recorded, for example because the history is no longer stored. */
  no_data: z.number(),
  /** Number of outages. An outage begins when the check stops being OK. */
  outages: z.number(),
  /** Percentage of the time that the check was OK, without `silenced` and `no_data`; null if no time remains. */
  percent: z.number().nullable(),
};

const sharesSchema = z.object(statusSeconds);
export type Availability = ResponseOf<typeof sharesSchema>;

/** A number of checks in each period, at its moment with the most problems; null if no status is known. */
const checkCounts = z.array(z.number().nullable());

/** The number of checks that were OK, and of those whose status is known, in each period of a time range. */
const okOverTime = z.object({
  /** Length of a period in seconds. The first period begins at the start of the time range. */
  period: z.number(),
  ok: checkCounts,
  total: checkCounts,
});
export type OkOverTime = ResponseOf<typeof okOverTime>;

/** The availability of checks in a time range: `GET /api/mon/v1/availability`. */
export const availabilityResponse = z.object({
  /** Start and end of the time range, in epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** Number of checks that match the query. */
  count: z.number(),
  /** The availability of all these checks together. */
  total: sharesSchema,
  /** The share of OK results over time, in at most 288 periods. */
  over_time: okOverTime.exactOptional(),
  /** The checks with the lowest `percent` first, up to the requested number. */
  checks: z.array(z.object({ client: z.string(), check: z.string(), ...statusSeconds })),
});
export type AvailabilityReport = ResponseOf<typeof availabilityResponse>;

/**
 * A period in which a check had one status; without `status`, no status is recorded. Times are in epoch milliseconds.
 */
const pastStretch = z.object({ since: z.number(), until: z.number(), status: z.number().exactOptional() });
export type StatusPeriod = ResponseOf<typeof pastStretch>;

/** The history of a check in a time range: `GET /api/mon/v1/timeline/:client/:check`. */
export const checkPastResponse = z.object({
  /** Start and end of the time range, in epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** Periods with one status each, without gaps, oldest first. If there are too many, the oldest are omitted. */
  stretches: z.array(pastStretch),
  /** Periods in which at least one silence was active for the check, oldest first. */
  silenced: z.array(z.object({ since: z.number(), until: z.number() })),
  availability: sharesSchema,
});
export type CheckHistory = ResponseOf<typeof checkPastResponse>;
