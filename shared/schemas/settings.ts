import { z } from 'zod';
import { alertSettingsSchema } from './alert.ts';
import { KEEPALIVE_THRESHOLDS } from './keepalive.ts';
import { isPasswordHash, parsePasswordHash } from './password-hash.ts';
import { aggregateRulesSchema } from './aggregate-rule.ts';
import { silencePolicySettingsSchema } from './silence-policy.ts';

/** The backend's listener, unless the configuration or a flag says otherwise. Loopback: opening up is a decision. */
const API_DEFAULTS = { bind: '127.0.0.1', port: 4567 } as const;

/** How a listener speaks TLS. */
const tlsSettingsSchema = z.strictObject({
  'cert-file': z.string().min(1).describe('PEM: the certificate, then those that lead to its authority.'),
  'key-file': z.string().min(1).describe('PEM, without a passphrase, for its owner alone (mode 0600).'),
  'client-ca-file': z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM: the authorities whose certificates say which agent shows them. Without it nobody is asked for one.',
    ),
});

export type TlsSettings = z.infer<typeof tlsSettingsSchema>;

const ownTlsSchema = z
  .union(
    [tlsSettingsSchema, z.literal(false)],
    'must have cert-file and key-file, and may have client-ca-file; or be false',
  )
  .optional()
  .describe('TLS of this listener, in place of that of all; `false`: none here.');

/** The `api` section of a configuration (completion 1.1). Unknown attributes are kept and do nothing. */
export const apiSettingsSchema = z
  .looseObject({
    bind: z
      .string()
      .min(1)
      .default(API_DEFAULTS.bind)
      .describe('The address to listen on. One that others can reach takes credentials and TLS.'),
    port: z.int().min(0).max(65_535).default(API_DEFAULTS.port).describe('0: any free port.'),
    user: z
      .string()
      .min(1)
      .refine((user) => !user.includes(':'), 'must not hold a colon: HTTP Basic ends the user name there')
      .optional()
      .describe('An administrator beside those that are stored; only together with `password`.'),
    password: z
      .string()
      .min(1)
      .refine(
        (password) => !isPasswordHash(password) || parsePasswordHash(password) !== undefined,
        'is no usable hash: make one with mon-backend hash-password',
      )
      .optional()
      .describe('`scrypt$N$r$p$salt$hash`, as `mon-backend hash-password` prints it, or the password itself.'),
    tls: ownTlsSchema,
    cors: z
      .union([z.record(z.string(), z.string()), z.literal(false)], 'expected an object of headers, or false')
      .optional()
      .describe(
        'Header name to value, in place of the default CORS headers, for all of the API; `false`: none at all.',
      ),
  })
  .superRefine((api, context) => {
    // Half a pair of credentials would leave the API open although somebody meant to close it.
    const missing = api.user === undefined ? 'user' : 'password';
    const given = missing === 'user' ? 'password' : 'user';
    if (api[given] !== undefined && api[missing] === undefined) {
      context.addIssue({ code: 'custom', path: [missing], message: `is required with ${given}` });
    }
  });

export type ApiSettings = z.infer<typeof apiSettingsSchema>;

const thresholdSchema = z.int().positive();

/**
 * The `sensu` section of the legacy service, as far as it has a meaning here: `keepalives` holds the attributes of the
 * keepalive results of all clients, beneath those of a client itself (completion 1.10).
 */
export const v1SettingsSchema = z.looseObject({
  keepalives: z
    .looseObject({
      handler: z.string().min(1).optional(),
      handlers: z.array(z.string().min(1)).optional(),
      thresholds: z
        .looseObject({
          warning: thresholdSchema.default(KEEPALIVE_THRESHOLDS.warning),
          critical: thresholdSchema.default(KEEPALIVE_THRESHOLDS.critical),
        })
        .default(KEEPALIVE_THRESHOLDS),
    })
    .default({ thresholds: KEEPALIVE_THRESHOLDS }),
});

export type KeepaliveSettings = z.infer<typeof v1SettingsSchema>['keepalives'];

/** What one client or result may bring along, unless the configuration says otherwise (security S7). */
export const ATTRIBUTE_LIMITS = { bytes: 64 * 1024, keys: 1000 } as const;

/** Silenced entries of one namespace, unless the configuration says otherwise (security S7). */
export const SILENCES_MAX = 1_000_000;

/** Levels of the log, from the one that says the most. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** In CIDR notation. */
const networksSchema = z
  .array(z.union([z.cidrv4(), z.cidrv6()], 'must be a network like 10.1.0.0/16 or fd00::/8'))
  .max(1000)
  .default([]);

/** Where programs are: without a way to say the same by other names. */
const directorySchema = z
  .string()
  .max(4096)
  .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+\/?$/, 'must be an absolute path without . and .., and not / itself');

/** Settings of the program itself, at the top level of a configuration, named like their flags. */
export const programSettingsSchema = z.object({
  'client-quarantine': z
    .int()
    .min(0)
    .max(86_400)
    .default(60)
    .describe('Seconds for which late results of agents cannot bring a deleted client back; 0: they can at once.'),
  'proxy-client-quota': z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1000)
    .describe(
      'Proxy clients that the results of one agent may make by their `source`: one that is broken or taken over cannot fill the registry.',
    ),
  entity_limit: z
    .union([z.int().min(0).max(10_000_000), z.literal('unlimited')], 'must be a number, or unlimited')
    .default(100)
    .describe('Entities that agents, the newer API and a restore may make, in all namespaces together.'),
  'attributes-limit': z
    .int()
    .min(1024)
    .max(1024 * 1024)
    .default(ATTRIBUTE_LIMITS.bytes)
    .describe('Bytes of JSON that a client may have, and a result without its output and metrics.'),
  'keys-limit': z
    .int()
    .min(10)
    .max(100_000)
    .default(ATTRIBUTE_LIMITS.keys)
    .describe('Keys that each object in a client or a result may have.'),
  'memory-limit': z
    .int()
    .min(1)
    .max(1_048_576)
    .optional()
    .describe(
      'MiB of memory that what is known may take: clients, checks, events, silences, stashes. Beyond it nothing new is taken, and what is known goes on. Without it: a share of what the process may use.',
    ),
  'silences-limit': z
    .int()
    .min(1)
    .max(10_000_000)
    .default(SILENCES_MAX)
    .describe('Silenced entries that one namespace may have.'),
  'disk-floor': z
    .int()
    .min(0)
    .max(2 ** 50)
    .default(512 * 1024 * 1024)
    .describe(
      'Bytes that must stay free on the disk of the state directory: below, new results and new entries are refused, and what ends, resolves or deletes goes on. 0: never mind.',
    ),
  'connection-limit': z
    .int()
    .min(10)
    .max(1_000_000)
    .default(50_000)
    .describe('Connections of all kinds at once; fewer where the process may have fewer files open.'),
  'connection-limit-per-address': z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Connections of one address (of IPv6: of one /64), but for those that speak for many. Without it: a tenth of all.',
    ),
  'buffer-limit': z
    .int()
    .min(64)
    .max(1_000_000)
    .default(256)
    .describe('MiB that may wait in memory for all peers together that do not read, or do not end what they say.'),
  'buffer-limit-per-connection': z
    .int()
    .min(20)
    .max(1_000_000)
    .default(32)
    .describe('MiB that may wait in memory for one such peer.'),
  'agent-listener': z
    .strictObject({
      bind: z.string().min(1).default(API_DEFAULTS.bind).describe('The address to listen on.'),
      port: z.int().min(0).max(65_535).default(8081).describe('0: any free port.'),
      tls: ownTlsSchema,
    })
    .optional()
    .describe('A port of its own for agents, also those of the newer generation. Without it: none.'),
  'core-api': z
    .strictObject({
      bind: z.string().min(1).default(API_DEFAULTS.bind).describe('The address to listen on.'),
      port: z.int().min(0).max(65_535).default(8080).describe('0: any free port.'),
      tls: ownTlsSchema,
    })
    .optional()
    .describe('A port of its own for the newer API, with the `/health` of that. Without it: none.'),
  tls: tlsSettingsSchema
    .optional()
    .describe('TLS of every listener that has no settings of its own. Without it: none.'),
  'insecure-http': z
    .boolean()
    .default(false)
    .describe('Whether an address that others can reach may be listened at without TLS.'),
  'audit-limit': z
    .int()
    .min(100)
    .max(10_000_000)
    .default(100_000)
    .describe('Records of the audit trail that are kept.'),
  alerts: alertSettingsSchema.prefault({}).describe('What the labels of alerts of a Prometheus mean.'),
  timeline: z
    .strictObject({
      days: z
        .int()
        .min(0)
        .max(3650)
        .default(90)
        .describe('Days for which transitions are kept. 0: none are noted, and those that are there go.'),
      'transitions-per-check': z
        .int()
        .min(100)
        .max(1_000_000)
        .default(10_000)
        .describe(
          'Transitions of one client and check that are kept; until the next look a tenth more, seldom some more.',
        ),
    })
    .prefault({})
    .describe('How much of the past is kept.'),
  'aggregate-rules': aggregateRulesSchema.describe(
    'When an aggregate makes an event, by the name of its check: see [aggregate rules](spec/aggregates.md).',
  ),
  'silence-reminder': z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe(
      'Seconds before the end of a silence that still keeps something quiet at which that is pointed out; 0: never. For silences that are made or extended from then on.',
    ),
  'silence-reminder-handler': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('A handler that is told as well: once for each end of a silence that is pointed out.'),
  'silence-idle-after': z
    .int()
    .min(0)
    .max(31_536_000)
    .default(604_800)
    .describe('Seconds after which a silence that has matched nothing is marked as idle; 0: never.'),
  'silence-idle-expire': z
    .int()
    .min(0)
    .max(31_536_000)
    .default(0)
    .describe('Seconds that a silence may be marked as idle before it is ended; 0: it never is ended for that.'),
  'silence-policy': silencePolicySettingsSchema.prefault({}).describe('What silences must keep to.'),
  'handler-networks': networksSchema.describe(
    'Networks, in CIDR notation, that handlers may reach by a name or a redirect although they are not public; an address that a definition names itself needs none of this.',
  ),
  'trusted-proxies': networksSchema.describe(
    'Networks of proxies whose `X-Forwarded-For`, or `Forwarded`, is believed to tell the address of the caller.',
  ),
  'handle-when-silence-ends': z
    .boolean()
    .default(true)
    .describe(
      'Whether an event that a silence kept from handlers is handled when the silence ends and the problem persists.',
    ),
  'api-commands': z.boolean().default(true).describe('Whether definitions that come over the API may hold commands.'),
  'api-command-directories': z
    .array(directorySchema)
    .max(100)
    .default([])
    .describe('Where the programs of such commands must be. Empty: anywhere.'),
  'state-dir': z
    .string()
    .min(1)
    .default('var/backend')
    .describe('Where everything is stored, but for a database in `store`.'),
  store: z.string().min(1).max(4096).optional().describe('The URL of a PostgreSQL where everything is stored instead.'),
  'peer-url': z
    .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
    .max(1000)
    .optional()
    .describe(
      'Where other backends with the same database reach this one. Without it: its host name, or the address of `api.bind`.',
    ),
  'stale-after': z
    .int()
    .min(1)
    .max(3600)
    .default(5)
    .describe('Seconds that this backend may be behind the one that writes and still be asked.'),
  'run-handlers': z
    .boolean()
    .default(true)
    .describe('Whether this backend runs handlers for the one that writes, and as that one where another can.'),
  'log-level': z.enum(LOG_LEVELS).default('info').describe('What the log tells.'),
  log: z.string().min(1).optional().describe('A file for the log instead of standard output.'),
  'request-log-level': z
    .enum(['info', 'debug'])
    .default('info')
    .describe('The level of the record of each answered request: with `debug` a backend at `info` writes none.'),
});

export type ProgramSettings = z.infer<typeof programSettingsSchema>;
