import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../shared/errors.ts';
import { EMPTY_CONFIG, type ConsoleConfig } from './console-config.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the default path: `$XDG_CONFIG_HOME/mon/console.yml`, else `~/.config/mon/console.yml`. The XDG specification
 * allows only absolute paths.
 */
export function configPath(env: Env): string {
  const own = env['XDG_CONFIG_HOME'] ?? '';
  const home = env['HOME'] || homedir();
  return join(own.startsWith('/') ? own : join(home, '.config'), 'mon', 'console.yml');
}

export interface LoadedConsoleConfig {
  readonly path: string;
  readonly config: ConsoleConfig;
}

/** Returns the text of the file; `undefined` if there is none. */
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
 * Loads the configuration of the console. Without a file it loads no parser, which would delay the first frame.
 *
 * @param explicitPath the path of `--config`; the file must exist
 */
export async function readConsoleConfig(
  explicitPath: string | undefined,
  env: Env,
): Promise<LoadedConsoleConfig | { readonly problem: string }> {
  const path = explicitPath ?? configPath(env);
  try {
    const text = await readConfigText(path);
    if (text === undefined) {
      return explicitPath === undefined ? { path, config: EMPTY_CONFIG } : { problem: `${path}: no such file` };
    }
    const { CONFIG_BYTES_MAX, parseConfig } = await import('./parse-config.ts');
    if (text.length > CONFIG_BYTES_MAX) return { problem: `${path}: too large for a configuration file` };
    return { path, config: parseConfig(text, path) };
  } catch (error) {
    const message = errorMessage(error);
    return { problem: message.startsWith(path) ? message : `${path}: ${message}` };
  }
}
