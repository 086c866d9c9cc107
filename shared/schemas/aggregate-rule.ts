import { z } from 'zod';
import { aggregateNameSchema } from './aggregate.ts';
import { nameSchema, v2NameSchema } from './name.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from './namespace.ts';

/** The client whose checks are the rules of aggregates. */
export const AGGREGATES_CLIENT = 'mon.aggregates';

const thresholdSchema = z
  .union([z.int().min(1), z.string().regex(/^(?:100|[1-9]?\d(?:\.\d+)?)%$/)], {
    error: 'must be a number of results from 1, or a percentage such as 20%',
  })
  .optional();

/** A rule by which an aggregate opens an event (spec, aggregates 1). */
export const aggregateRuleSchema = z
  .strictObject({
    /** Default: the name of the rule. */
    aggregate: aggregateNameSchema.optional(),
    /** The namespace of its aggregate; `*`: each namespace with an aggregate of this name. */
    namespace: z.union([z.literal(EVERY_NAMESPACE), v2NameSchema]).default(DEFAULT_NAMESPACE),
    /** Number or percentage of results that are not OK. */
    warning: thresholdSchema,
    critical: thresholdSchema,
    /** Number or percentage of results that are older than `after` seconds. */
    stale: z.strictObject({ after: z.int().min(1), warning: thresholdSchema, critical: thresholdSchema }).optional(),
    /** The minimum number of results; with fewer the status is unknown. */
    'min-results': z.int().min(1).optional(),
    'ignore-silenced': z.boolean().default(false),
    /** Seconds between the results of the rule; a change of status is sent at once. */
    interval: z.int().min(1).max(86_400).default(60),
    /** Further attributes of the rule's results: handlers, flap thresholds, and any others of a check. */
    check: z.record(z.string(), z.unknown()).default({}),
  })
  .refine((rule) => (rule.warning ?? rule.critical ?? rule.stale ?? rule['min-results']) !== undefined, {
    message: 'needs one of warning, critical, stale and min-results',
  });

export type AggregateRule = z.infer<typeof aggregateRuleSchema>;

/** Rules by the names of their checks. */
export const aggregateRulesSchema = z.record(nameSchema, aggregateRuleSchema).default({});
