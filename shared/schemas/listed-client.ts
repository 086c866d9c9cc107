import { z } from 'zod';
import type { ResponseOf } from './response.ts';
import { clientRowSchema } from './feed.ts';

/** A client in the list `GET /api/mon/v1/clients`. The schema allows further attributes, see `response.ts`. */
export const listedClientResponse = clientRowSchema.loose().extend({
  /** Number of open events of the client. */
  events: z.number(),
  /** Time at which the check of the client's newest result ran, in epoch seconds; 0 if the client has no results. */
  last_result: z.number(),
});
export type ListedClient = ResponseOf<typeof listedClientResponse>;
