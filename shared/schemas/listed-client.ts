import { z } from 'zod';
import type { AnswerOf } from './answer.ts';
import { clientRowSchema } from './feed.ts';

/** An item of `GET /api/mon/v1/clients`, loose as every answer is, see `answer.ts`. */
export const listedClientAnswer = clientRowSchema.loose().extend({
  /** Its open events. */
  events: z.number(),
  /** When its newest result was executed, epoch seconds; 0: it has none. */
  last_result: z.number(),
});
export type ListedClient = AnswerOf<typeof listedClientAnswer>;
