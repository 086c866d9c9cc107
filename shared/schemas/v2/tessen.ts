import { z } from 'zod';

/** Whether the peer may send usage statistics to its vendor. */
export const tessenSchema = z.looseObject({ opt_out: z.boolean().nullish() });

/** Usage statistics that a client submits for this. */
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
