import { z } from 'zod';

/** The recovery of an event whose check is OK again and has `resolve_after` (spec, recovery). */
export const recoverySchema = z.object({
  /** Number of OK results in a row so far. */
  results: z.int().min(1),
  /** Earliest execution time of these results, in epoch seconds. */
  since: z.number(),
  /** Execution time of the last of these results, in epoch seconds. */
  last: z.number(),
  /**
   * The attribute `resolve_after` of the check: a number of OK results, or a duration such as `5m` between the first
   * and the last of them.
   */
  after: z.union([z.int().min(1), z.string()]),
});
export type Recovery = Readonly<z.infer<typeof recoverySchema>>;
