import { z } from 'zod';
import { answer } from './answer.ts';
import { entityUsageSchema } from './entity-usage.ts';

/** `GET /api/mon/v1/overview`: what a console shows of the whole and the feed does not bring. */
export const overviewAnswer = answer(
  z.looseObject({
    /** When it was so, epoch seconds. */
    at: z.number(),
    /** Checks with the most changes of events in the last hour, the noisiest first. */
    noisiest: z.array(
      z.looseObject({
        /** Where it is, among those of several namespaces. */
        namespace: z.string().optional(),
        check: z.string(),
        /** Events that were created, went on or were resolved. */
        events: z.number(),
        /** Clients with an open event now. */
        clients: z.number(),
      }),
    ),
    /** Results per second, oldest first, of at most 15 minutes since the start; `period`: seconds from one rate to the next. */
    results: z.looseObject({ period: z.number(), rates: z.array(z.number()) }),
    /** `stale`: with an open keepalive event; `lost`: those of them without a keepalive for more than an hour. */
    clients: z.looseObject({ registered: z.number(), stale: z.number(), lost: z.number() }),
    /** Clients of all namespaces; absent from a backend without a limit of them. */
    entities: entityUsageSchema.optional(),
    queue: z.looseObject({ results: z.number() }),
    /** Of the synced writes of the last minutes, to a tenth; null: there was none. */
    store: z.looseObject({ write_p99_ms: z.number().nullable() }),
    /** Of the responses of the last minutes, to a tenth; null: there was none. */
    api: z.looseObject({ response_p99_ms: z.number().nullable() }),
    feed: z.looseObject({ consumers: z.number() }),
  }),
);
export type Overview = z.infer<typeof overviewAnswer>;
