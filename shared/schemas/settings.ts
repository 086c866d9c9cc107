import { z } from 'zod';
import { certificateRuleSchema } from './certificate-rule.ts';
import { alertSettingsSchema } from './alert.ts';
import { KEEPALIVE_THRESHOLDS } from './keepalive.ts';
import { isPasswordHash, parsePasswordHash } from './password-hash.ts';
import { oidcSettingsSchema } from './oidc.ts';
import { aggregateRulesSchema } from './aggregate-rule.ts';
import { silencePolicySettingsSchema } from './silence-policy.ts';
import { watchdogsSchema } from './watchdog.ts';

/**
 * Default address of the API. It is a loopback address, because access from other hosts must be a deliberate decision.
 */
const API_DEFAULTS = { bind: '127.0.0.1', port: 4567 } as const;

/** TLS settings of a listener. */
export const tlsSettingsSchema = z.strictObject({
  'cert-file': z
    .string()
    .min(1)
    .describe('File (PEM) with the server certificate, followed by its intermediate certificates.'),
  'key-file': z
    .string()
    .min(1)
    .describe('Private key (PEM) without a passphrase. Make the file readable only by its owner (mode 0600).'),
  'client-ca-file': z
    .string()
    .min(1)
    .optional()
    .describe('CA certificates (PEM) that verify agent certificates. Default: client certificates are not requested.'),
});

export type TlsSettings = z.infer<typeof tlsSettingsSchema>;

const ownTlsSchema = z
  .union(
    [tlsSettingsSchema, z.literal(false)],
    'must have cert-file and key-file, and may have client-ca-file; or be false',
  )
  .optional()
  .describe('TLS settings for this listener, which replace the common `tls`. `false` disables TLS for this listener.');

/** A listener in addition to that of the API. Each has its own default port. */
export const listenerSettingsSchema = z.strictObject({
  bind: z.string().min(1).default(API_DEFAULTS.bind).describe('Address to listen on.'),
  port: z.int().min(0).max(65_535).describe('Port to listen on; 0: any free port.'),
  tls: ownTlsSchema,
});

function listenerOn(port: number) {
  return listenerSettingsSchema.extend({ port: listenerSettingsSchema.shape.port.default(port) });
}

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
      .refine((user) => !user.includes(':'), 'must not contain a colon, because it ends the user name in HTTP Basic')
      .optional()
      .describe('User name of an additional administrator. Also set `password`.'),
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
      .describe(
        'CORS headers of the API, as a map from name to value. They replace the default headers. `false`: no CORS headers.',
      ),
  })
  .superRefine((api, context) => {
    // Incomplete credentials would leave the API open although the operator meant to protect it.
    const missing = api.user === undefined ? 'user' : 'password';
    const present = missing === 'user' ? 'password' : 'user';
    if (api[present] !== undefined && api[missing] === undefined) {
      context.addIssue({ code: 'custom', path: [missing], message: `is required with ${present}` });
    }
  });

export type ApiSettings = z.infer<typeof apiSettingsSchema>;

const thresholdSchema = z.int().positive();

/**
 * The `sensu` section of a Sensu Core configuration, limited to the attributes that `mon` supports. `keepalives` has
 * default attributes for the keepalive results of all clients; the attributes of a client override them (completion
 * 1.10).
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

/** Log levels in ascending order of severity. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A list of networks in CIDR notation. */
const networksSchema = z
  .array(z.union([z.cidrv4(), z.cidrv6()], 'must be a network like 10.1.0.0/16 or fd00::/8'))
  .max(1000)
  .default([]);

/** The absolute path of a directory without `.`, `..` and empty parts, so that paths can be compared as text. */
const directorySchema = z
  .string()
  .max(4096)
  .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+\/?$/, 'must be an absolute path without . and .., and not / itself');

/**
 * Settings of the backend program, at the top level of a configuration. Each setting has the name of its command-line
 * flag.
 */
export const programSettingsSchema = z.object({
  'proxy-client-quota': z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1000)
    .describe(
      'Maximum number of proxy clients that one agent may create by sending results with the field `source`. Raise this limit if one agent monitors more devices.',
    ),
  'entity-limit': z
    .union([z.int().min(0).max(10_000_000), z.literal('unlimited')], 'must be a number, or unlimited')
    .default(100)
    .describe(
      'Maximum number of entities in all namespaces together. Clients that are created over the v1 API do not count. Raise this limit to monitor more machines.',
    ),
  'memory-limit': z
    .int()
    .min(1)
    .max(1_048_576)
    .optional()
    .describe(
      'Maximum memory in MiB for clients, checks, events, silences and stashes. Above this limit, new objects are rejected. Default: a share of the process memory.',
    ),
  'disk-floor': z
    .int()
    .min(0)
    .max(2 ** 50)
    .default(512 * 1024 * 1024)
    .describe(
      'Minimum free space, in bytes, on the disk with the state directory. With less free space, the backend rejects new results and objects. 0: no minimum.',
    ),
  'connection-limit': z
    .int()
    .min(10)
    .max(1_000_000)
    .default(50_000)
    .describe(
      'Maximum number of connections to the backend. The open-file limit (`LimitNOFILE`) can reduce this number.',
    ),
  'connection-limit-per-address': z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Maximum number of connections from one IP address (IPv6: from one /64 network). Default: a tenth of `connection-limit`. Raise this limit if many agents share one address (NAT).',
    ),
  'buffer-limit': z
    .int()
    .min(64)
    .max(1_000_000)
    .default(256)
    .describe(
      'Maximum memory in MiB for the send buffers of all slow connections together. A connection that would exceed it is dropped. Raise this limit if `mon_connections_dropped_total{reason="total_limit"}` increases.',
    ),
  'agent-listener': listenerOn(8081)
    .optional()
    .describe('Listener on a separate port for agents, including Sensu Go agents. Default: none.'),
  'v2-listener': listenerOn(8080)
    .optional()
    .describe('Separate port for the v2 API (of Sensu Go) and its endpoint `/health`. Default: none.'),
  tls: tlsSettingsSchema
    .optional()
    .describe('TLS settings for all listeners that do not have their own `tls`. Default: none.'),
  'insecure-http': z
    .boolean()
    .default(false)
    .describe('Allow HTTP without TLS on an address that other hosts can reach.'),
  'audit-limit': z
    .int()
    .min(100)
    .max(10_000_000)
    .default(100_000)
    .describe('Maximum number of stored audit records. Above this limit, the oldest records are deleted.'),
  alerts: alertSettingsSchema.prefault({}).describe('Mapping of Prometheus alerts to clients, checks and statuses.'),
  timeline: z
    .strictObject({
      days: z
        .int()
        .min(0)
        .max(3650)
        .default(90)
        .describe(
          'Number of days for which the timeline stores transitions. 0: record no transitions, and delete the stored ones.',
        ),
    })
    .prefault({})
    .describe('Settings of the timeline, which records when checks and silences change their state.'),
  series: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Record the duration and the performance data of checks over the last 24 hours.'),
      checks: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(20_000)
        .describe(
          'Maximum number of checks with a series, counted once per client. Each takes 2.2 KB of memory and up to 20 KB of disk.',
        ),
    })
    .prefault({})
    .describe('Settings of the series, which record values of checks over time.'),
  'aggregate-rules': aggregateRulesSchema.describe(
    'Rules that create events from aggregates, as a map from check name to rule: see [aggregate rules](spec/aggregates.md).',
  ),
  watchdogs: watchdogsSchema.describe(
    'Rules that create an event if an expected result or alert does not come in time, as a map from check name to rule: see [watchdogs](spec/watchdogs.md).',
  ),
  'silence-reminder': z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe(
      'Send a reminder this many seconds before a silence expires, if the silence still matches events; 0: never. A new value applies only to silences that are created or extended later.',
    ),
  'silence-reminder-handler': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Handler that receives silence reminders. Default: none.'),
  'silence-idle-after': z
    .int()
    .min(0)
    .max(31_536_000)
    .default(604_800)
    .describe('Mark a silence as idle if it matches no event for this many seconds; 0: never.'),
  'silence-idle-expire': z
    .int()
    .min(0)
    .max(31_536_000)
    .default(0)
    .describe('Expire a silence this many seconds after it was marked as idle; 0: never.'),
  'silence-policy': silencePolicySettingsSchema.prefault({}).describe('Rules that new silences must satisfy.'),
  'handler-networks': networksSchema.describe(
    'Private networks (CIDR) that handlers may connect to through a host name or a redirect. IP addresses in a handler definition are always allowed.',
  ),
  'certificate-namespaces': z
    .array(certificateRuleSchema)
    .max(1000)
    .default([])
    .describe(
      'Rules that restrict agent certificates to namespaces, by CA and certificate subject ([TLS](tls.md#namespaces-of-certificates)). Empty: no restriction.',
    ),
  oidc: oidcSettingsSchema
    .optional()
    .describe(
      'Identity provider (OpenID Connect) whose users can log in: see [single sign-on](how-to/single-sign-on.md). Default: none.',
    ),
  'trusted-proxies': networksSchema.describe(
    'Networks (CIDR) of proxies whose `X-Forwarded-For` or `Forwarded` header is trusted.',
  ),
  'public-url': z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(1000)
    .refine(
      (url) => !/^https?:\/\/[^/?#]*@/i.test(url),
      'must not contain a user name or a password: everybody who gets a notification sees it',
    )
    .refine((url) => !/[?#]/.test(url), 'must not contain ? or #')
    .optional()
    .describe(
      'URL at which users reach the API of this backend. Notifications contain links to events below this URL. Default: no links.',
    ),
  'renotify-after-silence': z
    .boolean()
    .default(true)
    .describe('Notify handlers once if an event is still firing when its silence expires or is deleted.'),
  'resolve-while-silenced': z
    .enum(['defer', 'notify', 'never'])
    .default('defer')
    .describe(
      'When to notify handlers that a silenced problem has resolved. This applies to handlers that were notified of the problem. `defer`: when the silence expires or is deleted. `notify`: immediately. `never`: not at all, as in Sensu Core 1.x.',
    ),
  'acknowledge-as-silence': z
    .boolean()
    .default(false)
    .describe(
      'Show acknowledged events as silenced in the v1 API and the v2 API, for dashboards that do not know acknowledgements.',
    ),
  'api-commands': z
    .boolean()
    .default(true)
    .describe('Allow API clients to create checks, handlers and mutators that run commands.'),
  'api-command-directories': z
    .array(directorySchema)
    .max(100)
    .default([])
    .describe(
      'Directories that may contain the executables of commands that are defined over the API. Empty: any directory.',
    ),
  'state-dir': z
    .string()
    .min(1)
    .default('var/backend')
    .describe('Directory that contains the store, unless the setting `store` names a database.'),
  store: z.string().min(1).max(4096).optional().describe('URL of a PostgreSQL database that is used as the store.'),
  'peer-url': z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(1000)
    .optional()
    .describe(
      'URL at which the other cluster members reach this member. Default: the host name of this member, or the address in `api.bind`.',
    ),
  'peer-key-file': z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'File with the shared key that cluster members use to authenticate each other. It must be the same on all members ([the peer key](scale-out.md#the-peer-key)).',
    ),
  'run-handlers': z.boolean().default(true).describe('Run handlers on this cluster member.'),
  'log-level': z.enum(LOG_LEVELS).default('info').describe('Minimum level of log records that are written.'),
  log: z.string().min(1).optional().describe('Log file. Default: standard output.'),
  'request-log-level': z
    .enum(['info', 'debug'])
    .default('info')
    .describe(
      'Log level at which each API response is logged. To keep these records out of the log, set `debug`: they then appear only if `log-level` is `debug`.',
    ),
});

export type ProgramSettings = z.infer<typeof programSettingsSchema>;
