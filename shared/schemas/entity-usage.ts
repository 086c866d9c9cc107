import { z } from 'zod';

/** Maximum number of entities; `unlimited` disables the limit. */
const entityLimitSchema = z.union([z.number(), z.literal('unlimited')]);
export type EntityLimitSetting = z.infer<typeof entityLimitSchema>;

/** Number of entities in all namespaces together, and its limit. */
export const entityUsageSchema = z.object({
  total: z.number(),
  /** Number of proxy entities in `total`. The other entities are agents. */
  proxies: z.number(),
  limit: entityLimitSchema,
});
export type EntityUsage = Readonly<z.infer<typeof entityUsageSchema>>;
