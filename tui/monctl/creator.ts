import { hostname, userInfo } from 'node:os';
import type { Call } from './command.ts';

/**
 * The default of `--creator`: `alice@ops-1`. Programs that cron, systemd or a container starts often have no `USER`.
 * Then it is the name of the user of the process, or the number where the system has no name for it.
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
