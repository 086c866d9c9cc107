import { z } from 'zod';
import { numberOrZero, textOrEmpty, textsOrNone } from './answer.ts';

const queue = z.looseObject({ messages: z.number(), consumers: z.number() });

const server = z.looseObject({
  hostname: textOrEmpty,
  address: textOrEmpty,
  tasks: textsOrNone,
  timestamp: numberOrZero,
});

/** The attributes that callers rely on, see `answer.ts`. */
export const infoAnswer = z.looseObject({
  sensu: z.looseObject({ version: z.string() }),
  transport: z
    .looseObject({ connected: z.boolean(), keepalives: queue.optional(), results: queue.optional() })
    .optional(),
  redis: z.looseObject({ connected: z.boolean() }).optional(),
  servers: z.array(server).optional(),
  mon: z.looseObject({ version: z.string() }).optional(),
});

/** The response of `GET /info`; `mon` is missing if the backend is another product. */
export type BackendInfo = z.infer<typeof infoAnswer>;
