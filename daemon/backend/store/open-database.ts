import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { z } from 'zod';
import { errorMessage, MonError } from '../../../shared/errors.ts';

/** LevelDB with text keys and values. */
export type Database = Level;

/** Says who has the directory open, for the message that a second instance gets. LevelDB leaves the file alone. */
const HOLDER_FILE = 'holder.json';

const holderSchema = z.object({
  pid: z.int(),
  host: z.string().max(255),
  /** ISO 8601. */
  started: z.string().max(40),
});

/**
 * Opens the LevelDB in `dir`, which is made with mode 0700 when it is missing. LevelDB locks it for this process.
 *
 * @param writeBufferBytes memory for what is not yet sorted into a file
 * @throws MonError `conflict` when it is open elsewhere, `invalid` when it cannot be a store directory, `internal` when it
 *   is damaged, `unavailable` when the disk fails
 */
export async function openDatabase(dir: string, writeBufferBytes: number): Promise<Database> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw directoryProblem(dir, error);
  }
  const database = new Level(dir, { writeBufferSize: writeBufferBytes });
  try {
    await database.open();
  } catch (error) {
    throw await openProblem(dir, error);
  }
  await writeHolder(dir);
  return database;
}

export async function closeDatabase(database: Database): Promise<void> {
  // Before the lock goes: later it could be the file of the next holder.
  await rm(join(database.location, HOLDER_FILE), { force: true }).catch(ignore);
  await database.close();
}

async function openProblem(dir: string, error: unknown): Promise<MonError> {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  if (code === 'LEVEL_LOCKED') {
    return new MonError(
      'conflict',
      `the store in ${dir} is in use by ${await readHolder(dir)}; stop it first, or use another state directory`,
      { cause },
    );
  }
  // A missing file is damage too, but LevelDB reports it as a failure of the disk.
  if (code === 'LEVEL_CORRUPTION' || /No such file or directory/.test(errorMessage(cause))) {
    return new MonError(
      'internal',
      `the store in ${dir} is damaged (${errorMessage(cause)}); restore a backup, or move the directory away to start empty`,
      { cause },
    );
  }
  return directoryProblem(dir, cause);
}

/** What is wrong with a directory that could not be made or read. */
export function directoryProblem(dir: string, error: unknown): MonError {
  const code = codeOf(error);
  const text = errorMessage(error);
  if (code === 'EEXIST' || code === 'ENOTDIR') {
    return new MonError('invalid', `${dir} cannot be the state directory: it, or a part of its path, is a file`, {
      cause: error,
    });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || /permission denied|read-only/i.test(text)) {
    return new MonError(
      'invalid',
      `no permission to write to the state directory ${dir}; run as its owner, change its mode, or use another one`,
      { cause: error },
    );
  }
  return new MonError('unavailable', `cannot open the store in ${dir}: ${text}`, { cause: error });
}

/** Best effort: the store works without it, only the message to a second instance is poorer. */
async function writeHolder(dir: string): Promise<void> {
  const holder: z.infer<typeof holderSchema> = {
    pid: process.pid,
    host: hostname(),
    started: new Date().toISOString(),
  };
  await writeFile(join(dir, HOLDER_FILE), JSON.stringify(holder), { mode: 0o600 }).catch(ignore);
}

async function readHolder(dir: string): Promise<string> {
  try {
    const { pid, host, started } = holderSchema.parse(JSON.parse(await readFile(join(dir, HOLDER_FILE), 'utf8')));
    return `process ${String(pid)} on ${host}, started ${started}`;
  } catch {
    // The other one is just starting or stopping.
    return 'another process';
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const ignore = (): void => undefined;
