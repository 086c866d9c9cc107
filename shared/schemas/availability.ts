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
