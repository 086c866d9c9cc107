import { z } from 'zod';
import { type AnswerOf } from './answer.ts';

/** How a span of the past was spent, in seconds; a fraction counts (spec, timeline 4). */
const shares = {
  ok: z.number(),
  warning: z.number(),
  critical: z.number(),
  unknown: z.number(),
  /** Not well, while a silence was in effect for it. */
  silenced: z.number(),
  /** Nothing was known of it, or nothing of that is kept any more. */
  no_data: z.number(),
  /** How often it stopped being well. */
  outages: z.number(),
  /** Of the time that counts, which is neither silenced nor without data; null: there was none. */
  percent: z.number().nullable(),
};

const sharesSchema = z.object(shares);
export type Availability = AnswerOf<typeof sharesSchema>;

/** `GET /api/mon/v1/availability`. */
export const availabilityAnswer = z.object({
  /** The span, epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** How many checks were looked at. */
  count: z.number(),
  /** Of all of them together. */
  total: sharesSchema,
  /** The worst first; as many as were asked for. */
  checks: z.array(z.object({ client: z.string(), check: z.string(), ...shares })),
});
export type AvailabilityReport = AnswerOf<typeof availabilityAnswer>;

/** For how long a check had a status, epoch milliseconds; without one nothing is known. */
const pastStretch = z.object({ since: z.number(), until: z.number(), status: z.number().exactOptional() });
export type PastStretch = AnswerOf<typeof pastStretch>;

/** `GET /api/mon/v1/timeline/:client/:check`: a check in a span of the past. */
export const checkPastAnswer = z.object({
  /** The span, epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** Its statuses without a gap, the oldest first; of a check that changes all the time the oldest are missing. */
  stretches: z.array(pastStretch),
  /** When silences were in effect for it, in order. */
  silenced: z.array(z.object({ since: z.number(), until: z.number() })),
  availability: sharesSchema,
});
export type CheckPast = AnswerOf<typeof checkPastAnswer>;
