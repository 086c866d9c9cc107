import { readFile, stat } from 'node:fs/promises';
import { errorMessage } from '../../../shared/errors.ts';
import type { Settings } from '../../../shared/domain/merge-settings.ts';
import type { LocatedRemark } from '../../settings/locate-remark.ts';
import type { SettingsLayer } from '../../settings/settings-layer.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface ReadEnvironment {
  readonly layers: readonly SettingsLayer[];
  readonly problems: readonly LocatedRemark[];
  readonly warnings: readonly LocatedRemark[];
}

/** Environment variables for top-level settings, each with the name of its setting. */
export const PROGRAM_VARIABLES = {
  MON_STATE_DIR: 'state-dir',
  MON_STORE: 'store',
  MON_PEER_URL: 'peer-url',
  MON_PEER_KEY_FILE: 'peer-key-file',
  MON_LOG_LEVEL: 'log-level',
  MON_LOG: 'log',
  MON_REQUEST_LOG_LEVEL: 'request-log-level',
} as const;

/** Environment variables for TLS, each with the name of its setting in the section `tls`. */
export const TLS_VARIABLES = {
  MON_CERT_FILE: 'cert-file',
  MON_KEY_FILE: 'key-file',
  MON_CLIENT_CA_FILE: 'client-ca-file',
} as const;

/** Permission bits that let users other than the owner access a file. */
const OTHER_USERS_MODE_BITS = 0o077;

/**
 * The maximum size of a credentials file in bytes. The file contains one line with a user name and a password or its
 * hash.
 */
const CREDENTIALS_BYTES_MAX = 4096;

/**
 * Reads the settings from the environment, which all other layers override. `MON_CREDENTIALS_FILE` names a file with
 * one line `user:password`, so that the password appears neither in a configuration file nor in the output of `ps`
 * (security S6).
 */
export async function readEnvironment(env: Environment): Promise<ReadEnvironment> {
  const layers: SettingsLayer[] = [{ origin: 'environment', settings: settingsFromEnvironment(env) }];
  const problems: LocatedRemark[] = [];
  const warnings: LocatedRemark[] = [];
  const file = variableValue(env, 'MON_CREDENTIALS_FILE');
  if (file !== undefined) {
    try {
      layers.push({ origin: file, settings: await readCredentials(file) });
      if (((await stat(file)).mode & OTHER_USERS_MODE_BITS) !== 0) {
        warnings.push({ file, message: 'other users of this machine can access the file: run chmod 600 on the file' });
      }
    } catch (error) {
      problems.push({ file, message: `cannot be used as MON_CREDENTIALS_FILE: ${errorMessage(error)}` });
    }
  }
  return { layers, problems, warnings };
}

function settingsFromEnvironment(env: Environment): Settings {
  const program = settingsFromVariables(env, PROGRAM_VARIABLES);
  const port = variableValue(env, 'MON_PORT');
  const bind = variableValue(env, 'MON_BIND');
  const tls = settingsFromVariables(env, TLS_VARIABLES);
  const api = {
    // A port that is not a number stays text, so that the schema rejects it under the name of the setting.
    ...(port === undefined ? {} : { port: /^\d+$/.test(port) ? Number(port) : port }),
    ...(bind === undefined ? {} : { bind }),
  };
  return {
    ...program,
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
    ...(Object.keys(api).length === 0 ? {} : { api }),
  };
}

function settingsFromVariables(env: Environment, names: Readonly<Record<string, string>>): Settings {
  return Object.fromEntries(
    Object.entries(names).flatMap(([variable, setting]) => {
      const value = variableValue(env, variable);
      return value === undefined ? [] : [[setting, value]];
    }),
  );
}

/**
 * Returns the value of an environment variable. An empty variable counts as unset, because a service file often cannot
 * unset a variable.
 */
function variableValue(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

async function readCredentials(file: string): Promise<Settings> {
  if ((await stat(file)).size > CREDENTIALS_BYTES_MAX)
    throw new Error('the file is too large: write one line user:password');
  const line = (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  const colon = line.indexOf(':');
  if (colon < 1 || colon === line.length - 1 || /[\r\n]/.test(line)) {
    throw new Error(
      'the file must contain one line: "USER:PASSWORD" or "USER:HASH" (create the hash with "mon-backend hash-password")',
    );
  }
  return { api: { user: line.slice(0, colon), password: line.slice(colon + 1) } };
}
