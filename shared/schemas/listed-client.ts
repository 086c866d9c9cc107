import { z } from 'zod';
import { clientRowSchema, type ClientRow } from './feed.ts';

/** An item of `GET /api/mon/v1/clients`, loose as every answer is, see `answer.ts`. */
export const listedClientAnswer = clientRowSchema.loose().extend({
  /** Its open events. */
  events: z.number(),
  /** When its newest result was executed, epoch seconds; 0: it has none. */
  last_result: z.number(),
}) satisfies z.ZodType<ListedClient>;

export interface ListedClient extends ClientRow {
  readonly events: number;
  readonly last_result: number;
}
