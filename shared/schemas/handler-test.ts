import { z } from 'zod';
import { answer, objectAnswer } from './answer.ts';

/** What a handler is to be told of as a test: the event of a client and check as it stands now, else one that is made up. */
export const handlerTestSchema = z
  .strictObject({
    client: z.string().min(1).optional(),
    check: z.string().min(1).optional(),
    /** Whether it is only shown what would be sent. */
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
    /** What is sent, by the type of the handler, without secrets. */
    preview: objectAnswer,
    /** Null: nothing was sent. */
    outcome: z
      .looseObject({
        delivered: z.boolean(),
        /** The response of the receiver; absent: there was none, or it was empty. */
        response: z.string().optional(),
        /** Why not; absent: delivered. */
        reason: z.string().optional(),
        seconds: z.number(),
      })
      .nullable(),
  }),
);
export type HandlerTest = z.infer<typeof handlerTestAnswer>;
