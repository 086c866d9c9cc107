import { z } from 'zod';
import { answer } from './answer.ts';
import { entityUsageSchema } from './entity-usage.ts';

/** `GET /api/mon/v1/overview`: figures for the console that the feed does not contain. */
export const overviewAnswer = answer(
  z.looseObject({
    /** Time of the figures, epoch seconds. */
    at: z.number(),
    /** Checks with the most event changes in the last hour, the noisiest first. */
    noisiest: z.array(
      z.looseObject({
        /** The namespace, if there are several. */
        namespace: z.string().optional(),
        check: z.string(),
        /** Number of event actions: created, continued or resolved. */
        events: z.number(),
        /** Number of clients with an open event now. */
        clients: z.number(),
      }),
    ),
    /**
     * Results per second, oldest first, for at most 15 minutes since the start; `period`: seconds between two rates.
     */
    results: z.looseObject({ period: z.number(), rates: z.array(z.number()) }),
    /** `stale`: with an open keepalive event; `lost`: those of them without a keepalive for more than an hour. */
    clients: z.looseObject({ registered: z.number(), stale: z.number(), lost: z.number() }),
    /** Entities of all namespaces; absent from a backend without this limit. */
    entities: entityUsageSchema.optional(),
    queue: z.looseObject({ results: z.number() }),
    /** 99th percentile of synced writes in the last minutes, to a tenth; null if there was none. */
    store: z.looseObject({ write_p99_ms: z.number().nullable() }),
    /** 99th percentile of requests in the last minutes, to a tenth; null if there was none. */
    api: z.looseObject({ response_p99_ms: z.number().nullable() }),
    feed: z.looseObject({ consumers: z.number() }),
  }),
);
export type Overview = z.infer<typeof overviewAnswer>;
