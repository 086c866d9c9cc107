import { z } from 'zod';
import { responseSchema } from './response.ts';
import { entityUsageSchema } from './entity-usage.ts';

/** Statistics for the console that the feed does not contain: `GET /api/mon/v1/overview`. */
export const overviewResponse = responseSchema(
  z.looseObject({
    /** Time of these statistics, in epoch seconds. */
    at: z.number(),
    /** The checks with the most event actions in the last hour, in descending order. */
    noisiest: z.array(
      z.looseObject({
        /** Namespace of the check; absent if only one namespace is requested. */
        namespace: z.string().optional(),
        check: z.string(),
        /** Number of event actions: an event was created, updated or resolved. */
        events: z.number(),
        /** Number of clients on which the check currently has an open event. */
        clients: z.number(),
      }),
    ),
    /**
     * Results per second, oldest first, for the last 15 minutes or since the start of the backend. `period`: seconds
     * between two rates.
     */
    results: z.looseObject({ period: z.number(), rates: z.array(z.number()) }),
    /**
     * Number of clients. `stale`: those with an open keepalive event; `lost`: those of the stale ones that sent no
     * keepalive for more than an hour.
     */
    clients: z.looseObject({ registered: z.number(), stale: z.number(), lost: z.number() }),
    /** Number of entities in all namespaces, and its limit; absent from a backend without this limit. */
    entities: entityUsageSchema.optional(),
    queue: z.looseObject({ results: z.number() }),
    /**
     * 99th percentile of the duration of synced writes in the last minutes, in milliseconds; null if there were none.
     */
    store: z.looseObject({ write_p99_ms: z.number().nullable() }),
    /**
     * 99th percentile of the duration of API requests in the last minutes, in milliseconds; null if there were none.
     */
    api: z.looseObject({ response_p99_ms: z.number().nullable() }),
    feed: z.looseObject({ consumers: z.number() }),
  }),
);
export type Overview = z.infer<typeof overviewResponse>;
