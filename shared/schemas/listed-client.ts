import { z } from 'zod';
import type { ClientRow } from './feed.ts';
import { texts } from './answer.ts';

/** An item of `GET /api/mon/v1/clients`. */
export type ListedClient = ClientRow & {
  /** Its open events. */
  readonly events: number;
  /** When its newest result was executed, epoch seconds; 0: it has none. */
  readonly last_result: number;
};

/** As callers rely on it, see `answer.ts`. */
export const listedClientAnswer: z.ZodType<ListedClient> = z.looseObject({
  namespace: z.string().exactOptional(),
  name: z.string(),
  address: z.string(),
  subscriptions: texts,
  timestamp: z.number(),
  version: z.string(),
  events: z.number(),
  last_result: z.number(),
});
