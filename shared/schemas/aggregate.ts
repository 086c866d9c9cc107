import { z } from 'zod';
import { DOTS_MESSAGE, isDotName, NAME_LENGTH_MAX } from './name.ts';
import { responseSchema, numberOrZero, textsSchema, type ResponseOf } from './response.ts';

/** Valid aggregate names: word characters, dots, colons, bars and hyphens, but not `.` or `..` (completion 1.7). */
export const AGGREGATE_NAME_PATTERN = /^(?!\.{1,2}$)[\w.:|-]+$/;

/** Maximum number of aggregates that one result may name. */
const AGGREGATES_MAX = 100;

export const aggregateNameSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(AGGREGATE_NAME_PATTERN, {
    error: ({ input }) => (isDotName(input) ? DOTS_MESSAGE : 'must be word characters, dots, colons, bars and hyphens'),
  });

/**
 * The attribute `aggregate` of a check: the name of an aggregate, or true if the aggregate has the name of the check.
 */
export const aggregateSchema = z.union([aggregateNameSchema, z.boolean()]);

export const aggregatesSchema = z.array(aggregateNameSchema).max(AGGREGATES_MAX);

/** The current status of an aggregate rule. */
const ruleVerdictResponse = z.looseObject({
  check: z.string().describe('Name of the rule, which is also the name of its check.'),
  status: z.number().describe('Status of the rule.'),
  text: z.string().describe('Text for people, with the actual and the required values.'),
  needs: z.number().exactOptional().meta({
    description: 'Percentage of the results that must be OK; absent if the rule has no such threshold.',
    'x-unit': 'percent',
  }),
});
export type AggregateRuleVerdict = Readonly<z.infer<typeof ruleVerdictResponse>>;

/**
 * The counts of an aggregate: `GET /aggregates/:aggregate`. All are integers (reference 2.6; clients 2). A member of an
 * aggregate is a check on a client.
 */
export const aggregateResponse = z.looseObject({
  clients: z.number().describe('Number of different clients among the members. Stale members count too.'),
  checks: z.number().describe('Number of different checks among the members. Stale members count too.'),
  results: z
    .looseObject({
      ok: z.number().describe('Members with the status OK.'),
      warning: z.number().describe('Members with the status warning.'),
      critical: z.number().describe('Members with the status critical.'),
      unknown: z.number().describe('Members with a status other than 0, 1 and 2.'),
      total: z.number().describe('Sum of `ok`, `warning`, `critical` and `unknown`.'),
      stale: numberOrZero.describe('Members whose last result is older than `max_age`; 0 without that parameter.'),
      silenced: numberOrZero.describe('Members in `total` whose open event is silenced now.'),
      down: numberOrZero.describe('Members in `total` whose client has an open keepalive event.'),
    })
    .describe('Number of members that are not stale, by the severity of their last result.'),
  rules: z
    .array(ruleVerdictResponse)
    .exactOptional()
    .describe('Current status of the rules of the aggregate. Present only in the mon API, and only if it has rules.'),
});
export type AggregateSummary = ResponseOf<typeof aggregateResponse> & {
  /** Current status of the rules of the aggregate. Present only in the mon API, and only if the aggregate has rules. */
  readonly rules?: readonly AggregateRuleVerdict[];
};

/** An aggregate with its name: an item of `GET /api/mon/v1/aggregates`. */
export type NamedAggregate = AggregateSummary & { readonly name: string };

/** An item of `GET /aggregates/:aggregate/results/:severity`: the outputs of a check, most frequent first. */
export const aggregateResultsResponse = responseSchema(
  z.looseObject({
    check: z.string(),
    summary: z.array(z.looseObject({ output: z.string(), total: z.number(), clients: textsSchema })),
  }),
);
export type AggregateResults = z.infer<typeof aggregateResultsResponse>;

/** The clients of an aggregate, each with the names of its checks: `GET /aggregates/:aggregate/clients`. */
export const aggregateClientsResponse = responseSchema(
  z.array(z.looseObject({ name: z.string(), checks: textsSchema })),
);
export type AggregateClient = z.infer<typeof aggregateClientsResponse>[number];

/** The checks of an aggregate, each with the names of its clients: `GET /aggregates/:aggregate/checks`. */
export const aggregateChecksResponse = responseSchema(
  z.array(z.looseObject({ name: z.string(), clients: textsSchema })),
);
export type AggregateCheck = z.infer<typeof aggregateChecksResponse>[number];
