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
    aggregate: aggregateNameSchema
      .optional()
      .describe('Name of the aggregate that the rule evaluates. Default: the name of the rule.'),
    namespace: z
      .union([z.literal(EVERY_NAMESPACE), v2NameSchema])
      .default(DEFAULT_NAMESPACE)
      .describe('Namespace of the aggregate. With `*`, the rule applies in each namespace that has the aggregate.'),
    warning: thresholdSchema.describe(
      'Number or percentage of results that are not OK at which the status is warning.',
    ),
    critical: thresholdSchema.describe(
      'Number or percentage of results that are not OK at which the status is critical.',
    ),
    stale: z
      .strictObject({
        after: z
          .int()
          .min(1)
          .meta({ description: 'Age from which a result is stale and no longer counts.', 'x-unit': 'seconds' }),
        warning: thresholdSchema.describe('Number or percentage of stale results at which the status is warning.'),
        critical: thresholdSchema.describe('Number or percentage of stale results at which the status is critical.'),
      })
      .optional()
      .describe('Limits for results that are too old. Default: results never become stale.'),
    'min-results': z
      .int()
      .min(1)
      .optional()
      .describe('Minimum number of results. With fewer results, the status is unknown. Default: no minimum.'),
    'ignore-silenced': z.boolean().default(false).describe('Whether results with a silenced event do not count.'),
    interval: z.int().min(1).max(86_400).default(60).meta({
      description: 'Time between two results of the rule. A change of the status produces a result within a second.',
      'x-unit': 'seconds',
    }),
    check: z
      .record(z.string(), z.unknown())
      .default({})
      .describe(
        'Further attributes of the results, such as `handlers` or `runbook`. Any attribute of a check is allowed.',
      ),
  })
  .refine((rule) => (rule.warning ?? rule.critical ?? rule.stale ?? rule['min-results']) !== undefined, {
    message: 'needs one of warning, critical, stale and min-results',
  });

export type AggregateRule = z.infer<typeof aggregateRuleSchema>;

/** Aggregate rules by name. The name of a rule is also the name of its check. */
export const aggregateRulesSchema = z.record(nameSchema, aggregateRuleSchema).default({});
