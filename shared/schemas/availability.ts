import { z } from 'zod';
import { type AnswerOf } from './answer.ts';

/** The time in each status during a span, in seconds with fractions (spec, timeline 4). */
const shares = {
  ok: z.number(),
  warning: z.number(),
  critical: z.number(),
  unknown: z.number(),
  /** Time with a problem that was silenced. */
  silenced: z.number(),
  /** Time without known status, including data that is no longer retained. */
  no_data: z.number(),
  /** Number of outages, each of which begins when the check stops being OK. */
  outages: z.number(),
  /** Percentage of OK in the time that is neither silenced nor without data; null if there is no such time. */
  percent: z.number().nullable(),
};

const sharesSchema = z.object(shares);
export type Availability = AnswerOf<typeof sharesSchema>;

/** `GET /api/mon/v1/availability`. */
export const availabilityAnswer = z.object({
  /** The span, epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** The number of checks considered. */
  count: z.number(),
  /** The sum over all checks. */
  total: sharesSchema,
  /** The worst first, up to the requested number. */
  checks: z.array(z.object({ client: z.string(), check: z.string(), ...shares })),
});
export type AvailabilityReport = AnswerOf<typeof availabilityAnswer>;

/** A span with one status, epoch milliseconds; without `status` it is unknown. */
const pastStretch = z.object({ since: z.number(), until: z.number(), status: z.number().exactOptional() });
export type PastStretch = AnswerOf<typeof pastStretch>;

/** `GET /api/mon/v1/timeline/:client/:check`: the history of a check in a span. */
export const checkPastAnswer = z.object({
  /** The span, epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** Its statuses without gaps, oldest first; of a check that changes constantly the oldest are missing. */
  stretches: z.array(pastStretch),
  /** Spans in which silences were active for the check, in order. */
  silenced: z.array(z.object({ since: z.number(), until: z.number() })),
  availability: sharesSchema,
});
export type CheckPast = AnswerOf<typeof checkPastAnswer>;
