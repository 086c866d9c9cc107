import { z } from 'zod';
import { numberOrZero, textOrEmpty, textsOrNone } from './response.ts';

const queueResponse = z.looseObject({ messages: z.number(), consumers: z.number() });

const serverResponse = z.looseObject({
  hostname: textOrEmpty,
  address: textOrEmpty,
  tasks: textsOrNone,
  timestamp: numberOrZero,
});

/** Schema of `GET /info`, with only the attributes that callers rely on, see `response.ts`. */
export const infoResponse = z.looseObject({
  sensu: z.looseObject({ version: z.string() }),
  transport: z
    .looseObject({ connected: z.boolean(), keepalives: queueResponse.optional(), results: queueResponse.optional() })
    .optional(),
  redis: z.looseObject({ connected: z.boolean() }).optional(),
  servers: z.array(serverResponse).optional(),
  mon: z.looseObject({ version: z.string() }).optional(),
});

/** Information about a backend: the response of `GET /info`. Other products do not send the attribute `mon`. */
export type BackendInfo = z.infer<typeof infoResponse>;
