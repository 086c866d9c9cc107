import { stat } from 'node:fs/promises';
import type { Log } from '../log/log.ts';

/** Of the mode of a file: the bits of the group and of everybody else, and of the latter alone. */
const ANYBODY_ELSE = 0o077;
const EVERYBODY = 0o007;

interface OwnPaths {
  readonly stateDir: string;
  /** Undefined: standard output. */
  readonly logFile: string | undefined;
}

/**
 * Says in the log what others of this machine can get at. The log may be there for a group, which holds no secrets; the
 * state is for the owner alone.
 */
export async function warnOfReaders({ stateDir, logFile }: OwnPaths, log: Log): Promise<void> {
  await warnOf(stateDir, ANYBODY_ELSE, (path) => log.warn({ path, mend: `chmod -R go-rwx ${quoted(path)}` }, STATE));
  if (logFile === undefined) return;
  await warnOf(logFile, EVERYBODY, (path) => log.warn({ path, mend: `chmod o-rwx ${quoted(path)}` }, LOG));
}

const STATE = 'other users of this machine can read the state directory: run the command in "mend"';
const LOG = 'every user of this machine can read the log: run the command in "mend"';

async function warnOf(path: string, bits: number, warn: (path: string) => void): Promise<void> {
  // What cannot be looked at, or is a device, is told by whoever uses it.
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined || !(stats.isDirectory() || stats.isFile())) return;
  if ((stats.mode & bits) !== 0) warn(path);
}

/** One word of a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
