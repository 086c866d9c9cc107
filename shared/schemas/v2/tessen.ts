import { z } from 'zod';

/** The setting by which Sensu Go may send usage statistics to its vendor. */
export const tessenSchema = z.looseObject({ opt_out: z.boolean().nullish() });

/** Usage statistics that Sensu Go clients submit for its vendor. */
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
