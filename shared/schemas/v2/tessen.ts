import { z } from 'zod';

/** Whether the peer may send figures about itself to its maker. */
export const tessenSchema = z.looseObject({ opt_out: z.boolean().nullish() });

/** Figures that a client hands over for that. */
export const tessenMetricsSchema = z
  .array(
    z.looseObject({
      name: z.string(),
      value: z.number().nullish(),
      timestamp: z.number().nullish(),
      tags: z.unknown().optional(),
    }),
  )
  .max(1000);
