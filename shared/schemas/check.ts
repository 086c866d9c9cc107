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
      command: commandSchema.describe('The command of the hook. It can contain tokens.'),
      timeout: z.number().positive().optional().meta({
        description: 'Time after which the agent kills the command and all processes that it started.',
        'x-unit': 'seconds',
        default: 60,
      }),
      stdin: z.boolean().optional().meta({
        description: 'Whether the command reads the client and the check as JSON from its standard input.',
        default: false,
      }),
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
  client_attributes: z
    .record(z.string(), z.unknown())
    .describe(
      'Attributes that a client must have for the check to run for it. A text that begins with `eval:` is an' +
        ' expression. An empty object matches every client.',
    ),
  splay: z.boolean().optional().meta({
    description: 'Whether the requests are spread over the interval instead of being sent at once.',
    default: false,
  }),
  splay_coverage: z.int().min(1).max(99).optional().meta({
    description: 'Part of the interval over which `splay` spreads the requests.',
    'x-unit': 'percent',
    default: 90,
  }),
});

/**
 * A check definition (reference 2.2). Unknown attributes are kept and copied to results and events. The descriptions
 * are printed on a page of the documentation. An attribute with `x-value` is not validated: mon only warns about other
 * values.
 */
export const checkSchema = z
  .looseObject({
    type: z.unknown().optional().meta({
      'x-value': '`standard` or `metric`',
      description: 'With `metric`, handlers receive every result, even if it is OK.',
      default: 'standard',
    }),
    command: commandSchema
      .optional()
      .describe(
        'The command that the agent runs. A text runs in a shell; a list of a program and its arguments runs without' +
          ' one. Required, unless `extension` is set.',
      ),
    extension: z
      .string()
      .min(1)
      .optional()
      .describe('Name of a built-in check of the agent, which runs instead of a command.'),
    standalone: z.boolean().optional().meta({
      description: 'Whether the agent schedules the check itself, from its own configuration.',
      default: false,
    }),
    subscribers: z
      .array(z.string().min(1))
      .optional()
      .describe(
        'Subscriptions whose agents run the check. With the prefix `roundrobin:`, the agents take turns. Required,' +
          ' unless `standalone` is true.',
      ),
    publish: z.boolean().optional().meta({
      description: 'Whether the check is scheduled. With false, it runs only on request.',
      default: true,
    }),
    interval: z.int().positive().optional().meta({
      description: 'Time between two runs. Required, unless `cron` is set or `publish` is false.',
      'x-unit': 'seconds',
    }),
    cron: z
      .string()
      .max(255)
      .superRefine((cron, context) => {
        const message = cronProblem(cron);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      })
      .optional()
      .describe('Schedule of the check as five cron fields or a name such as `@daily`. It overrides `interval`.'),
    timezone: z
      .string()
      .refine((zone) => timeZoneOf(zone) !== undefined, `must be ${TIME_ZONE_HINT}`)
      .optional()
      .describe(
        'Time zone of `cron` and `subdue`, such as `Europe/Berlin` or `+02:00`. Default: the time zone of the machine' +
          ' that schedules the check.',
      ),
    timeout: z
      .number()
      .positive()
      .optional()
      .meta({
        description:
          'Time after which the agent kills the command and all processes that it started. The status is then 2.' +
          ' Default: no limit.',
        'x-unit': 'seconds',
      }),
    stdin: z.boolean().optional().meta({
      description: 'Whether the command reads the client and the check as JSON from its standard input.',
      default: false,
    }),
    ttl: z
      .int()
      .positive()
      .optional()
      .meta({
        description:
          'Time within which the next result must arrive. If none arrives, the backend opens an event. Choose more than' +
          ' `interval`.',
        'x-unit': 'seconds',
      }),
    ttl_status: z.int().optional().meta({
      description: 'Status of the result that reports the end of the `ttl`.',
      default: 1,
    }),
    auto_resolve: z.boolean().optional().meta({
      description: 'Whether an OK result resolves the event. With false, the event stays open until you resolve it.',
      default: true,
    }),
    force_resolve: z
      .boolean()
      .optional()
      .meta({
        description:
          'In a result: whether an OK result resolves the event in spite of `auto_resolve`, `resolve_after` and' +
          ' flapping. Manual resolutions set it.',
        default: false,
      }),
    resolve_after: z
      .union([z.number(), z.string()])
      .optional()
      .describe(
        'Number of OK results in a row after which an event resolves (`3`), or a duration over which all results must' +
          ' be OK (`5m`). Default: the first OK result resolves the event.',
      ),
    handle: z.boolean().optional().meta({
      description: 'Whether events of the check are passed to handlers.',
      default: true,
    }),
    handler: z.string().optional().describe('Name of one handler or handler set. `handlers` overrides it.'),
    handlers: z
      .array(z.string().min(1))
      .optional()
      .describe(
        'Handlers and handler sets that are notified about events of the check. `[]` means none. Default: the handler' +
          ' `default`.',
      ),
    low_flap_threshold: z.int().optional().meta({
      description: 'State change at or below which a flapping check stops flapping. Needs `high_flap_threshold`.',
      'x-unit': 'percent',
    }),
    high_flap_threshold: z.int().optional().meta({
      description: 'State change from which the check is flapping. Needs `low_flap_threshold`.',
      'x-unit': 'percent',
    }),
    source: sourceSchema
      .optional()
      .describe('Name of the proxy client to which the results belong, instead of the client that runs the check.'),
    truncate_output: z
      .boolean()
      .optional()
      .describe(
        'Whether the stored result contains only the first line of the output. Default: true for `type: metric`' +
          ' without `output_metric_handlers`, otherwise false.',
      ),
    truncate_output_length: z.int().positive().optional().meta({
      description: 'Maximum length of the first line with `truncate_output`. A longer line keeps one character more.',
      'x-unit': 'characters',
      default: 255,
    }),
    aggregate: aggregateSchema
      .optional()
      .describe('Name of the aggregate that the results belong to. With true, it has the name of the check.'),
    aggregates: aggregatesSchema
      .optional()
      .describe('Names of the aggregates that the results belong to. They override `aggregate`.'),
    subdue: timeWindowsSchema.optional().describe('Time windows by day of the week in which the check does not run.'),
    subdues: subduesSchema
      .optional()
      .describe('Time windows with a first and a last moment in which the check does not run. They can repeat.'),
    hooks: hooksSchema
      .optional()
      .describe(
        'Commands that the agent runs after the check, by their name: a status (`0` to `255`), `ok`, `warning`,' +
          ' `critical`, `unknown` or `non-zero`. At most one of them runs.',
      ),
    proxy_requests: proxyRequestsSchema
      .optional()
      .describe('Runs the check once for each client with matching attributes, as the source of the result.'),
    occurrences: z.int().positive().optional().meta({
      description: 'Number of results in a row with the same status before the filter `occurrences` passes the event.',
      default: 1,
    }),
    refresh: z.int().min(0).optional().meta({
      description: 'Time after which the filter `occurrences` passes an unresolved event again.',
      'x-unit': 'seconds',
      default: 1800,
    }),
    dependencies: z
      .unknown()
      .optional()
      .meta({
        'x-value': 'list of text',
        description:
          'Checks on which this check depends: `CHECK` on the same client, `CLIENT/CHECK`, or' +
          ' `subscription:NAME/CHECK`. The filter `check_dependencies` rejects the event while one of them has an event.',
      }),
    contact: z
      .unknown()
      .optional()
      .meta({ 'x-value': 'text', description: 'Name of one contact. `contacts` overrides it.' }),
    contacts: z.unknown().optional().meta({
      'x-value': 'list of text',
      description:
        'Handlers or handler sets that are notified in addition to `handlers`. They replace the handler `default`.',
    }),
    notification: z.unknown().optional().meta({
      'x-value': 'text',
      description: 'Message for handler commands that send it instead of the output. `mon` itself passes it on.',
    }),
    runbook: z.unknown().optional().meta({
      'x-value': 'text',
      description: 'Address of a page that says what to do. The console, mails and chat messages show it.',
    }),
    influxdb: z.unknown().optional().meta({
      'x-value': 'object',
      description: 'Settings for an InfluxDB handler of Sensu Core, such as `tags`. `mon` passes them on to handlers.',
    }),
    opsgenie: z.unknown().optional().meta({
      'x-value': 'object',
      description: 'Settings for an Opsgenie handler of Sensu Core, such as `tags`. `mon` passes them on to handlers.',
    }),
    env_vars: z.unknown().optional().meta({
      'x-value': 'list of text',
      description: 'Environment variables of the command, as `NAME=value`.',
    }),
    max_output_size: z.unknown().optional().meta({
      'x-value': 'integer from 1',
      description: 'Maximum size of the output in stored results and events. Handlers receive the whole output.',
      'x-unit': 'bytes',
    }),
    output_metric_format: z.unknown().optional().meta({
      'x-value': '`graphite_plaintext`, `influxdb_line`, `nagios_perfdata`, `opentsdb_line` or `prometheus_text`',
      description: 'Format of the metrics in the output. Default: `graphite_plaintext` for `type: metric`.',
    }),
    output_metric_handlers: z
      .unknown()
      .optional()
      .meta({
        'x-value': 'list of text',
        description:
          'Handlers that receive every result, even if it is OK. They need `output_metric_format`, and the type of the' +
          ' results becomes `metric`.',
      }),
    output_metric_tags: z.unknown().optional().meta({
      'x-value': 'list of objects with `name` and `value`',
      description: 'Tags that are added to the metrics.',
    }),
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
