import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../shared/errors.ts';
import { EMPTY_CONFIG, type ConsoleConfig } from './console-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the default path of the configuration file: `$XDG_CONFIG_HOME/mon/console.yml`, else
 * `~/.config/mon/console.yml`. A relative `$XDG_CONFIG_HOME` is ignored, as the XDG specification requires.
 */
export function configPath(env: Environment): string {
  const own = env['XDG_CONFIG_HOME'] ?? '';
  const home = env['HOME'] || homedir();
  return join(own.startsWith('/') ? own : join(home, '.config'), 'mon', 'console.yml');
}

/** Returns the directory in which logins are stored: `logins`, next to the configuration file. */
export function loginDirectory(env: Environment): string {
  return join(dirname(configPath(env)), 'logins');
}

export interface LoadedConsoleConfig {
  readonly path: string;
  readonly config: ConsoleConfig;
}

/** Returns the text of a configuration file; `undefined` if the file does not exist. */
export async function readConfigText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

/**
 * Loads the configuration of the console. The parser is only loaded if the file exists, because loading it delays the
 * first frame.
 *
 * @param explicitPath the path given with `--config`, whose file must exist; `undefined` for the default path
 * @returns the configuration, or the problem if the file cannot be read or is invalid
 */
export async function readConsoleConfig(
  explicitPath: string | undefined,
  env: Environment,
): Promise<LoadedConsoleConfig | { readonly problem: string }> {
  const path = explicitPath ?? configPath(env);
  try {
    const text = await readConfigText(path);
    if (text === undefined) {
      return explicitPath === undefined ? { path, config: EMPTY_CONFIG } : { problem: `${path}: no such file` };
    }
    const { CONFIG_LENGTH_MAX: CONFIG_BYTES_MAX, parseConfig } = await import('./parse-config.ts');
    if (text.length > CONFIG_BYTES_MAX) return { problem: `${path}: too large for a configuration file` };
    return { path, config: parseConfig(text, path) };
  } catch (error) {
    const message = errorMessage(error);
    return { problem: message.startsWith(path) ? message : `${path}: ${message}` };
  }
}
