import { z } from 'zod';
import { certificateRuleSchema } from './certificate-rule.ts';
import { alertSettingsSchema } from './alert.ts';
import { KEEPALIVE_THRESHOLDS } from './keepalive.ts';
import { isPasswordHash, parsePasswordHash } from './password-hash.ts';
import { aggregateRulesSchema } from './aggregate-rule.ts';
import { silencePolicySettingsSchema } from './silence-policy.ts';

/** Default address of the API. It is loopback, because exposing the API must be a deliberate decision. */
const API_DEFAULTS = { bind: '127.0.0.1', port: 4567 } as const;

/** How a listener speaks TLS. */
export const tlsSettingsSchema = z.strictObject({
  'cert-file': z.string().min(1).describe('Certificate, followed by its intermediate certificates (PEM).'),
  'key-file': z
    .string()
    .min(1)
    .describe('Private key (PEM) without a passphrase, readable only by its owner (mode 0600).'),
  'client-ca-file': z
    .string()
    .min(1)
    .optional()
    .describe(
      'CA certificates (PEM) to verify agent certificates with. Without them, no client certificate is requested.',
    ),
});

export type TlsSettings = z.infer<typeof tlsSettingsSchema>;

const ownTlsSchema = z
  .union(
    [tlsSettingsSchema, z.literal(false)],
    'must have cert-file and key-file, and may have client-ca-file; or be false',
  )
  .optional()
  .describe('TLS settings of this listener instead of the common `tls`; `false` disables TLS for it.');

/** A listener besides the one of the API; each has its own default port. */
export const listenerSettingsSchema = z.strictObject({
  bind: z.string().min(1).default(API_DEFAULTS.bind).describe('Address to listen on.'),
  port: z.int().min(0).max(65_535).describe('Port to listen on; 0: any free port.'),
  tls: ownTlsSchema,
});

function listenerOn(port: number) {
  return listenerSettingsSchema.extend({ port: listenerSettingsSchema.shape.port.default(port) });
}

/** The `api` section of a configuration (completion 1.1). Unknown attributes are kept and do nothing. */
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
      .refine((user) => !user.includes(':'), 'must not contain a colon, because it ends the user name in HTTP Basic')
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
      .describe('CORS headers of the API (name: value) instead of the default ones; `false`: no CORS headers.'),
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

/** Levels of the log, from the one that says the most. */
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
  'proxy-client-quota': z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1000)
    .describe(
      'Maximum number of proxy clients that one agent may create by results with a `source`. Raise it if one agent monitors more devices.',
    ),
  'entity-limit': z
    .union([z.int().min(0).max(10_000_000), z.literal('unlimited')], 'must be a number, or unlimited')
    .default(100)
    .describe(
      'Maximum number of entities in all namespaces, without clients that the v1 API creates. Raise it to monitor more machines.',
    ),
  'memory-limit': z
    .int()
    .min(1)
    .max(1_048_576)
    .optional()
    .describe(
      'Memory in MiB for clients, checks, events, silences and stashes; above it, new objects are rejected. Default: a share of the memory of the process.',
    ),
  'disk-floor': z
    .int()
    .min(0)
    .max(2 ** 50)
    .default(512 * 1024 * 1024)
    .describe(
      'Minimum free bytes on the disk of the state directory; below it, new results and objects are rejected. 0 disables the check.',
    ),
  'connection-limit': z
    .int()
    .min(10)
    .max(1_000_000)
    .default(50_000)
    .describe('Maximum number of connections. The limit of open files (`LimitNOFILE`) can lower it.'),
  'connection-limit-per-address': z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Maximum number of connections of one address (IPv6: one /64). Default: a tenth of `connection-limit`. Raise it if many agents share one address (NAT).',
    ),
  'buffer-limit': z
    .int()
    .min(64)
    .max(1_000_000)
    .default(256)
    .describe(
      'Memory in MiB for the buffers of all slow connections. Raise it if `mon_connections_dropped_total` counts the reason `all`.',
    ),
  'agent-listener': listenerOn(8081)
    .optional()
    .describe('Separate listener for agents, including Sensu Go agents. Default: none.'),
  'v2-listener': listenerOn(8080)
    .optional()
    .describe('Separate listener for the v2 API with its `/health`. Default: none.'),
  tls: tlsSettingsSchema
    .optional()
    .describe('TLS settings of all listeners that have no `tls` of their own. Default: none.'),
  'insecure-http': z
    .boolean()
    .default(false)
    .describe('Allow HTTP without TLS on an address that other hosts can reach.'),
  'audit-limit': z
    .int()
    .min(100)
    .max(10_000_000)
    .default(100_000)
    .describe('Number of audit records that are stored; beyond it, the oldest ones are deleted.'),
  alerts: alertSettingsSchema.prefault({}).describe('Mapping of Prometheus alerts to clients, checks and statuses.'),
  timeline: z
    .strictObject({
      days: z
        .int()
        .min(0)
        .max(3650)
        .default(90)
        .describe('How many days the timeline stores transitions. 0 records none and deletes the existing ones.'),
    })
    .prefault({})
    .describe('Timeline, which records the transitions of checks and silences.'),
  'aggregate-rules': aggregateRulesSchema.describe(
    'Rules that turn aggregates into events, by check name: see [aggregate rules](spec/aggregates.md).',
  ),
  'silence-reminder': z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe(
      'How many seconds before its end a silence with matching events causes a reminder; 0: never. A change applies to silences that are created or extended later.',
    ),
  'silence-reminder-handler': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Handler that is notified of each reminder. Default: none.'),
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
    .describe('Seconds after which a silence that is marked as idle ends; 0: never.'),
  'silence-policy': silencePolicySettingsSchema.prefault({}).describe('Rules for creating silences.'),
  'handler-networks': networksSchema.describe(
    'Private networks (CIDR) that handlers may reach by host name or redirect. IP addresses in a handler definition are always allowed.',
  ),
  'certificate-namespaces': z
    .array(certificateRuleSchema)
    .max(1000)
    .default([])
    .describe(
      'Namespaces in which agent certificates are valid, by authority and subject ([TLS](tls.md#namespaces-of-certificates)). Empty: all namespaces.',
    ),
  'trusted-proxies': networksSchema.describe(
    'Networks (CIDR) of proxies whose `X-Forwarded-For` or `Forwarded` header is trusted.',
  ),
  'renotify-after-silence': z
    .boolean()
    .default(true)
    .describe('Notify handlers once when a silence ends and its event is still firing.'),
  'resolve-while-silenced': z
    .enum(['defer', 'notify', 'never'])
    .default('defer')
    .describe(
      'When a handler that was notified of a problem is notified of its resolution, if the problem resolves while it is silenced. `defer`: once when the silence ends. `notify`: at once. `never`: not at all, as in Sensu Core 1.x.',
    ),
  'api-commands': z
    .boolean()
    .default(true)
    .describe('Allow checks, handlers and mutators with commands to be created over the API.'),
  'api-command-directories': z
    .array(directorySchema)
    .max(100)
    .default([])
    .describe('Directories that may contain the programs of commands that the API creates. Empty: any directory.'),
  'state-dir': z.string().min(1).default('var/backend').describe('Directory of the store, unless `store` is set.'),
  store: z.string().min(1).max(4096).optional().describe('URL of a PostgreSQL database to use as the store.'),
  'peer-url': z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(1000)
    .optional()
    .describe(
      'URL at which other members of the cluster reach this one. Default: its host name, or the address of `api.bind`.',
    ),
  'peer-key-file': z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'File with the key by which the members of a cluster authenticate each other, the same on all members ([the peer key](scale-out.md#the-peer-key)).',
    ),
  'run-handlers': z.boolean().default(true).describe('Run handlers on this member of the cluster.'),
  'log-level': z.enum(LOG_LEVELS).default('info').describe('Minimum level of the records in the log.'),
  log: z.string().min(1).optional().describe('Log file. Default: standard output.'),
  'request-log-level': z
    .enum(['info', 'debug'])
    .default('info')
    .describe('Level of the log record of each API response. Set `debug` if these records fill the log.'),
});

export type ProgramSettings = z.infer<typeof programSettingsSchema>;
