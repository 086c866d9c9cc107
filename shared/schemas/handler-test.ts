import { z } from 'zod';
import { responseSchema, objectResponse } from './response.ts';

/**
 * Body of a request to test a handler. With `client` and `check`, the handler gets their current event; otherwise a
 * sample.
 */
export const handlerTestSchema = z
  .strictObject({
    client: z.string().min(1).optional(),
    check: z.string().min(1).optional(),
    /** True to return the data that would be sent, without sending it. */
    dry_run: z.boolean().default(false),
  })
  .refine(({ client, check }) => (client === undefined) === (check === undefined), 'client and check go together');
export type HandlerTestRequest = z.input<typeof handlerTestSchema>;

export const handlerTestResponse = responseSchema(
  z.looseObject({
    handler: z.string(),
    type: z.string(),
    client: z.string(),
    check: z.string(),
    /** The data for the receiver, in the form that depends on the handler type, without secrets. */
    preview: objectResponse,
    /** The result of the test; null for a dry run, which sends nothing. */
    outcome: z
      .looseObject({
        delivered: z.boolean(),
        /** The response of the receiver; absent if there was none. */
        response: z.string().optional(),
        /** The reason why the delivery failed; absent if the notification was delivered. */
        reason: z.string().optional(),
        seconds: z.number(),
      })
      .nullable(),
  }),
);
export type HandlerTest = z.infer<typeof handlerTestResponse>;
