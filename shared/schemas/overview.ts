import { z } from 'zod';
import { entityUsageSchema, type EntityUsage } from './entity-usage.ts';

/** `GET /api/mon/v1/overview`: what a console shows of the whole and the feed does not bring. */
export interface Overview {
  /** When it was so, epoch seconds. */
  readonly at: number;
  /** Checks with the most changes of events in the last hour, the noisiest first. */
  readonly noisiest: readonly NoisyCheck[];
  readonly results: {
    /** Seconds from one rate to the next. */
    readonly period: number;
    /** Results per second, oldest first, of at most 15 minutes since the start. */
    readonly rates: readonly number[];
  };
  readonly clients: {
    readonly registered: number;
    /** With an open keepalive event. */
    readonly stale: number;
    /** Of those, not heard of for more than an hour. */
    readonly gone: number;
  };
  /** Clients of all namespaces; absent from a backend without a limit of them. */
  readonly entities?: EntityUsage | undefined;
  readonly queue: { readonly results: number };
  readonly store: {
    /** Of the synced writes of the last minutes, to a tenth; null: there was none. */
    readonly write_p99_ms: number | null;
  };
  readonly api: {
    /** Of the requests answered in the last minutes, to a tenth; null: there was none. */
    readonly answer_p99_ms: number | null;
  };
  readonly feed: { readonly consumers: number };
}

export interface NoisyCheck {
  /** Where it is, among those of several namespaces. */
  readonly namespace?: string | undefined;
  readonly check: string;
  /** Events that were created, went on or were resolved. */
  readonly events: number;
  /** Clients with an open event now. */
  readonly clients: number;
}

/** As callers rely on it, see `answer.ts`. */
export const overviewAnswer: z.ZodType<Overview> = z.looseObject({
  at: z.number(),
  noisiest: z.array(
    z.looseObject({ namespace: z.string().optional(), check: z.string(), events: z.number(), clients: z.number() }),
  ),
  results: z.looseObject({ period: z.number(), rates: z.array(z.number()) }),
  clients: z.looseObject({ registered: z.number(), stale: z.number(), gone: z.number() }),
  entities: entityUsageSchema.optional(),
  queue: z.looseObject({ results: z.number() }),
  store: z.looseObject({ write_p99_ms: z.number().nullable() }),
  api: z.looseObject({ answer_p99_ms: z.number().nullable() }),
  feed: z.looseObject({ consumers: z.number() }),
});
