import { z } from 'zod';

/** How far an event is on its way to be resolved, while its check is OK and says `resolve_after` (spec, recovery). */
export const recoverySchema = z.object({
  /** OK in a row. */
  results: z.int().min(1),
  /** Epoch seconds: when the first of them was executed. */
  since: z.number(),
  /** Epoch seconds: when the last of them was. */
  last: z.number(),
  /** What its check asks for: so many of them, or a duration such as `5m` from the first to the last. */
  after: z.union([z.int().min(1), z.string()]),
});
export type Recovery = Readonly<z.infer<typeof recoverySchema>>;
