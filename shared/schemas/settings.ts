import { z } from 'zod';
import { KEEPALIVE_THRESHOLDS } from './client.ts';
import { isPasswordHash, parsePasswordHash } from './password-hash.ts';
import { silencePolicySettingsSchema } from './silence-policy.ts';

/** The backend's listener, unless the configuration or a flag says otherwise. Loopback: opening up is a decision. */
const API_DEFAULTS = { bind: '127.0.0.1', port: 4567 } as const;

/** The `api` section of a configuration (completion 1.1). Unknown attributes are kept and do nothing. */
export const apiSettingsSchema = z
  .looseObject({
    bind: z.string().min(1).default(API_DEFAULTS.bind),
    /** 0: any free port. */
    port: z.int().min(0).max(65_535).default(API_DEFAULTS.port),
    user: z
      .string()
      .min(1)
      .refine((user) => !user.includes(':'), 'must not hold a colon: HTTP Basic ends the user name there')
      .optional(),
    /** `scrypt$N$r$p$salt$hash`, or the password itself. */
    password: z
      .string()
      .min(1)
      .refine(
        (password) => !isPasswordHash(password) || parsePasswordHash(password) !== undefined,
        'is no usable hash: make one with mon-backend hash-password',
      )
      .optional(),
    /** Header name to value, in place of the default CORS headers; false: none at all. */
    cors: z
      .union([z.record(z.string(), z.string()), z.literal(false)], 'expected an object of headers, or false')
      .optional(),
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
export const legacySettingsSchema = z.looseObject({
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

export type KeepaliveSettings = z.infer<typeof legacySettingsSchema>['keepalives'];

/** Levels of the log, from the one that says the most. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Settings of the program itself, at the top level of a configuration, named like their flags. */
export const programSettingsSchema = z.object({
  /** Seconds for which late results of agents cannot bring a deleted client back; 0: they can at once. */
  'client-quarantine': z.int().min(0).max(86_400).default(60),
  /** Proxy clients that the results of one agent may make: one that is broken or taken over cannot fill the registry. */
  'proxy-client-quota': z.int().min(0).max(1_000_000).default(1000),
  /** Entities that agents and the newer API may make, in all namespaces together. */
  entity_limit: z
    .union([z.int().min(0).max(10_000_000), z.literal('unlimited')], 'must be a number, or unlimited')
    .default(100),
  /** A port of its own for agents, also those of the newer generation; absent: none. */
  'agent-listener': z
    .strictObject({
      bind: z.string().min(1).default(API_DEFAULTS.bind),
      /** 0: any free port. */
      port: z.int().min(0).max(65_535).default(8081),
    })
    .optional(),
  /** A port of its own for the newer API, with the `/health` of that; absent: none. */
  'core-api': z
    .strictObject({
      bind: z.string().min(1).default(API_DEFAULTS.bind),
      /** 0: any free port. */
      port: z.int().min(0).max(65_535).default(8080),
    })
    .optional(),
  /** Records of the audit trail that are kept. */
  'audit-limit': z.int().min(100).max(10_000_000).default(100_000),
  /** What silences must keep to, see there. */
  'silence-policy': silencePolicySettingsSchema.prefault({}),
  /**
   * Networks, in CIDR notation, that handlers may reach by a name or a redirect although they are not public; an address
   * that a definition names itself needs none of this.
   */
  'handler-networks': z
    .array(z.union([z.cidrv4(), z.cidrv6()], 'must be a network like 10.1.0.0/16 or fd00::/8'))
    .max(1000)
    .default([]),
  /** Whether an event that a silence kept from handlers is handled when the silence ends and the problem persists. */
  'handle-when-silence-ends': z.boolean().default(true),
  /** Where everything is stored. */
  'state-dir': z.string().min(1).default('var/backend'),
  'log-level': z.enum(LOG_LEVELS).default('info'),
  /** A file instead of standard output. */
  log: z.string().min(1).optional(),
  /** The level of the record of each answered request: with `debug` a backend at `info` writes none. */
  'request-log-level': z.enum(['info', 'debug']).default('info'),
});

export type ProgramSettings = z.infer<typeof programSettingsSchema>;
