import { z } from 'zod';
import { commandSchema } from './command.ts';
import { environmentSchema } from './environment.ts';
import { escalationStepsSchema } from './escalation.ts';
import { groupingAttributes, groupingProblems, groupNamesSchema } from './grouping.ts';
import { mailAddressesSchema, mailAddressSchema } from './mail-address.ts';
import { PRESET_NAMES, PRESETS_WITH_BUTTONS, presetsThatNeed, presetTraits, type PresetAttribute } from './preset.ts';
import { parseStreamAddress } from './stream-address.ts';

const SEVERITY_NAMES = ['ok', 'warning', 'critical', 'unknown'] as const;

const nameSchema = z.string().min(1, 'must not be empty');

const secondsSchema = z.number().positive();

/** The attribute `timeout` of a handler type with this default in seconds. */
function timeoutWithin(defaultSeconds: number, description: string) {
  return secondsSchema.optional().meta({ description, 'x-unit': 'seconds', default: defaultSeconds });
}

/**
 * The retry policy for failed runs. The delay before a retry grows from `delay` to `max_delay` seconds, with jitter.
 */
const retrySchema = z.strictObject({
  attempts: z.int().min(1).max(100).describe('Maximum number of attempts, including the first one.'),
  delay: secondsSchema.max(3600).default(1).meta({
    description: 'Minimum pause between two attempts. The pause is random, and its maximum doubles with each attempt.',
    'x-unit': 'seconds',
  }),
  max_delay: secondsSchema.max(86_400).default(60).meta({
    description: 'Upper limit of the pause between two attempts.',
    'x-unit': 'seconds',
  }),
});

export type RetryPolicy = z.infer<typeof retrySchema>;

/** Attributes of all handlers except sets: the conditions under which an event is notified (completion 1.8). */
const conditions = {
  filter: nameSchema.optional().describe('Name of one filter. `filters` overrides it.'),
  filters: z
    .array(nameSchema)
    .optional()
    .describe('Filters that an event must pass. They run in order until one rejects the event. Default: none.'),
  severities: z
    .array(z.enum(SEVERITY_NAMES))
    .optional()
    .describe(
      'Severities that the handler accepts. A resolution passes if a status in its history has one. Default: all.',
    ),
};

/** Attributes of all handlers that send something. Unknown attributes are kept. */
const commonAttributes = {
  ...conditions,
  mutator: nameSchema.optional().meta({
    description: 'Mutator that converts the event into the data to send.',
    default: 'json',
  }),
  handle_silenced: z.boolean().optional().meta({
    description: 'Whether the handler also receives silenced events.',
    default: false,
  }),
  handle_flapping: z.boolean().optional().meta({
    description: 'Whether the handler also receives events of flapping checks.',
    default: false,
  }),
  redact: z
    .boolean()
    .optional()
    .describe(
      'Whether secrets in the event are replaced before the handler receives it. Default: true for `webhook` and' +
        ' `email`, otherwise false. `transport` handlers always redact.',
    ),
  event_format: z.enum(['legacy', 'core']).optional().meta({
    description: 'Format of the event: `legacy` is that of the v1 API, and `core` is that of the v2 API.',
    default: 'legacy',
  }),
  retry: retrySchema
    .optional()
    .describe(
      'How often a failed run is attempted. Default: four attempts for `webhook` and `email`, one for other types.',
    ),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('Maximum number of simultaneous runs. Default: 10 for `pipe`, 5 for `email`, otherwise 20.'),
  queue_limit: z.int().min(1).max(1_000_000).optional().meta({
    description: 'Maximum number of runs that wait in the queue. Further runs become dead letters.',
    default: 10_000,
  }),
  ...groupingAttributes,
};

const socketSchema = z.looseObject({
  host: z.string().min(1).describe('Host name or IP address to connect to.'),
  port: z.int().min(1).max(65_535).describe('Port to connect to.'),
});

/** Options of a transport handler. Options for the message broker of Sensu Core are kept but have no effect. */
const transportOptionsSchema = z.looseObject({
  file: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe('Path of a file to which each message is appended as a line.'),
  socket: z
    .string()
    .refine((text) => parseStreamAddress(text) !== undefined, 'must be an absolute path or host:port')
    .optional()
    .describe('Path of a local socket, or `host:port`, to which each message is sent over a new connection.'),
});

/** A credential that is sent in a header or in the path of a URL. */
const headerTextSchema = z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces');

/** Names of headers that the backend sets itself. A definition must not set them. */
const RESERVED_HEADER = /^(?:host|connection|content-length|transfer-encoding|expect|upgrade|x-mon-.*)$/i;

const headersSchema = z
  .record(z.string(), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be the value of a header: one line'))
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers)) {
      const message = headerNameProblem(name);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
  });

function headerNameProblem(name: string): string | undefined {
  if (!/^[\w-]+$/.test(name)) return 'must be the name of a header';
  return RESERVED_HEADER.test(name) ? 'is set by the backend itself' : undefined;
}

/** A text template with `{{ expressions }}`. `templateRemarks` checks their syntax. */
const templateSchema = z.string().max(64 * 1024);

/** The attributes of client and check that a message shows. They follow the same rules as those in `group_by`. */
const detailsSchema = groupNamesSchema;

/** Random texts that URLs and headers can contain. Telegram allows only these characters in its secret token. */
const randomTextSchema = z
  .string()
  .regex(/^[-_A-Za-z0-9]{16,128}$/, 'must be 16 to 128 letters, digits, - and _, chosen at random');

const buttonsSchema = z.strictObject({
  callback_token: randomTextSchema.describe(
    'Last part of the URL to which the service sends the clicks: `/api/mon/v1/hooks/PRESET/CALLBACK_TOKEN`.',
  ),
  secret: randomTextSchema.describe(
    'Secret that authenticates the clicks. For `slack`: the signing secret of the app. For `telegram`: the' +
      ' `secret_token` of `setWebhook`. For `mattermost`: a random text, which signs the buttons.',
  ),
  api_key: headerTextSchema.describe(
    'API key of this backend. Its scopes `silence` and `resolve` decide which buttons work.',
  ),
});

const webhookSchema = z
  .looseObject({
    ...commonAttributes,
    type: z.literal('webhook'),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .optional()
      .describe(
        'URL to which the event is sent, or the base URL of the service of a preset. Required without a preset, and' +
          ` for ${presetsThatNeed('url')}.`,
      ),
    timeout: timeoutWithin(10, 'Time within which the response must arrive.'),
    secret: z
      .string()
      .min(1)
      .optional()
      .describe('Secret with which each body is signed. The header `X-Mon-Signature` contains its HMAC-SHA256.'),
    headers: headersSchema.optional().describe('Additional headers of the request, by name.'),
    preset: z
      .enum(PRESET_NAMES)
      .optional()
      .describe('Service whose message format is used. Default: the event is sent as JSON.'),
    details: detailsSchema
      .optional()
      .describe('Attributes of client and check that the message of a preset shows, such as `client.datacenter`.'),
    templates: z
      .strictObject({
        title: templateSchema.optional().describe('Title of the message, as plain text in one line.'),
        text: templateSchema.optional().describe('Text of the message, in the markup of the service.'),
      })
      .optional()
      .describe('Templates that replace the title and the text of the preset.'),
    buttons: buttonsSchema
      .optional()
      .describe(
        'Buttons that acknowledge, silence and resolve the event of a message. Only for the presets' +
          ` ${PRESETS_WITH_BUTTONS}, and only if the setting \`public-url\` is set. Default: no buttons.`,
      ),
    routing_key: z
      .string()
      .min(1)
      .optional()
      .describe(`Integration key. Required for ${presetsThatNeed('routing_key')}.`),
    api_key: headerTextSchema.optional().describe(`API key. Required for ${presetsThatNeed('api_key')}.`),
    api_token: headerTextSchema
      .optional()
      .describe(`Access token. Required for ${presetsThatNeed('api_token')}; optional for \`ntfy\`.`),
    chat: z
      .union([z.string().min(1), z.int()])
      .optional()
      .describe(`ID of a chat or \`@name\` of a channel. Required for ${presetsThatNeed('chat')}.`),
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be 1 to 64 letters, digits, - and _')
      .optional()
      .describe(`Topic, of 1 to 64 letters, digits, \`-\` and \`_\`. Required for ${presetsThatNeed('topic')}.`),
  })
  .superRefine((handler, context) => {
    const { preset, templates, details, buttons } = handler;
    const missing = (attribute: PresetAttribute): boolean => handler[attribute] === undefined;
    for (const attribute of presetTraits(preset).needs.filter(missing)) {
      const whose = preset === undefined ? 'a webhook' : `the preset ${preset}`;
      context.addIssue({ code: 'custom', path: [attribute], message: `is required for ${whose}` });
    }
    if (preset === undefined && templates !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['templates'],
        message: 'is only allowed with preset: without preset, use a mutator',
      });
    }
    if (preset === undefined && details !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['details'],
        message: 'is only allowed with preset: without preset, the event has all attributes',
      });
    }
    if (buttons !== undefined && presetTraits(preset).hasButtons !== true) {
      context.addIssue({
        code: 'custom',
        path: ['buttons'],
        message: `is only allowed with the presets ${PRESETS_WITH_BUTTONS.replaceAll('`', '')}`,
      });
    }
  });

const emailSchema = z.looseObject({
  ...commonAttributes,
  type: z.literal('email'),
  smtp: z
    .strictObject({
      host: z.string().min(1).describe('Host name or IP address of the SMTP server.'),
      port: z
        .int()
        .min(1)
        .max(65_535)
        .optional()
        .describe('Port of the SMTP server. Default: 465 with `implicit`, 587 with `starttls`, otherwise 25.'),
      tls: z
        .enum(['implicit', 'starttls', 'opportunistic', 'none'])
        .default('starttls')
        .describe(
          'When TLS is used. `implicit` means from the first byte, `starttls` after STARTTLS, which is then required,' +
            ' and `opportunistic` after STARTTLS if the server offers it.',
        ),
      ca_file: z
        .string()
        .startsWith('/', 'must be an absolute path')
        .optional()
        .describe('PEM file with the CA certificates to trust. Default: those of the system.'),
      user: z.string().min(1).optional().describe('User name. Needs `password`.'),
      password: z.string().min(1).optional().describe('Password. Needs `user`, and `tls: implicit` or `starttls`.'),
    })
    .superRefine(({ tls, user, password }, context) => {
      const issue = (path: string, message: string): void =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (user === undefined && password !== undefined) issue('user', 'is required with password');
      if (user === undefined) return;
      if (password === undefined) issue('password', 'is required with user');
      if (tls === 'opportunistic' || tls === 'none') issue('tls', 'must be implicit or starttls with a password');
    })
    .describe('The SMTP server that sends the mail.'),
  from: mailAddressSchema.describe('Sender, such as `mon@example.com` or `Monitoring <mon@example.com>`.'),
  to: mailAddressesSchema.describe('Recipients: one address, or a list of at most 50.'),
  cc: mailAddressesSchema.optional().describe('Recipients of a copy.'),
  reply_to: mailAddressesSchema.optional().describe('Addresses that receive replies. Default: the sender.'),
  timeout: timeoutWithin(30, 'Time within which the mail must be sent.'),
  details: detailsSchema
    .optional()
    .describe('Attributes of client and check that the mail shows, such as `client.datacenter`.'),
  templates: z
    .strictObject({
      subject: templateSchema.optional().describe('Subject, in one line.'),
      text: templateSchema.optional().describe('Plain text of the mail.'),
      html: templateSchema.optional().describe('HTML text of the mail. Values in `{{ }}` are escaped.'),
    })
    .optional()
    .describe('Templates that replace the subject and the text of the mail.'),
});

/** A handler definition (completion 1.8). The descriptions are printed on a page of the documentation. */
export const handlerSchema = z
  .discriminatedUnion(
    'type',
    [
      z.looseObject({
        ...commonAttributes,
        type: z.literal('pipe'),
        command: commandSchema.describe(
          'The command, which reads the event from standard input. A text runs in a shell; a list of a program and' +
            ' its arguments runs without one.',
        ),
        timeout: secondsSchema.optional().meta({
          description: 'Time after which the backend kills the command and its child processes. Default: no limit.',
          'x-unit': 'seconds',
        }),
        env_vars: environmentSchema
          .optional()
          .describe('Environment variables as `NAME=value`. They override the default environment of commands.'),
      }),
      z.looseObject({
        ...commonAttributes,
        type: z.literal('tcp'),
        socket: socketSchema.describe('The host and the port that receive the data.'),
        timeout: timeoutWithin(10, 'Time within which the data must be sent.'),
      }),
      z.looseObject({
        ...commonAttributes,
        type: z.literal('udp'),
        socket: socketSchema.describe('The host and the port that receive the data as one datagram.'),
      }),
      z.looseObject({
        ...commonAttributes,
        type: z.literal('transport'),
        pipe: z
          .looseObject({
            type: z
              .enum(['direct', 'fanout', 'topic'])
              .describe('Type of the exchange in Sensu Core. It has no effect.'),
            name: z.string().min(1).max(255).describe('Name to which consumers of the live feed subscribe.'),
            options: transportOptionsSchema.optional().describe('Further receivers of the messages.'),
          })
          .describe('Where the events are published.'),
      }),
      webhookSchema,
      emailSchema,
      z.looseObject({
        type: z.literal('set'),
        handlers: z.array(nameSchema).describe('The handlers and sets that the set stands for.'),
      }),
      z.looseObject({ ...conditions, type: z.literal('escalation'), steps: escalationStepsSchema }),
    ],
    { error: 'must be one of pipe, tcp, udp, transport, webhook, email, set, escalation' },
  )
  .superRefine((handler, context) => {
    for (const [attribute, message] of groupingProblems(handler)) {
      context.addIssue({ code: 'custom', path: [attribute], message });
    }
  });

export type HandlerDefinition = z.infer<typeof handlerSchema>;

/** The definition of an escalation: it notifies other handlers one step after another (on-call 2). */
export type EscalationDefinition = Extract<HandlerDefinition, { type: 'escalation' }>;

/** The definition of a handler that runs; a set and an escalation only name other handlers. */
export type RunningHandler = Exclude<HandlerDefinition, { type: 'set' | 'escalation' }>;

/** True if a handler runs; false for a set and an escalation, which only name other handlers. */
export function isRunningHandler(definition: HandlerDefinition): definition is RunningHandler {
  return definition.type !== 'set' && definition.type !== 'escalation';
}
