import { z } from 'zod';

/** The recovery of an event whose check is OK again and has `resolve_after` (spec, recovery). */
export const recoverySchema = z.object({
  results: z.int().min(1).describe('Number of OK results in a row so far.'),
  since: z.number().meta({ description: 'Earliest execution time of these results.', 'x-unit': 'epoch seconds' }),
  last: z.number().meta({ description: 'Execution time of the last of these results.', 'x-unit': 'epoch seconds' }),
  after: z
    .union([z.int().min(1), z.string()])
    .describe('The attribute `resolve_after` of the check: a number of OK results, or a duration such as `5m`.'),
});
export type Recovery = Readonly<z.infer<typeof recoverySchema>>;
