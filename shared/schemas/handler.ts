import { z } from 'zod';
import { commandSchema } from './command.ts';
import { environmentSchema } from './environment.ts';
import { groupingAttributes, groupingProblems } from './grouping.ts';
import { mailAddressesSchema, mailAddressSchema } from './mail-address.ts';
import { PRESET_NAMES, presetTraits, type PresetAttribute } from './preset.ts';
import { parseStreamAddress } from './stream-address.ts';

const SEVERITIES = ['ok', 'warning', 'critical', 'unknown'] as const;

const nameSchema = z.string().min(1, 'must not be empty');

const seconds = z.number().positive();

/** How often a run that fails is tried again; pauses grow from `delay` to `max_delay` seconds, spread by chance. */
const retrySchema = z.strictObject({
  /** Tries in all, the first included. */
  attempts: z.int().min(1).max(100),
  delay: seconds.max(3600).default(1),
  max_delay: seconds.max(86_400).default(60),
});

export type RetryPolicy = z.infer<typeof retrySchema>;

/** What every handler that does something may have (completion 1.8). Unknown attributes are kept. */
const common = {
  filter: nameSchema.optional(),
  /** Wins over `filter`; run in order, the first that filters wins. */
  filters: z.array(nameSchema).optional(),
  severities: z.array(z.enum(SEVERITIES)).optional(),
  mutator: nameSchema.optional(),
  handle_silenced: z.boolean().optional(),
  handle_flapping: z.boolean().optional(),
  /** Whether the event loses its secrets on the way (completion, Decisions). */
  redact: z.boolean().optional(),
  /** How the event is written: as version 1 shows it, the default, or as version 2 does. */
  event_format: z.enum(['legacy', 'core']).optional(),
  /** Without it nothing is tried again, but for webhooks. */
  retry: retrySchema.optional(),
  /** Most runs at the same time. */
  concurrency: z.int().min(1).max(1000).optional(),
  /** Most runs that may wait; what comes beyond it is a dead letter. */
  queue_limit: z.int().min(1).max(1_000_000).optional(),
  ...groupingAttributes,
};

const socketSchema = z.looseObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
});

/** What a broker of the legacy service was told is kept, and does nothing. */
const transportOptionsSchema = z.looseObject({
  /** Gets each piece as one more line. */
  file: z.string().startsWith('/', 'must be an absolute path').optional(),
  /** Gets each piece on a connection of its own. */
  socket: z
    .string()
    .refine((text) => parseStreamAddress(text) !== undefined, 'must be an absolute path or host:port')
    .optional(),
});

/** A credential that stands in a header or in a path. */
const headerTextSchema = z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces');

/** The body and the connection are not for a definition to describe. */
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

/** A text with `{{ expressions }}` in it; whether they can be read is for `templateRemarks` to say. */
const templateSchema = z.string().max(64 * 1024);

const webhookSchema = z
  .looseObject({
    ...common,
    type: z.literal('webhook'),
    /** Of a preset that is told where its service is, its base. */
    url: z.url({ protocol: /^https?$/, error: 'must be a URL with http or https' }).optional(),
    timeout: seconds.optional(),
    /** Signs each body: HMAC-SHA256, in the header `X-Mon-Signature`. */
    secret: z.string().min(1).optional(),
    headers: headersSchema.optional(),
    /** The service whose payload is sent; absent: the event as JSON. */
    preset: z.enum(PRESET_NAMES).optional(),
    /** Of `preset`: in place of its own words. */
    templates: z.strictObject({ title: templateSchema.optional(), text: templateSchema.optional() }).optional(),
    /** Of PagerDuty: the integration key. */
    routing_key: z.string().min(1).optional(),
    /** Of Opsgenie. */
    api_key: headerTextSchema.optional(),
    /** Of Telegram and ntfy. */
    api_token: headerTextSchema.optional(),
    /** Of Telegram: the id of a chat, or `@name` of a channel. */
    chat: z.union([z.string().min(1), z.int()]).optional(),
    /** Of ntfy. */
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be 1 to 64 letters, digits, - and _')
      .optional(),
  })
  .superRefine((handler, context) => {
    const { preset, templates } = handler;
    const missing = (attribute: PresetAttribute): boolean => handler[attribute] === undefined;
    for (const attribute of presetTraits(preset).needs.filter(missing)) {
      const whose = preset === undefined ? 'a webhook' : `the preset ${preset}`;
      context.addIssue({ code: 'custom', path: [attribute], message: `is required for ${whose}` });
    }
    if (preset === undefined && templates !== undefined) {
      context.addIssue({ code: 'custom', path: ['templates'], message: 'needs a preset: use a mutator' });
    }
  });

const emailSchema = z.looseObject({
  ...common,
  type: z.literal('email'),
  smtp: z
    .strictObject({
      host: z.string().min(1),
      /** Default: 465, 587 or 25, by `tls`. */
      port: z.int().min(1).max(65_535).optional(),
      /** From the first byte; asked for and insisted on; taken where there is some; never. */
      tls: z.enum(['implicit', 'starttls', 'opportunistic', 'none']).default('starttls'),
      /** PEM: the authorities that know the server, in place of those of this machine. */
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
  /** In place of the usual words. */
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
        /** `NAME=value`, over the environment that commands have. */
        env_vars: environmentSchema.optional(),
      }),
      z.looseObject({ ...common, type: z.literal('tcp'), socket: socketSchema, timeout: seconds.optional() }),
      z.looseObject({ ...common, type: z.literal('udp'), socket: socketSchema }),
      z.looseObject({
        ...common,
        type: z.literal('transport'),
        pipe: z.looseObject({
          type: z.enum(['direct', 'fanout', 'topic']),
          /** What consumers of the live feed ask for. */
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

/** A handler that does something itself. */
export type RunningHandler = Exclude<HandlerDefinition, { type: 'set' }>;
