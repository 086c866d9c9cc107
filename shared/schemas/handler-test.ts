import { z } from 'zod';
import { answer, objectAnswer } from './answer.ts';

/** The event for the test of a handler: the current event of a client and check, or else a sample. */
export const handlerTestSchema = z
  .strictObject({
    client: z.string().min(1).optional(),
    check: z.string().min(1).optional(),
    /** Whether to show the request without sending it. */
    dry_run: z.boolean().default(false),
  })
  .refine(({ client, check }) => (client === undefined) === (check === undefined), 'client and check go together');
export type HandlerTestRequest = z.input<typeof handlerTestSchema>;

export const handlerTestAnswer = answer(
  z.looseObject({
    handler: z.string(),
    type: z.string(),
    client: z.string(),
    check: z.string(),
    /** The data that is sent, by the type of the handler, without secrets. */
    preview: objectAnswer,
    /** Null if nothing was sent. */
    outcome: z
      .looseObject({
        delivered: z.boolean(),
        /** The response of the receiver; absent if there was none. */
        response: z.string().optional(),
        /** The reason of a failure; absent if delivered. */
        reason: z.string().optional(),
        seconds: z.number(),
      })
      .nullable(),
  }),
);
export type HandlerTest = z.infer<typeof handlerTestAnswer>;
