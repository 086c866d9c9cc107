import { stat } from 'node:fs/promises';
import type { Log } from '../log/log.ts';

/**
 * Bits of a file mode. `ANYBODY_ELSE`: access for the group and all other users. `EVERYBODY`: access for users outside
 * the group.
 */
const ANYBODY_ELSE = 0o077;
const EVERYBODY = 0o007;

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
  await warnOf(stateDir, ANYBODY_ELSE, (path) => log.warn({ path, fix: `chmod -R go-rwx ${quoted(path)}` }, STATE));
  if (logFile === undefined) return;
  await warnOf(logFile, EVERYBODY, (path) => log.warn({ path, fix: `chmod o-rwx ${quoted(path)}` }, LOG));
}

const STATE = 'other users can read the state directory: run the command in "fix"';
const LOG = 'all users can read the log file: run the command in "fix"';

async function warnOf(path: string, bits: number, warn: (path: string) => void): Promise<void> {
  // Missing files and devices are reported by the code that uses them.
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined || !(stats.isDirectory() || stats.isFile())) return;
  if ((stats.mode & bits) !== 0) warn(path);
}

/** Quotes a text as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
