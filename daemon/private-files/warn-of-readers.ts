import { stat } from 'node:fs/promises';
import type { Log } from '../log/log.ts';

/** Permission bits of a file. "Others" are the users outside the group. */
const GROUP_AND_OTHERS_MODE_BITS = 0o077;
const OTHERS_MODE_BITS = 0o007;

interface OwnPaths {
  readonly stateDir: string;
  /** The path of the log file; undefined if the log goes to standard output. */
  readonly logFile: string | undefined;
}

/**
 * Logs a warning if other users can read private files. The group may read the log, because it contains no secrets.
 * Only the owner may read the state directory.
 */
export async function warnOfReaders({ stateDir, logFile }: OwnPaths, log: Log): Promise<void> {
  await warnIfAccessible(stateDir, GROUP_AND_OTHERS_MODE_BITS, (path) =>
    log.warn({ path, fix: `chmod -R go-rwx ${quotePath(path)}` }, STATE_WARNING),
  );
  if (logFile === undefined) return;
  await warnIfAccessible(logFile, OTHERS_MODE_BITS, (path) =>
    log.warn({ path, fix: `chmod o-rwx ${quotePath(path)}` }, LOG_WARNING),
  );
}

const STATE_WARNING = 'other users can read the state directory: run the command in "fix"';
const LOG_WARNING = 'all users can read the log file: run the command in "fix"';

async function warnIfAccessible(path: string, bits: number, warn: (path: string) => void): Promise<void> {
  // Missing files and devices are reported by the code that uses them.
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined || !(stats.isDirectory() || stats.isFile())) return;
  if ((stats.mode & bits) !== 0) warn(path);
}

/** Quotes a text as one word of a shell. */
function quotePath(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
