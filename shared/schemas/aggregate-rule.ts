import { z } from 'zod';
import { aggregateNameSchema } from './aggregate.ts';
import { nameSchema, v2NameSchema } from './name.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from './namespace.ts';

/** Name of the client to which the results and events of aggregate rules belong. Each rule is one of its checks. */
export const AGGREGATE_RULES_CLIENT = 'mon.aggregates';

const thresholdSchema = z
  .union([z.int().min(1), z.string().regex(/^(?:100|[1-9]?\d(?:\.\d+)?)%$/)], {
    error: 'must be a number of results from 1, or a percentage such as 20%',
  })
  .optional();

/** A rule that opens an event if too many results of an aggregate are not OK or too old (spec, aggregates 1). */
export const aggregateRuleSchema = z
  .strictObject({
    /** Name of the aggregate. Default: the name of the rule. */
    aggregate: aggregateNameSchema.optional(),
    /** Namespace of the aggregate. `*`: the rule applies in each namespace that has an aggregate of this name. */
    namespace: z.union([z.literal(EVERY_NAMESPACE), v2NameSchema]).default(DEFAULT_NAMESPACE),
    /** Number or percentage of results that are not OK, from which the rule is warning or critical. */
    warning: thresholdSchema,
    critical: thresholdSchema,
    /**
     * Number or percentage of results that are older than `after` seconds, from which the rule is warning or critical.
     */
    stale: z.strictObject({ after: z.int().min(1), warning: thresholdSchema, critical: thresholdSchema }).optional(),
    /** Minimum number of results. With fewer results, the status of the rule is unknown. */
    'min-results': z.int().min(1).optional(),
    'ignore-silenced': z.boolean().default(false),
    /** Seconds between two results of the rule. A change of its status produces a result at once. */
    interval: z.int().min(1).max(86_400).default(60),
    /**
     * Further attributes of the rule's results, such as handlers or flap thresholds. Any attribute of a check is
     * allowed.
     */
    check: z.record(z.string(), z.unknown()).default({}),
  })
  .refine((rule) => (rule.warning ?? rule.critical ?? rule.stale ?? rule['min-results']) !== undefined, {
    message: 'needs one of warning, critical, stale and min-results',
  });

export type AggregateRule = z.infer<typeof aggregateRuleSchema>;

/** Aggregate rules by name. The name of a rule is also the name of its check. */
export const aggregateRulesSchema = z.record(nameSchema, aggregateRuleSchema).default({});
