import { z } from 'zod';
import { argumentsSchema, programProblem } from '../command.ts';
import { environmentSchema } from '../environment.ts';
import { objectNameSchema } from '../name.ts';
import { v2CronProblem } from './cron.ts';
import { subduesSchema } from '../subdues.ts';
import { assetNameSchema } from './asset-name.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';
import { v2SubscriptionSchema } from './subscription.ts';
import { v2WindowsSchema } from './windows.ts';

/** Maximum length of a list of names in a definition. */
const LIST_MAX = 1000;

/**
 * Maximum of the numbers that are unsigned 32-bit integers in Sensu Go. Its TTL has 63 bits, of which JSON numbers
 * represent 53 exactly.
 */
export const SECONDS_MAX = 4_294_967_295;
const TTL_MAX = Number.MAX_SAFE_INTEGER;

/** Formats of metrics in the output of a check. Sensu Go supports no others. */
const METRIC_FORMATS = [
  '',
  'nagios_perfdata',
  'graphite_plaintext',
  'influxdb_line',
  'opentsdb_line',
  'prometheus_text',
] as const;

export const textListSchema = z.array(z.string()).max(LIST_MAX).nullish();
export const secondsSchema = z.int().min(0).max(SECONDS_MAX).nullish();
const envVarsSchema = environmentSchema.nullish();

/**
 * The attribute `mon` of a v2 check or mutator: a command as a list of a program and its arguments. The attribute
 * `command` then contains the same command as text.
 */
export const ownCommandSchema = z.looseObject({ command: argumentsSchema.nullish() }).nullish();

/** A flap threshold: a percentage of state change. Values above 100 are valid but never reached. */
const thresholdSchema = z.int().min(0).max(SECONDS_MAX).nullish();

/** A reference to a pipeline by its name. Type and API version default to those of `core/v2`. */
const pipelineReferenceSchema = z.looseObject({
  name: objectNameSchema,
  type: z.string().max(255).nullish(),
  api_version: z.string().max(255).nullish(),
});

const secretsSchema = z
  .array(z.looseObject({ name: z.string().nullish(), secret: z.string().nullish() }))
  .max(LIST_MAX)
  .nullish();

/**
 * A check of the v2 API (completion 1.17). Every attribute may be null, which counts as absent but is stored. Unknown
 * attributes are stored too.
 */
export const v2CheckSchema = z
  .looseObject({
    metadata: metadataSchema(),
    /** The command. If it is empty or absent, agents run nothing and report that. */
    command: z
      .union([z.string(), argumentsSchema], {
        error: 'must be a shell command, or a list of a program and its arguments',
      })
      .nullish(),
    subscriptions: z.array(v2SubscriptionSchema).max(LIST_MAX).nullish(),
    handlers: textListSchema,
    interval: secondsSchema,
    cron: z.string().max(255).nullish(),
    /** Whether the check is scheduled. Absent: it is not. */
    publish: z.boolean().nullish(),
    timeout: secondsSchema,
    /** TTL in seconds; less than 1: no TTL. */
    ttl: z.int().min(-TTL_MAX).max(TTL_MAX).nullish(),
    stdin: z.boolean().nullish(),
    round_robin: z.boolean().nullish(),
    proxy_entity_name: z.union([z.literal(''), objectNameSchema]).nullish(),
    proxy_requests: z
      .looseObject({
        entity_attributes: textListSchema,
        splay: z.boolean().nullish(),
        splay_coverage: z.int().min(0).max(100).nullish(),
      })
      .nullish(),
    low_flap_threshold: thresholdSchema,
    high_flap_threshold: thresholdSchema,
    subdue: v2WindowsSchema.nullish(),
    subdues: subduesSchema.nullish(),
    env_vars: envVarsSchema,
    check_hooks: z
      .array(z.record(z.string(), z.array(z.string()).nullable()))
      .max(LIST_MAX)
      .nullish(),
    runtime_assets: z.array(assetNameSchema).max(LIST_MAX).nullish(),
    output_metric_format: z.enum(METRIC_FORMATS).nullish(),
    output_metric_handlers: textListSchema,
    secrets: secretsSchema,
    pipelines: z.array(pipelineReferenceSchema).max(LIST_MAX).nullish(),
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
    const cronIs = cron === '' ? undefined : v2CronProblem(cron);
    if (cronIs !== undefined) issue('cron', cronIs);
    if (interval > 0 && cron !== '') issue('interval', 'cannot be combined with cron: set one of them');
    if (interval === 0 && cron === '') issue('interval', 'must be greater than 0 (seconds), unless cron is set');
    const { splay, splay_coverage: coverage } = check.proxy_requests ?? {};
    if (splay === true && (coverage ?? 0) === 0) {
      issue('proxy_requests', 'splay_coverage must be greater than 0 (percent) if splay is true');
    }
    if (ttl > 0 && ttl <= interval) issue('ttl', `must be greater than interval (${String(interval)})`);
    const { low_flap_threshold: low, high_flap_threshold: high } = check;
    if (typeof low === 'number' && typeof high === 'number' && high > 0 && low >= high) {
      issue('low_flap_threshold', 'must be less than high_flap_threshold');
    }
  });

export type SubmittedV2Check = z.infer<typeof v2CheckSchema>;
export type V2Check = StoredV2Object<SubmittedV2Check>;
