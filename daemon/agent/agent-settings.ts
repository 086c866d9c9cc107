import { z } from 'zod';
import type { Settings } from '../../shared/domain/merge-settings.ts';
import type { SettingNames } from '../../shared/domain/renamed-settings.ts';
import { v2NameSchema } from '../../shared/schemas/name.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { LOG_LEVELS } from '../../shared/schemas/settings.ts';
import { RUNNING_CHECKS_DEFAULT } from './run-check.ts';

const ownSchema = z.strictObject({
  backend: z
    .string()
    .min(1)
    .default('http://127.0.0.1:4567')
    .describe('URL of the backend. Separate several URLs with commas; each agent tries the URLs in random order.'),
  namespace: v2NameSchema.default(DEFAULT_NAMESPACE).describe('Namespace that this client belongs to.'),
  'api-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/, 'contains a character that keys cannot have')
    .optional()
    .describe('API key. Prefer `api-key-file` or `MON_API_KEY`.'),
  'api-key-file': z
    .string()
    .min(1)
    .optional()
    .describe('File with the API key. Make the file readable only by its owner (mode 0600).'),
  'state-dir': z
    .string()
    .min(1)
    .default('var/agent')
    .describe('Directory of the spool, which stores results until the backend has acknowledged them.'),
  'log-level': z.enum(LOG_LEVELS).default('info').describe('Minimum level of log records that are written.'),
  log: z.string().min(1).optional().describe('Log file. Default: standard output.'),
  'max-checks': z
    .int()
    .min(1)
    .max(1000)
    .default(RUNNING_CHECKS_DEFAULT)
    .describe(
      'Maximum number of checks that run at the same time. Raise this limit if checks often wait before they start.',
    ),
  'trusted-ca-file': z
    .string()
    .min(1)
    .optional()
    .describe(
      'CA certificates (PEM) that verify the certificate of the backend. Default: the CA certificates of Node.js.',
    ),
  'insecure-skip-tls-verify': z
    .boolean()
    .default(false)
    .describe('Do not verify the certificate of the backend. Use this setting only for tests.'),
  'cert-file': z.string().min(1).optional().describe('Client certificate (PEM) of this agent. Also set `key-file`.'),
  'key-file': z
    .string()
    .min(1)
    .optional()
    .describe(
      'Private key (PEM) for the certificate in `cert-file`, without a passphrase. Make the file readable only by its owner (mode 0600).',
    ),
});

/** The `agent` section of the configuration: settings of the program, with the names of their command-line flags. */
export const agentSettingsSchema = ownSchema.superRefine((agent, context) => {
  const { 'cert-file': cert, 'key-file': key } = agent;
  if ((cert === undefined) === (key === undefined)) return;
  const [missing, present] = cert === undefined ? ['cert-file', 'key-file'] : ['key-file', 'cert-file'];
  context.addIssue({ code: 'custom', path: [missing], message: `is required with ${present}` });
});

/**
 * The names of the settings in the `agent` section, whose underscore forms (`log_level`) are accepted too. Attributes
 * of `client` and `checks` are those of Sensu Core and keep their names.
 */
export const AGENT_SETTING_NAMES: SettingNames = { below: { agent: { current: Object.keys(ownSchema.shape) } } };

export type AgentSettings = z.infer<typeof agentSettingsSchema>;

/** The setting in the `agent` section that each environment variable sets. */
export const PROGRAM_VARIABLES = {
  MON_AGENT_BACKEND: 'backend',
  MON_AGENT_NAMESPACE: 'namespace',
  MON_AGENT_API_KEY_FILE: 'api-key-file',
  MON_AGENT_STATE_DIR: 'state-dir',
  MON_AGENT_LOG_LEVEL: 'log-level',
  MON_AGENT_LOG: 'log',
  MON_AGENT_MAX_CHECKS: 'max-checks',
  MON_AGENT_TRUSTED_CA_FILE: 'trusted-ca-file',
  MON_AGENT_INSECURE_SKIP_TLS_VERIFY: 'insecure-skip-tls-verify',
  MON_AGENT_CERT_FILE: 'cert-file',
  MON_AGENT_KEY_FILE: 'key-file',
} as const;

/** The attribute in the `client` section that each environment variable sets. */
export const CLIENT_VARIABLES = {
  MON_AGENT_NAME: 'name',
  MON_AGENT_ADDRESS: 'address',
  MON_AGENT_SUBSCRIPTIONS: 'subscriptions',
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the settings from the environment variables, which configuration files override (completion 1.16). */
export function environmentSettings(env: Environment): Settings {
  const agent = settingsFromVariables(env, PROGRAM_VARIABLES);
  const client = settingsFromVariables(env, CLIENT_VARIABLES);
  return {
    ...(Object.keys(agent).length === 0 ? {} : { agent }),
    ...(Object.keys(client).length === 0 ? {} : { client }),
  };
}

/**
 * Returns the settings that the variables set. An empty variable counts as unset, because a service file often cannot
 * unset a variable.
 */
function settingsFromVariables(env: Environment, variables: Readonly<Record<string, string>>): Settings {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([variable, setting]) => {
      const text = env[variable] ?? '';
      return text === '' ? [] : [[setting, parseVariableValue(setting, text)]];
    }),
  );
}

function parseVariableValue(setting: string, text: string): unknown {
  if (setting === 'subscriptions') return text.split(',').filter((subscription) => subscription !== '');
  if (setting === 'insecure-skip-tls-verify' && /^(?:true|false)$/.test(text)) return text === 'true';
  // Text that is not a number is returned unchanged, so that the schema rejects it with the name of the setting.
  return setting === 'max-checks' && /^\d+$/.test(text) ? Number(text) : text;
}
