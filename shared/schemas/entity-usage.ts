import { z } from 'zod';

/** Most entities that there may be; `unlimited` lifts it. */
const entityLimitSchema = z.union([z.number(), z.literal('unlimited')]);
export type EntityLimitSetting = z.infer<typeof entityLimitSchema>;

/** How many entities there are in all namespaces, beside how many there may be. */
export const entityUsageSchema = z.object({
  total: z.number(),
  /** Of the total, those that something else reports for; the others are agents. */
  proxies: z.number(),
  limit: entityLimitSchema,
});
export type EntityUsage = Readonly<z.infer<typeof entityUsageSchema>>;
