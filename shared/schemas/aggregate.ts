import { z } from 'zod';
import { DOTS_MESSAGE, isDots, NAME_LENGTH_MAX } from './name.ts';
import { answer, numberOrZero, texts, type AnswerOf } from './answer.ts';

/** Word characters, dots, colons, bars and hyphens (completion 1.7). */
export const AGGREGATE_NAME_PATTERN = /^(?!\.{1,2}$)[\w.:|-]+$/;

/** Maximum number of aggregates that one result may name. */
const AGGREGATES_MAX = 100;

export const aggregateNameSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(AGGREGATE_NAME_PATTERN, {
    error: ({ input }) => (isDots(input) ? DOTS_MESSAGE : 'must be word characters, dots, colons, bars and hyphens'),
  });

/** `true`: the name of the check is the name of the aggregate. */
export const aggregateSchema = z.union([aggregateNameSchema, z.boolean()]);

export const aggregatesSchema = z.array(aggregateNameSchema).max(AGGREGATES_MAX);

/** The verdict of a rule on its aggregate. */
const ruleVerdictAnswer = z.looseObject({
  /** The check of its event. */
  check: z.string(),
  status: z.number(),
  /** Actual and required values, for people. */
  text: z.string(),
  /** Percentage of results that must be OK; absent if the rule has no such threshold. */
  needs: z.number().exactOptional(),
});
export type AggregateRuleVerdict = Readonly<z.infer<typeof ruleVerdictAnswer>>;

/** `GET /aggregates/:aggregate`, all integers (reference 2.6; clients 2). */
export const aggregateAnswer = z.looseObject({
  /** Number of clients and checks among the members, including stale ones. */
  clients: z.number(),
  checks: z.number(),
  /** Members that are not stale, by the severity of their last result. */
  results: z.looseObject({
    ok: z.number(),
    warning: z.number(),
    critical: z.number(),
    /** Every status outside 0 to 2. */
    unknown: z.number(),
    /** Sum of the four counts above. */
    total: z.number(),
    /** Members whose last result is older than `max_age`; 0 without that parameter. */
    stale: numberOrZero,
    /** Members in the total whose open event is silenced now. */
    silenced: numberOrZero,
    /** Members in the total whose client has an open keepalive event. */
    down: numberOrZero,
  }),
  rules: z.array(ruleVerdictAnswer).exactOptional(),
});
export type AggregateSummary = AnswerOf<typeof aggregateAnswer> & {
  /** Only in the mon API, if the aggregate has rules. */
  readonly rules?: readonly AggregateRuleVerdict[];
};

/** An item of `GET /api/mon/v1/aggregates`. */
export type NamedAggregate = AggregateSummary & { readonly name: string };

/** An item of `GET /aggregates/:aggregate/results/:severity`: the outputs of a check, most frequent first. */
export const aggregateResultsAnswer = answer(
  z.looseObject({
    check: z.string(),
    summary: z.array(z.looseObject({ output: z.string(), total: z.number(), clients: texts })),
  }),
);
export type AggregateResults = z.infer<typeof aggregateResultsAnswer>;

/** `GET /aggregates/:aggregate/clients` */
export const aggregateClientsAnswer = answer(z.array(z.looseObject({ name: z.string(), checks: texts })));
export type AggregateClient = z.infer<typeof aggregateClientsAnswer>[number];

/** `GET /aggregates/:aggregate/checks` */
export const aggregateChecksAnswer = answer(z.array(z.looseObject({ name: z.string(), clients: texts })));
export type AggregateCheck = z.infer<typeof aggregateChecksAnswer>[number];
