import { z } from 'zod';
import { commandSchema } from './command.ts';
import { environmentSchema } from './environment.ts';
import { groupingAttributes, groupingProblems, groupNamesSchema } from './grouping.ts';
import { mailAddressesSchema, mailAddressSchema } from './mail-address.ts';
import { PRESET_NAMES, presetTraits, type PresetAttribute } from './preset.ts';
import { parseStreamAddress } from './stream-address.ts';

const SEVERITIES = ['ok', 'warning', 'critical', 'unknown'] as const;

const nameSchema = z.string().min(1, 'must not be empty');

const seconds = z.number().positive();

/**
 * The retry policy for failed runs. The delay before a retry grows from `delay` to `max_delay` seconds, with jitter.
 */
const retrySchema = z.strictObject({
  /** Maximum number of attempts, including the first one. */
  attempts: z.int().min(1).max(100),
  delay: seconds.max(3600).default(1),
  max_delay: seconds.max(86_400).default(60),
});

export type RetryPolicy = z.infer<typeof retrySchema>;

/** Attributes of all handlers except sets (completion 1.8). Unknown attributes are kept. */
const common = {
  filter: nameSchema.optional(),
  /** Filters of the handler, which override `filter`. They run in order until one rejects the event. */
  filters: z.array(nameSchema).optional(),
  severities: z.array(z.enum(SEVERITIES)).optional(),
  mutator: nameSchema.optional(),
  handle_silenced: z.boolean().optional(),
  handle_flapping: z.boolean().optional(),
  /** True to redact secrets in the event before the handler gets it (completion, Decisions). */
  redact: z.boolean().optional(),
  /**
   * The format in which the handler gets the event: `legacy`, the default, is that of the v1 API; `core` is that of the
   * v2 API.
   */
  event_format: z.enum(['legacy', 'core']).optional(),
  /** The retry policy. By default, webhook and email handlers are retried, and other handlers are not. */
  retry: retrySchema.optional(),
  /** Maximum number of concurrent runs of the handler. */
  concurrency: z.int().min(1).max(1000).optional(),
  /** Maximum number of runs that wait in the queue. Further runs become dead letters. */
  queue_limit: z.int().min(1).max(1_000_000).optional(),
  ...groupingAttributes,
};

const socketSchema = z.looseObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
});

/** Options of a transport handler. Options for the message broker of Sensu Core are kept but have no effect. */
const transportOptionsSchema = z.looseObject({
  /** Path of a file to which each message is appended as a line. */
  file: z.string().startsWith('/', 'must be an absolute path').optional(),
  /** Path of a local socket, or `host:port`, to which each message is sent over a new connection. */
  socket: z
    .string()
    .refine((text) => parseStreamAddress(text) !== undefined, 'must be an absolute path or host:port')
    .optional(),
});

/** A credential that is sent in a header or in the path of a URL. */
const headerTextSchema = z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces');

/** Names of headers that the backend sets itself. A definition must not set them. */
const OWN_HEADER = /^(?:host|connection|content-length|transfer-encoding|expect|upgrade|x-mon-.*)$/i;

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
  return OWN_HEADER.test(name) ? 'is set by the backend itself' : undefined;
}

/** A text template with `{{ expressions }}`. `templateRemarks` checks their syntax. */
const templateSchema = z.string().max(64 * 1024);

/** The attributes of client and check that a message shows. They follow the same rules as those in `group_by`. */
const detailsSchema = groupNamesSchema;

const webhookSchema = z
  .looseObject({
    ...common,
    type: z.literal('webhook'),
    /** URL of the webhook. For a preset whose service is self-hosted: its base URL. */
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
    timeout: seconds.optional(),
    /** Secret with which each body is signed: the header `X-Mon-Signature` contains its HMAC-SHA256. */
    secret: z.string().min(1).optional(),
    headers: headersSchema.optional(),
    /** The service in whose format the notification is sent. Absent: the event as JSON. */
    preset: z.enum(PRESET_NAMES).optional(),
    /** Attributes of client and check that the message of a preset shows, such as `client.datacenter`. */
    details: detailsSchema.optional(),
    /** Templates that replace the title and text of the preset. */
    templates: z.strictObject({ title: templateSchema.optional(), text: templateSchema.optional() }).optional(),
    /** Integration key, for the preset `pagerduty`. */
    routing_key: z.string().min(1).optional(),
    /** API key, for the presets `opsgenie` and `jira-service-management`. */
    api_key: headerTextSchema.optional(),
    /** Access token, for the presets `telegram`, `ntfy` and `incident-io`. */
    api_token: headerTextSchema.optional(),
    /** Id of a chat or `@name` of a channel, for the preset `telegram`. */
    chat: z.union([z.string().min(1), z.int()]).optional(),
    /** Topic, for the preset `ntfy`. */
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be 1 to 64 letters, digits, - and _')
      .optional(),
  })
  .superRefine((handler, context) => {
    const { preset, templates, details } = handler;
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
  });

const emailSchema = z.looseObject({
  ...common,
  type: z.literal('email'),
  smtp: z
    .strictObject({
      host: z.string().min(1),
      /** Port of the SMTP server. Default: 465, 587 or 25, depending on `tls`. */
      port: z.int().min(1).max(65_535).optional(),
      /**
       * When TLS is used. `implicit`: from the first byte; `starttls`: after STARTTLS, which is required;
       * `opportunistic`: after STARTTLS if the server offers it; `none`: never.
       */
      tls: z.enum(['implicit', 'starttls', 'opportunistic', 'none']).default('starttls'),
      /** PEM file with CA certificates that are trusted instead of the default ones. */
      ca_file: z.string().startsWith('/', 'must be an absolute path').optional(),
      user: z.string().min(1).optional(),
      password: z.string().min(1).optional(),
    })
    .superRefine(({ tls, user, password }, context) => {
      const issue = (path: string, message: string): void =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (user === undefined && password !== undefined) issue('user', 'is required with password');
      if (user === undefined) return;
      if (password === undefined) issue('password', 'is required with user');
      if (tls === 'opportunistic' || tls === 'none') issue('tls', 'must be implicit or starttls with a password');
    }),
  from: mailAddressSchema,
  to: mailAddressesSchema,
  cc: mailAddressesSchema.optional(),
  reply_to: mailAddressesSchema.optional(),
  timeout: seconds.optional(),
  /** Attributes of client and check that the mail shows, such as `client.datacenter`. */
  details: detailsSchema.optional(),
  /** Templates that replace the default subject, text and HTML text. */
  templates: z
    .strictObject({
      subject: templateSchema.optional(),
      text: templateSchema.optional(),
      html: templateSchema.optional(),
    })
    .optional(),
});

/** A handler definition (completion 1.8). */
export const handlerSchema = z
  .discriminatedUnion(
    'type',
    [
      z.looseObject({
        ...common,
        type: z.literal('pipe'),
        command: commandSchema,
        timeout: seconds.optional(),
        /** Environment variables as `NAME=value`. They override the default environment of commands. */
        env_vars: environmentSchema.optional(),
      }),
      z.looseObject({ ...common, type: z.literal('tcp'), socket: socketSchema, timeout: seconds.optional() }),
      z.looseObject({ ...common, type: z.literal('udp'), socket: socketSchema }),
      z.looseObject({
        ...common,
        type: z.literal('transport'),
        pipe: z.looseObject({
          type: z.enum(['direct', 'fanout', 'topic']),
          /** Name to which consumers of the live feed subscribe. */
          name: z.string().min(1).max(255),
          options: transportOptionsSchema.optional(),
        }),
      }),
      webhookSchema,
      emailSchema,
      z.looseObject({ type: z.literal('set'), handlers: z.array(nameSchema) }),
    ],
    { error: 'must be one of pipe, tcp, udp, transport, webhook, email, set' },
  )
  .superRefine((handler, context) => {
    for (const [attribute, message] of groupingProblems(handler)) {
      context.addIssue({ code: 'custom', path: [attribute], message });
    }
  });

export type HandlerDefinition = z.infer<typeof handlerSchema>;

/** The definition of a handler that runs; a set only names other handlers. */
export type RunningHandler = Exclude<HandlerDefinition, { type: 'set' }>;
