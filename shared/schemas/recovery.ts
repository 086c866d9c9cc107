import { z } from 'zod';

/** The recovery of an event: its check is OK again and has `resolve_after` (spec, recovery). */
export const recoverySchema = z.object({
  /** Number of OK results in a row. */
  results: z.int().min(1),
  /** Epoch seconds of the execution of the first. */
  since: z.number(),
  /** Epoch seconds of the execution of the last. */
  last: z.number(),
  /** The condition of the check: a number of OK results, or a duration such as `5m` between the first and the last. */
  after: z.union([z.int().min(1), z.string()]),
});
export type Recovery = Readonly<z.infer<typeof recoverySchema>>;
