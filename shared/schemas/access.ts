import { z } from 'zod';
import { textsSchema } from './response.ts';
import { SCOPES } from './scope.ts';

/**
 * The caller's identity and rights: `GET /api/mon/v1/access`. The schema has only the attributes that callers rely on,
 * see `response.ts`.
 */
export const accessResponse = z.looseObject({
  name: z.string(),
  via: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  namespace: z.string().nullable(),
  key: z.string().nullable(),
  expires_at: z.number().nullable(),
  routes: z.array(
    z.looseObject({
      method: z.string(),
      url: z.string(),
      access: z.union([z.string(), textsSchema]),
      anonymous: z.boolean(),
    }),
  ),
});
