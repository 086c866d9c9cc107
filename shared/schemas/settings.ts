import { z } from 'zod';
import { certificateRuleSchema } from './certificate-rule.ts';
import { alertSettingsSchema } from './alert.ts';
import { KEEPALIVE_THRESHOLDS } from './keepalive.ts';
import { isPasswordHash, parsePasswordHash } from './password-hash.ts';
import { aggregateRulesSchema } from './aggregate-rule.ts';
import { silencePolicySettingsSchema } from './silence-policy.ts';

/** Default address of the API. It is loopback, because exposing the API must be a deliberate decision. */
const API_DEFAULTS = { bind: '127.0.0.1', port: 4567 } as const;

/** TLS settings of a listener. */
const tlsSettingsSchema = z.strictObject({
  'cert-file': z.string().min(1).describe('The certificate, followed by its intermediate certificates (PEM).'),
  'key-file': z
    .string()
    .min(1)
    .describe('The private key (PEM), without a passphrase, readable only by its owner (mode 0600).'),
  'client-ca-file': z
    .string()
    .min(1)
    .optional()
    .describe('CA certificates (PEM) of agent certificates. Without it no client certificate is requested.'),
});

export type TlsSettings = z.infer<typeof tlsSettingsSchema>;

const ownTlsSchema = z
  .union(
    [tlsSettingsSchema, z.literal(false)],
    'must have cert-file and key-file, and may have client-ca-file; or be false',
  )
  .optional()
  .describe('TLS of this listener instead of the common one; `false` disables TLS here.');

/** The `api` section of a configuration (completion 1.1). Unknown attributes are kept but have no effect. */
export const apiSettingsSchema = z
  .looseObject({
    bind: z
      .string()
      .min(1)
      .default(API_DEFAULTS.bind)
      .describe('Address to listen on. An address that other hosts can reach needs credentials and TLS.'),
    port: z.int().min(0).max(65_535).default(API_DEFAULTS.port).describe('Port to listen on; 0: any free port.'),
    user: z
      .string()
      .min(1)
      .refine((user) => !user.includes(':'), 'must not hold a colon: HTTP Basic ends the user name there')
      .optional()
      .describe('User name of an additional administrator; needs `password`.'),
    password: z
      .string()
      .min(1)
      .refine(
        (password) => !isPasswordHash(password) || parsePasswordHash(password) !== undefined,
        'is not a valid hash: create one with mon-backend hash-password',
      )
      .optional()
      .describe('Password hash `scrypt$N$r$p$salt$hash` from `mon-backend hash-password`, or the plain password.'),
    tls: ownTlsSchema,
    cors: z
      .union([z.record(z.string(), z.string()), z.literal(false)], 'expected an object of headers, or false')
      .optional()
      .describe('CORS headers of the API as name and value, instead of the defaults; `false`: no CORS headers.'),
  })
  .superRefine((api, context) => {
    // Incomplete credentials would leave the API open although the operator meant to protect it.
    const missing = api.user === undefined ? 'user' : 'password';
    const given = missing === 'user' ? 'password' : 'user';
    if (api[given] !== undefined && api[missing] === undefined) {
      context.addIssue({ code: 'custom', path: [missing], message: `is required with ${given}` });
    }
  });

export type ApiSettings = z.infer<typeof apiSettingsSchema>;

const thresholdSchema = z.int().positive();

/**
 * The `sensu` section of Sensu Core, limited to attributes with a meaning here. `keepalives` has default attributes for
 * the keepalive results of all clients; those of a client override them (completion 1.10).
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

/** Default limits of one client or result (security S7). */
export const ATTRIBUTE_LIMITS = { bytes: 64 * 1024, keys: 1000 } as const;

/** Default limit of silences in one namespace (security S7). */
export const SILENCES_MAX = 1_000_000;

/** Log levels, the most verbose first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Networks in CIDR notation. */
const networksSchema = z
  .array(z.union([z.cidrv4(), z.cidrv6()], 'must be a network like 10.1.0.0/16 or fd00::/8'))
  .max(1000)
  .default([]);

/** A directory of programs, with only one possible spelling. */
const directorySchema = z
  .string()
  .max(4096)
  .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+\/?$/, 'must be an absolute path without . and .., and not / itself');

/** Settings of the program itself, at the top level of a configuration, with the names of their flags. */
export const programSettingsSchema = z.object({
  'client-quarantine': z
    .int()
    .min(0)
    .max(86_400)
    .default(60)
    .describe('Seconds during which late results cannot recreate a deleted client; 0: no quarantine.'),
  'proxy-client-quota': z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1000)
    .describe(
      'Maximum proxy clients that one agent may create with `source`, so that a faulty agent cannot fill the registry.',
    ),
  entity_limit: z
    .union([z.int().min(0).max(10_000_000), z.literal('unlimited')], 'must be a number, or unlimited')
    .default(100)
    .describe('Maximum entities in all namespaces together, created by agents, the v2 API or a restore.'),
  'attributes-limit': z
    .int()
    .min(1024)
    .max(1024 * 1024)
    .default(ATTRIBUTE_LIMITS.bytes)
    .describe('Maximum size of the JSON of a client, and of a result without output and metrics, in bytes.'),
  'keys-limit': z
    .int()
    .min(10)
    .max(100_000)
    .default(ATTRIBUTE_LIMITS.keys)
    .describe('Maximum keys of an object in a client or a result.'),
  'memory-limit': z
    .int()
    .min(1)
    .max(1_048_576)
    .optional()
    .describe(
      'Memory limit in MiB for clients, checks, events, silences and stashes. Above it new objects are rejected; existing ones keep working. Default: a share of the memory of the process.',
    ),
  'silences-limit': z.int().min(1).max(10_000_000).default(SILENCES_MAX).describe('Maximum silences in a namespace.'),
  'disk-floor': z
    .int()
    .min(0)
    .max(2 ** 50)
    .default(512 * 1024 * 1024)
    .describe(
      'Minimum free bytes on the disk of the state directory. Below it new results and objects are rejected; resolving, ending and deleting still work. 0 disables the check.',
    ),
  'connection-limit': z
    .int()
    .min(10)
    .max(1_000_000)
    .default(50_000)
    .describe('Maximum connections; lower if the process may open fewer files.'),
  'connection-limit-per-address': z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Maximum connections of one address (IPv6: one /64), except trusted proxies. Default: a tenth of all.'),
  'buffer-limit': z
    .int()
    .min(64)
    .max(1_000_000)
    .default(256)
    .describe('Memory in MiB for buffers of all slow connections together.'),
  'buffer-limit-per-connection': z
    .int()
    .min(20)
    .max(1_000_000)
    .default(32)
    .describe('Memory in MiB for buffers of one slow connection.'),
  'agent-listener': z
    .strictObject({
      bind: z.string().min(1).default(API_DEFAULTS.bind).describe('Address to listen on.'),
      port: z.int().min(0).max(65_535).default(8081).describe('Port to listen on; 0: any free port.'),
      tls: ownTlsSchema,
    })
    .optional()
    .describe('Separate listener for agents, including Sensu Go agents. Default: none.'),
  'core-api': z
    .strictObject({
      bind: z.string().min(1).default(API_DEFAULTS.bind).describe('Address to listen on.'),
      port: z.int().min(0).max(65_535).default(8080).describe('Port to listen on; 0: any free port.'),
      tls: ownTlsSchema,
    })
    .optional()
    .describe('Separate listener for the v2 API with its `/health`. Default: none.'),
  tls: tlsSettingsSchema.optional().describe('TLS of all listeners without their own `tls`. Default: none.'),
  'insecure-http': z.boolean().default(false).describe('Allow plain HTTP on an address that other hosts can reach.'),
  'audit-limit': z.int().min(100).max(10_000_000).default(100_000).describe('Number of audit records to keep.'),
  alerts: alertSettingsSchema.prefault({}).describe('Mapping of the labels of Prometheus alerts.'),
  timeline: z
    .strictObject({
      days: z
        .int()
        .min(0)
        .max(3650)
        .default(90)
        .describe('Retention of transitions in days. 0: none are recorded, existing ones are deleted.'),
      'transitions-per-check': z
        .int()
        .min(100)
        .max(1_000_000)
        .default(10_000)
        .describe('Transitions to keep for each client and check; up to a tenth more until the next cleanup.'),
    })
    .prefault({})
    .describe('Retention of the timeline.'),
  'aggregate-rules': aggregateRulesSchema.describe(
    'Rules that turn aggregates into events, by check name: see [aggregate rules](spec/aggregates.md).',
  ),
  'silence-reminder': z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe(
      'Seconds before the end of a silence with matching events at which a reminder is shown; 0: never. Applies to silences created or extended afterwards.',
    ),
  'silence-reminder-handler': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Handler that is also notified, once per reminder.'),
  'silence-idle-after': z
    .int()
    .min(0)
    .max(31_536_000)
    .default(604_800)
    .describe('Seconds without a matching event after which a silence is marked as idle; 0: never.'),
  'silence-idle-expire': z
    .int()
    .min(0)
    .max(31_536_000)
    .default(0)
    .describe('Seconds after which an idle silence is ended; 0: never.'),
  'silence-policy': silencePolicySettingsSchema.prefault({}).describe('Rules for creating silences.'),
  'handler-networks': networksSchema.describe(
    'Private networks (CIDR) that handlers may reach by host name or redirect. Literal addresses in a definition do not need it.',
  ),
  'certificate-namespaces': z
    .array(certificateRuleSchema)
    .max(1000)
    .default([])
    .describe(
      'Namespaces in which agent certificates are valid, by CA and subject. Empty: all namespaces. See [TLS](tls.md#namespaces-of-certificates).',
    ),
  'trusted-proxies': networksSchema.describe(
    'Networks (CIDR) of proxies whose `X-Forwarded-For` or `Forwarded` header is trusted.',
  ),
  'handle-when-silence-ends': z
    .boolean()
    .default(true)
    .describe('Notify handlers when a silence ends and its event is still firing.'),
  'api-commands': z.boolean().default(true).describe('Allow definitions with commands over the API.'),
  'api-command-directories': z
    .array(directorySchema)
    .max(100)
    .default([])
    .describe('Directories that may contain the programs of such commands. Empty: any directory.'),
  'state-dir': z.string().min(1).default('var/backend').describe('Directory of the store, unless `store` is set.'),
  store: z.string().min(1).max(4096).optional().describe('URL of a PostgreSQL database to use as the store.'),
  'peer-url': z
    .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
    .max(1000)
    .optional()
    .describe('URL at which other members reach this one. Default: its host name, or the address of `api.bind`.'),
  'peer-key-file': z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'File with the key by which the members of a cluster authenticate each other; the same on all members. See [the peer key](scale-out.md#the-peer-key).',
    ),
  'stale-after': z
    .int()
    .min(1)
    .max(3600)
    .default(5)
    .describe('Seconds that a follower may lag behind the leader and still serve requests.'),
  'run-handlers': z.boolean().default(true).describe('Run handlers on this member.'),
  'log-level': z.enum(LOG_LEVELS).default('info').describe('Log level.'),
  log: z.string().min(1).optional().describe('Log file; default: standard output.'),
  'request-log-level': z
    .enum(['info', 'debug'])
    .default('info')
    .describe('Log level of request records; with `debug` they are not written at log level `info`.'),
});

export type ProgramSettings = z.infer<typeof programSettingsSchema>;
