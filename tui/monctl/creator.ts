import { hostname, userInfo } from 'node:os';
import type { Call } from './command.ts';

/**
 * Returns the default of `--creator`: `alice@ops-1`. Programs that cron, systemd or a container starts often
 * have no `USER`. Then the name of the process user is used, or its number if the system knows no name.
 */
export function defaultCreator(env: Call['env']): string {
  return `${env['USER'] || env['LOGNAME'] || processUser()}@${hostname()}`;
}

function processUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.() ?? 'unknown')}`;
  }
}
