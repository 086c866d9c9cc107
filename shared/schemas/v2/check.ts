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
export const ownCommandSchema = z
  .looseObject({
    command: argumentsSchema.nullish().describe('The program and its arguments, which run without a shell.'),
  })
  .nullish();

/** A flap threshold: a percentage of state change. Values above 100 are valid but never reached. */
const thresholdSchema = z.int().min(0).max(SECONDS_MAX).nullish();

/** A reference to a pipeline by its name. Type and API version default to those of `core/v2`. */
const pipelineReferenceSchema = z.looseObject({
  name: objectNameSchema.describe('Name of the pipeline, in the namespace of the check.'),
  type: z.string().max(255).nullish().meta({ description: 'Type of the referenced object.', default: 'Pipeline' }),
  api_version: z.string().max(255).nullish().meta({ description: 'API version of that type.', default: 'core/v2' }),
});

/** Secrets of a definition, which a provider would put into environment variables. */
export const secretsSchema = z
  .array(
    z.looseObject({
      name: z.string().nullish().describe('Name of the environment variable for the secret.'),
      secret: z.string().nullish().describe('Name of the secret.'),
    }),
  )
  .max(LIST_MAX)
  .nullish();

/**
 * A check of the v2 API (completion 1.17). Every attribute may be null, which counts as absent but is stored. Unknown
 * attributes are stored too.
 */
export const v2CheckSchema = z
  .looseObject({
    metadata: metadataSchema(),
    command: z
      .union([z.string(), argumentsSchema], {
        error: 'must be a shell command, or a list of a program and its arguments',
      })
      .nullish()
      .meta({
        description: 'The command that agents run. If it is empty, they run nothing and report that.',
        'x-v1': 'the same',
      }),
    subscriptions: z.array(v2SubscriptionSchema).max(LIST_MAX).nullish().meta({
      description: 'Subscriptions whose agents run the check. `entity:NAME` is the subscription of one entity.',
      'x-v1': '`subscribers`',
    }),
    handlers: textListSchema.meta({
      description: 'Handlers to notify. Without them the check notifies no handler.',
      'x-v1': 'the same, but without handlers the handler `default` is notified',
    }),
    interval: secondsSchema.meta({
      description: 'Time between two runs. Required unless `cron` is set, which it excludes.',
      'x-unit': 'seconds',
      default: 0,
      'x-v1': 'the same',
    }),
    cron: z.string().max(255).nullish().meta({
      description: 'Schedule of five cron fields or a shorthand such as `@hourly`. It excludes `interval`.',
      'x-v1': 'the same',
    }),
    publish: z.boolean().nullish().meta({
      description: 'Whether the check is scheduled.',
      default: false,
      'x-v1': 'the same, with the default `true`',
    }),
    timeout: secondsSchema.meta({
      description: 'Time after which the agent kills the command. 0 means no limit.',
      'x-unit': 'seconds',
      default: 0,
      'x-v1': 'the same',
    }),
    ttl: z
      .int()
      .min(-TTL_MAX)
      .max(TTL_MAX)
      .nullish()
      .meta({
        description:
          'Time after which an event opens if no further result arrives. It must exceed `interval`. Less than' +
          ' 1 means none.',
        'x-unit': 'seconds',
        default: 0,
        'x-v1': 'the same',
      }),
    stdin: z.boolean().nullish().meta({
      description: 'Whether the command reads the event from its standard input.',
      default: false,
      'x-v1': 'the same',
    }),
    round_robin: z.boolean().nullish().meta({
      description: 'Whether the agents of each subscription take turns, instead of all running the check.',
      default: false,
      'x-v1': 'the prefix `roundrobin:` in `subscribers`',
    }),
    proxy_entity_name: z
      .union([z.literal(''), objectNameSchema])
      .nullish()
      .meta({
        description: 'Entity to which the results belong, in place of the one that runs the check.',
        'x-value': 'text',
        'x-v1': '`source`',
      }),
    proxy_requests: z
      .looseObject({
        entity_attributes: textListSchema.meta({
          description: 'Expressions about `entity`. The check runs for each entity for which all of them are true.',
          'x-v1': '`client_attributes`, in another notation',
        }),
        splay: z.boolean().nullish().meta({
          description: 'Whether the requests are spread over the interval.',
          default: false,
          'x-v1': 'the same',
        }),
        splay_coverage: z.int().min(0).max(100).nullish().meta({
          description: 'Part of the interval over which `splay` spreads the requests. Required with `splay`.',
          'x-unit': 'percent',
          default: 0,
          'x-v1': 'the same',
        }),
      })
      .nullish()
      .meta({ description: 'The check runs once for each matching entity.', 'x-v1': 'the same' }),
    low_flap_threshold: thresholdSchema.meta({
      description: 'State change below which flapping ends. It has an effect only together with `high_flap_threshold`.',
      'x-unit': 'percent',
      default: 0,
      'x-v1': 'the same',
    }),
    high_flap_threshold: thresholdSchema.meta({
      description: 'State change from which on the check counts as flapping.',
      'x-unit': 'percent',
      default: 0,
      'x-v1': 'the same',
    }),
    subdue: v2WindowsSchema.nullish().meta({
      description: 'Time windows by day of the week, in UTC, in which the check does not run.',
      'x-v1': 'the same',
    }),
    subdues: subduesSchema
      .nullish()
      .meta({ description: 'Repeating time windows in which the check does not run.', 'x-v1': 'the same' }),
    env_vars: envVarsSchema.meta({
      description: 'Environment variables of the command, as `NAME=value`.',
      'x-v1': 'the same',
    }),
    check_hooks: z
      .array(z.record(z.string(), z.array(z.string()).nullable()))
      .max(LIST_MAX)
      .nullish()
      .meta({
        description: 'Names of hooks, by the status or severity after which Sensu Go agents run them.',
        'x-value': 'list of objects with lists of names',
        'x-v1': '`hooks`, which contains the commands',
      }),
    runtime_assets: z
      .array(assetNameSchema)
      .max(LIST_MAX)
      .nullish()
      .meta({ description: 'Assets that Sensu Go agents install before the run.', 'x-v1': 'none' }),
    output_metric_format: z
      .enum(METRIC_FORMATS)
      .nullish()
      .meta({
        description: 'Format of the metrics in the output. An empty text means none.',
        'x-value': METRIC_FORMATS.filter(Boolean)
          .map((format) => `\`${format}\``)
          .join(', '),
        'x-v1': 'the same',
      }),
    output_metric_handlers: textListSchema.meta({
      description: 'Handlers that receive the metrics of every result.',
      'x-v1': 'the same',
    }),
    secrets: secretsSchema.meta({
      description: 'Stored and sent to agents, without effect in the backend.',
      'x-v1': 'none',
    }),
    pipelines: z
      .array(pipelineReferenceSchema)
      .max(LIST_MAX)
      .nullish()
      .meta({ description: 'Pipelines that process the events, in addition to `handlers`.', 'x-v1': 'the same' }),
    mon: ownCommandSchema.meta({
      description: 'The command as a list. `command` then shows it as text.',
      'x-v1': '`command`',
    }),
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
