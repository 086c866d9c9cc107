import { z } from 'zod';
import { aggregatesSchema, aggregateSchema } from './aggregate.ts';
import { commandSchema, programProblem } from './command.ts';
import { cronProblem } from './cron.ts';
import { sourceSchema } from './name.ts';
import { subduesSchema } from './subdues.ts';
import { timeWindowsSchema } from './time-window.ts';
import { TIME_ZONE_HINT, timeZoneOf } from './time-zone.ts';

/**
 * Valid names of a hook: a status from 0 to 255, or a severity, after which the hook runs (reference 2.2.2). Sensu Core
 * also accepts 0 (completion 1.12).
 */
const HOOK_NAME = /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5]|ok|warning|critical|unknown|non-zero)$/;

const hooksSchema = z
  .record(
    z.string(),
    z.looseObject({
      command: commandSchema,
      timeout: z.number().positive().optional(),
      stdin: z.boolean().optional(),
    }),
  )
  .superRefine((hooks, context) => {
    for (const [name, { command }] of Object.entries(hooks)) {
      const program = programProblem(command);
      if (program !== undefined) context.addIssue({ code: 'custom', path: [name, 'command'], message: program });
      if (HOOK_NAME.test(name)) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is not a hook name: use a status from 0 to 255, ok, warning, critical, unknown or non-zero',
      });
    }
  });

const proxyRequestsSchema = z.looseObject({
  /** Attributes that a client must have for the check to run for it. Empty: the check runs for every client. */
  client_attributes: z.record(z.string(), z.unknown()),
  splay: z.boolean().optional(),
  /** Percentage of the interval over which the requests of a splayed check are spread. */
  splay_coverage: z.int().min(1).max(99).optional(),
});

/** A check definition (reference 2.2). Unknown attributes are kept and copied to results and events. */
export const checkSchema = z
  .looseObject({
    command: commandSchema.optional(),
    extension: z.string().min(1).optional(),
    standalone: z.boolean().optional(),
    subscribers: z.array(z.string().min(1)).optional(),
    publish: z.boolean().optional(),
    interval: z.int().positive().optional(),
    cron: z
      .string()
      .max(255)
      .superRefine((cron, context) => {
        const message = cronProblem(cron);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      })
      .optional(),
    /** Time zone of `cron` and `subdue`; default: the local time of the scheduling machine. */
    timezone: z
      .string()
      .refine((zone) => timeZoneOf(zone) !== undefined, `must be ${TIME_ZONE_HINT}`)
      .optional(),
    timeout: z.number().positive().optional(),
    stdin: z.boolean().optional(),
    ttl: z.int().positive().optional(),
    ttl_status: z.int().optional(),
    auto_resolve: z.boolean().optional(),
    force_resolve: z.boolean().optional(),
    /** Number of OK results in a row, or a duration, before an event resolves by itself (spec, recovery). */
    resolve_after: z.union([z.number(), z.string()]).optional(),
    handle: z.boolean().optional(),
    handler: z.string().optional(),
    handlers: z.array(z.string().min(1)).optional(),
    low_flap_threshold: z.int().optional(),
    high_flap_threshold: z.int().optional(),
    source: sourceSchema.optional(),
    truncate_output: z.boolean().optional(),
    truncate_output_length: z.int().positive().optional(),
    aggregate: aggregateSchema.optional(),
    aggregates: aggregatesSchema.optional(),
    subdue: timeWindowsSchema.optional(),
    subdues: subduesSchema.optional(),
    hooks: hooksSchema.optional(),
    proxy_requests: proxyRequestsSchema.optional(),
    occurrences: z.int().positive().optional(),
    refresh: z.int().min(0).optional(),
  })
  .superRefine((check, context) => {
    const issue = (attribute: string, message: string): void =>
      context.addIssue({ code: 'custom', message, path: [attribute] });
    if ((check.command ?? check.extension) === undefined) issue('command', 'is required, unless extension is set');
    const program = programProblem(check.command);
    if (program !== undefined) issue('command', program);
    if (check.standalone !== true && check.subscribers === undefined) {
      issue('subscribers', 'must contain at least one subscription, unless standalone is true');
    }
    if (check.publish !== false && (check.interval ?? check.cron) === undefined) {
      issue('interval', 'is required (seconds), unless publish is false or cron is set');
    }
    if (check.low_flap_threshold !== undefined && check.high_flap_threshold === undefined) {
      issue('high_flap_threshold', 'is required with low_flap_threshold');
    }
    if (check.high_flap_threshold !== undefined && check.low_flap_threshold === undefined) {
      issue('low_flap_threshold', 'is required with high_flap_threshold');
    }
  });

export type CheckDefinition = z.infer<typeof checkSchema>;
