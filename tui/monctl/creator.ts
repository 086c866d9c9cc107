import { hostname } from 'node:os';
import type { Call } from './command.ts';

/** Who does it, unless `--creator` says so: `alice@ops-1`. */
export function defaultCreator(env: Call['env']): string | undefined {
  const user = env['USER'] ?? env['LOGNAME'] ?? '';
  return user === '' ? undefined : `${user}@${hostname()}`;
}
