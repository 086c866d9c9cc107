import { lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  LOCAL_ACCESS_FILE,
  readLocalAccess,
  runtimeFile,
  type LocalAccess,
} from '../../../shared/client/local-access.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import { replaceOwnFile } from '../../private-files/replace-own-file.ts';
import { isLoopback } from './host.ts';

/** The directories in which programs on this machine find the URL and the token of a backend. */
export interface LocalDirectories {
  readonly stateDir: string;
  /** The runtime directory of the user that runs the backend. */
  readonly runtimeDir: string;
}

/** Permission bits for users other than the owner. */
const OTHER_USERS_MODE_BITS = 0o077;

/**
 * Writes the token for programs on this machine into the state directory and the user's runtime directory. A failure is
 * only logged: the programs then find no token.
 *
 * @returns a resource whose disposal removes the files
 */
export async function writeLocalAccess(
  access: LocalAccess,
  { stateDir, runtimeDir }: LocalDirectories,
  log: Log,
): Promise<AsyncDisposable> {
  const written: string[] = [];
  const leave = async (file: string, prepare: () => Promise<void>): Promise<void> => {
    try {
      await prepare();
      await replaceOwnFile(file, `${JSON.stringify(access)}\n`);
      written.push(file);
    } catch (error) {
      log.warn({ file, reason: errorMessage(error) }, 'could not write the access token for programs on this host');
    }
  };
  await leave(join(stateDir, LOCAL_ACCESS_FILE), () => Promise.resolve());
  await leave(runtimeFile(runtimeDir, access.url), () => makeOwnDirectory(runtimeDir));
  return {
    [Symbol.asyncDispose]: async () => {
      for (const file of written) {
        // Another backend may have replaced the file by now.
        if (readLocalAccess(file)?.token === access.token) await rm(file, { force: true }).catch(() => undefined);
      }
    },
  };
}

/**
 * Returns the loopback URL at which programs on this machine reach a listener; undefined if the listener does not
 * listen on loopback.
 *
 * @param url URL of the listener, with its actual port
 * @param bind address to which the listener is bound
 */
export function localUrlOf(url: string, bind: string): string | undefined {
  const { protocol, port } = new URL(url);
  const host = bind === '0.0.0.0' || bind === '::' || bind === 'localhost' ? '127.0.0.1' : bind;
  if (!isLoopback(host)) return undefined;
  return new URL(`${protocol}//${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`).origin;
}

/**
 * Creates the directory for the token. It rejects a directory that other users own or can access, because they could
 * read the token.
 */
async function makeOwnDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const stat = await lstat(directory);
  const isOwn = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & OTHER_USERS_MODE_BITS) === 0;
  if (!isOwn)
    throw new Error(
      `${directory} is not a private directory of this user: remove the directory, or run chmod 700 on it`,
    );
}
