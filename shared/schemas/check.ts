import { z } from 'zod';
import { nameSchema, sourceSchema } from './name.ts';

/**
 * A check definition (reference 2.2), the attributes that are acted upon today; all others are kept and copied into
 * results and events.
 */
export const checkSchema = z
  .looseObject({
    type: z.enum(['standard', 'metric']).optional(),
    command: z.string().min(1).optional(),
    extension: z.string().min(1).optional(),
    standalone: z.boolean().optional(),
    subscribers: z.array(z.string().min(1)).optional(),
    publish: z.boolean().optional(),
    interval: z.int().positive().optional(),
    cron: z.string().min(1).optional(),
    timeout: z.number().positive().optional(),
    ttl: z.int().positive().optional(),
    ttl_status: z.int().optional(),
    auto_resolve: z.boolean().optional(),
    force_resolve: z.boolean().optional(),
    handle: z.boolean().optional(),
    handler: z.string().optional(),
    handlers: z.array(z.string().min(1)).optional(),
    low_flap_threshold: z.int().optional(),
    high_flap_threshold: z.int().optional(),
    source: sourceSchema.optional(),
    truncate_output: z.boolean().optional(),
    truncate_output_length: z.int().positive().optional(),
  })
  .superRefine((check, context) => {
    const issue = (attribute: string, message: string): void =>
      context.addIssue({ code: 'custom', message, path: [attribute] });
    if ((check.command ?? check.extension) === undefined) issue('command', 'is required, unless extension is set');
    if (check.standalone !== true && (check.subscribers ?? []).length === 0) {
      issue('subscribers', 'must name at least one subscription, unless standalone is true');
    }
    if (check.publish !== false && (check.interval ?? check.cron) === undefined) {
      issue('interval', 'is required (seconds), unless publish is false or cron is set');
    }
    if (check.low_flap_threshold !== undefined && check.high_flap_threshold === undefined) {
      issue('high_flap_threshold', 'is required with low_flap_threshold');
    }
    if (check.ttl !== undefined && check.interval !== undefined && check.ttl <= check.interval) {
      issue('ttl', `must be greater than interval (${String(check.interval)})`);
    }
  });

export type CheckDefinition = z.infer<typeof checkSchema>;

export const checkNameSchema = nameSchema.refine((name) => name !== '.' && name !== '..', 'must not be . or ..');
