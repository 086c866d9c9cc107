import { z } from 'zod';
import { argumentsSchema, commandSchema, programProblem } from '../command.ts';
import { cronProblem } from '../cron.ts';
import { environmentSchema } from '../environment.ts';
import { NAME_LENGTH_MAX, subscriptionSchema } from '../name.ts';
import { metadataSchema, type Stored } from './metadata.ts';
import { coreWindowsSchema } from './windows.ts';

/** Longest list of names in a definition. */
const LIST_MAX = 1000;

export const SECONDS_MAX = 2_147_483_647;

export const textsSchema = z.array(z.string()).max(LIST_MAX).nullish();
export const secondsSchema = z.int().min(0).max(SECONDS_MAX).nullish();
export const envVarsSchema = environmentSchema.nullish();

/** What has no place in the newer API: a program with its arguments, whose text is the `command`. */
export const ownCommandSchema = z.looseObject({ command: argumentsSchema.nullish() }).nullish();

/** Percents of change. */
const thresholdSchema = z.int().min(0).max(100).nullish();

/**
 * A check of the newer API (completion 1.17). Every attribute may be null, which is absent but kept; attributes that are
 * not named here are kept as well.
 */
export const coreCheckSchema = z
  .looseObject({
    metadata: metadataSchema(),
    command: commandSchema,
    subscriptions: z.array(subscriptionSchema).max(LIST_MAX).nullish(),
    handlers: textsSchema,
    interval: secondsSchema,
    cron: z.string().max(255).nullish(),
    /** Absent: it is not scheduled. */
    publish: z.boolean().nullish(),
    timeout: secondsSchema,
    ttl: secondsSchema,
    stdin: z.boolean().nullish(),
    round_robin: z.boolean().nullish(),
    proxy_entity_name: z.string().max(NAME_LENGTH_MAX).nullish(),
    proxy_requests: z
      .looseObject({
        entity_attributes: textsSchema,
        splay: z.boolean().nullish(),
        splay_coverage: z.int().min(0).max(100).nullish(),
      })
      .nullish(),
    low_flap_threshold: thresholdSchema,
    high_flap_threshold: thresholdSchema,
    subdue: coreWindowsSchema.nullish(),
    env_vars: envVarsSchema,
    check_hooks: z
      .array(z.record(z.string(), z.array(z.string()).nullable()))
      .max(LIST_MAX)
      .nullish(),
    runtime_assets: textsSchema,
    output_metric_format: z.string().max(NAME_LENGTH_MAX).nullish(),
    output_metric_handlers: textsSchema,
    secrets: z
      .array(z.looseObject({ name: z.string(), secret: z.string() }))
      .max(LIST_MAX)
      .nullish(),
    pipelines: z.array(z.looseObject({})).max(LIST_MAX).nullish(),
    mon: ownCommandSchema,
  })
  .superRefine((check, context) => {
    const issue = (attribute: string, message: string): void =>
      context.addIssue({ code: 'custom', message, path: [attribute] });
    const program = programProblem(check.command, true) ?? programProblem(check.mon?.command, true);
    if (program !== undefined) issue('command', program);
    const interval = check.interval ?? 0;
    const cron = check.cron ?? '';
    const ttl = check.ttl ?? 0;
    const cronIs = cron === '' ? undefined : cronProblem(cron);
    if (cronIs !== undefined) issue('cron', cronIs);
    if (interval > 0 && cron !== '') issue('interval', 'must not be there together with cron: choose one of them');
    if (check.publish === true && interval === 0 && cron === '') {
      issue('interval', 'must be greater than 0 (seconds), unless cron is set or publish is false');
    }
    if (ttl > 0 && ttl <= interval) issue('ttl', `must be greater than interval (${String(interval)})`);
    const { low_flap_threshold: low, high_flap_threshold: high } = check;
    if (typeof low === 'number' && typeof high === 'number' && high > 0 && low >= high) {
      issue('low_flap_threshold', 'must be less than high_flap_threshold');
    }
  });

export type SubmittedCoreCheck = z.infer<typeof coreCheckSchema>;
export type CoreCheck = Stored<SubmittedCoreCheck>;
