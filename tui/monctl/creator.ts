import { hostname, userInfo } from 'node:os';
import type { CommandCall } from './command.ts';

/**
 * Returns the default of `--creator`: user and host, such as `alice@ops-1`. Programs started by cron, systemd or a
 * container often have neither `USER` nor `LOGNAME`: then the user of the process is named, by its number if it has no
 * name.
 */
export function defaultCreator(env: CommandCall['env']): string {
  return `${env['USER'] || env['LOGNAME'] || processUser()}@${hostname()}`;
}

function processUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.() ?? 'unknown')}`;
  }
}
