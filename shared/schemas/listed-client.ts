import { z } from 'zod';
import type { AnswerOf } from './answer.ts';
import { clientRowSchema } from './feed.ts';

/** An item of `GET /api/mon/v1/clients`, loose like every response, see `answer.ts`. */
export const listedClientAnswer = clientRowSchema.loose().extend({
  /** The number of its open events. */
  events: z.number(),
  /** Execution time of its newest result, epoch seconds; 0 if it has none. */
  last_result: z.number(),
});
export type ListedClient = AnswerOf<typeof listedClientAnswer>;
