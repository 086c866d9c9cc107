import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { z } from 'zod';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import { assertIntact, type AcceptedLoss } from './inspect/assert-intact.ts';
import { markClosed, unmarkClosed } from './inspect/closed-mark.ts';
import { newStoreId, STORE_ID } from './keys.ts';
import { openWithAllLogs } from './open-with-all-logs.ts';
import { encodeTuple } from './tuple.ts';
import type { Database } from './database.ts';

/** Default size of LevelDB's write buffer in bytes: the memory for entries that are not yet sorted into a file. */
export const WRITE_BUFFER_BYTES = 32 * 1024 * 1024;

/**
 * Maximum number of table files that LevelDB keeps open. LevelDB maps each of them (2 MiB) into memory. With its
 * default of 1000, the process of a large store would seem to use 2 GiB. In a container, less memory would remain for
 * other uses. Opening a table takes 0.1 ms.
 */
const OPEN_FILES_MAX = 256;

/** The decision of an operator to continue although writes are lost. */
export interface LossPolicy {
  readonly onAccepted: (loss: AcceptedLoss) => void;
}

/**
 * The file that names the process that has the directory open, for the error message of a second process. LevelDB
 * ignores the file.
 */
const HOLDER_FILE = 'holder.json';

const holderSchema = z.object({
  pid: z.int(),
  host: z.string().max(255),
  /** Time when that process opened the store, ISO 8601. */
  started: z.string().max(40),
});

/**
 * Opens the LevelDB in `dir`, which is created with mode 0700 if it is missing. LevelDB locks the directory for this
 * process.
 *
 * Every byte of the store is verified first. A damaged store is rejected and left unchanged. If only its logs are
 * damaged, an operator can accept the loss of writes. Then the store is opened with a new id, so that no follower
 * continues without the lost writes.
 *
 * @param writeBufferBytes memory for entries that are not yet sorted into a file
 * @param loss present if an operator accepts that writes are lost, with the callback that reports the loss
 * @throws MonError `conflict` if another process has the store open, `invalid` if `dir` cannot be a store directory,
 *   `internal` if the store is damaged, `unavailable` if the disk fails
 */
export async function openDatabase(dir: string, writeBufferBytes: number, loss?: LossPolicy): Promise<Database> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw directoryProblem(dir, error);
  }
  let database: Database;
  try {
    const accepted = await assertIntact(dir, loss !== undefined);
    if (accepted !== undefined) loss?.onAccepted(accepted);
    database = await openWithAllLogs(dir, async () => {
      const opened = new Level(dir, { writeBufferSize: writeBufferBytes, maxOpenFiles: OPEN_FILES_MAX });
      await opened.open();
      return opened;
    });
    if (accepted !== undefined) await database.put(encodeTuple(STORE_ID), newStoreId(), { sync: true });
  } catch (error) {
    throw await openProblem(dir, error);
  }
  await unmarkClosed(dir);
  await writeHolder(dir);
  return database;
}

export async function closeDatabase(database: Database): Promise<void> {
  // The holder file is removed before the lock is released: afterwards it may be the file of the next process that
  // opens the directory.
  await rm(join(database.location, HOLDER_FILE), { force: true }).catch(ignoreError);
  await markClosed(database.location);
  await database.close();
}

async function openProblem(dir: string, error: unknown): Promise<MonError> {
  if (error instanceof MonError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  if (code === 'LEVEL_LOCKED') {
    return new MonError(
      'conflict',
      `the store in ${dir} is in use by ${await readHolder(dir)}; stop that process first, or use another state directory`,
      { cause },
    );
  }
  // A missing file is damage as well, although LevelDB reports it as a disk failure.
  if (code === 'LEVEL_CORRUPTION' || /No such file or directory/.test(errorMessage(cause))) {
    return new MonError(
      'internal',
      `the store in ${dir} is damaged (${errorMessage(cause)}); ` +
        `repair a copy with mon-backend repair ${dir}, or move the directory away and restore a backup`,
      { cause },
    );
  }
  return directoryProblem(dir, cause);
}

/** Returns the error for a state directory that could not be created, read or written. */
export function directoryProblem(dir: string, error: unknown): MonError {
  const code = codeOf(error);
  const text = errorMessage(error);
  if (code === 'EEXIST' || code === 'ENOTDIR') {
    return new MonError('invalid', `${dir} cannot be the state directory: the path, or a part of the path, is a file`, {
      cause: error,
    });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || /permission denied|read-only/i.test(text)) {
    return new MonError(
      'invalid',
      `no permission to write to the state directory ${dir} (${text}); ` +
        'run as the owner of the directory, make this user the owner (chown -R), or use another directory',
      { cause: error },
    );
  }
  return new MonError('unavailable', `cannot open the store in ${dir}: ${text}`, { cause: error });
}

/**
 * Writes the holder file, and ignores errors: without the file, only the error message of a second process is less
 * specific.
 */
async function writeHolder(dir: string): Promise<void> {
  const holder: z.infer<typeof holderSchema> = {
    pid: process.pid,
    host: hostname(),
    started: new Date().toISOString(),
  };
  await writeFile(join(dir, HOLDER_FILE), JSON.stringify(holder), { mode: 0o600 }).catch(ignoreError);
}

async function readHolder(dir: string): Promise<string> {
  try {
    const { pid, host, started } = holderSchema.parse(JSON.parse(await readFile(join(dir, HOLDER_FILE), 'utf8')));
    return `process ${String(pid)} on ${host}, started ${started}`;
  } catch {
    // The other process is just starting or stopping, so its holder file is missing or incomplete.
    return 'another process';
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const ignoreError = (): void => undefined;
