import { z } from 'zod';
import { DOTS_MESSAGE, isDots, NAME_LENGTH_MAX } from './name.ts';
import { numberOrZero, texts } from './answer.ts';

/** Word characters, dots, colons, bars and hyphens (completion 1.7). */
export const AGGREGATE_NAME_PATTERN = /^(?!\.{1,2}$)[\w.:|-]+$/;

/** Most aggregates that one result may name. */
const AGGREGATES_MAX = 100;

export const aggregateNameSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(AGGREGATE_NAME_PATTERN, {
    error: ({ input }) => (isDots(input) ? DOTS_MESSAGE : 'must be word characters, dots, colons, bars and hyphens'),
  });

/** `true`: the aggregate is named after the check. */
export const aggregateSchema = z.union([aggregateNameSchema, z.boolean()]);

export const aggregatesSchema = z.array(aggregateNameSchema).max(AGGREGATES_MAX);

/** `GET /aggregates/:aggregate`, whole numbers throughout (reference 2.6; clients 2). */
export interface AggregateSummary {
  /** Clients and checks among the members, stale ones included. */
  readonly clients: number;
  readonly checks: number;
  readonly results: AggregateCounts;
}

/** An item of `GET /api/mon/v1/aggregates`. */
export interface NamedAggregate extends AggregateSummary {
  readonly name: string;
}

/** Members that are not stale, each under the severity of its last result. */
export interface AggregateCounts {
  readonly ok: number;
  readonly warning: number;
  readonly critical: number;
  /** Every status outside 0 to 2. */
  readonly unknown: number;
  /** The four above together. */
  readonly total: number;
  /** Members whose last result is older than `max_age`; without it 0. */
  readonly stale: number;
  /** Of the total: those whose open event is silenced now. */
  readonly silenced: number;
  /** Of the total: those whose client has an open keepalive event. */
  readonly down: number;
}

/** An item of `GET /aggregates/:aggregate/clients`. */
export interface AggregateClient {
  readonly name: string;
  readonly checks: readonly string[];
}

/** An item of `GET /aggregates/:aggregate/checks`. */
export interface AggregateCheck {
  readonly name: string;
  readonly clients: readonly string[];
}

/** An item of `GET /aggregates/:aggregate/results/:severity`: what a check says, the most frequent first. */
export interface AggregateResults {
  readonly check: string;
  readonly summary: readonly {
    readonly output: string;
    readonly total: number;
    readonly clients: readonly string[];
  }[];
}

/** As callers rely on it, see `answer.ts`. */
export const aggregateAnswer = z.looseObject({
  clients: z.number(),
  checks: z.number(),
  results: z.looseObject({
    ok: z.number(),
    warning: z.number(),
    critical: z.number(),
    unknown: z.number(),
    total: z.number(),
    stale: numberOrZero,
    silenced: numberOrZero,
    down: numberOrZero,
  }),
}) satisfies z.ZodType<AggregateSummary>;

/** As callers rely on it, see `answer.ts`. */
export const aggregateResultsAnswer: z.ZodType<AggregateResults> = z.looseObject({
  check: z.string(),
  summary: z.array(z.looseObject({ output: z.string(), total: z.number(), clients: texts })),
});

/** As callers rely on it, see `answer.ts`. */
export const aggregateClientsAnswer: z.ZodType<AggregateClient[]> = z.array(
  z.looseObject({ name: z.string(), checks: texts }),
);

/** As callers rely on it, see `answer.ts`. */
export const aggregateChecksAnswer: z.ZodType<AggregateCheck[]> = z.array(
  z.looseObject({ name: z.string(), clients: texts }),
);
