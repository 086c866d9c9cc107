import { mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Level } from 'level';
import { z } from 'zod';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import type { StoreOperationOptions } from '../ports.ts';
import { openWithAllLogs } from './open-with-all-logs.ts';
import { digestStore, StoreDigester, rawPages, type StoreDigest } from './store-digest.ts';
import { storeBytes } from './store-size.ts';
import type { Database } from './database.ts';

const MANIFEST_FILE = 'manifest.json';
const STORE_DIR = 'store';
const UNFINISHED_SUFFIX = '.unfinished';

const manifestSchema = z.object({
  /** Version of the backup format, which is independent of the schema of the store. */
  format: z.literal(1),
  /** Time of the backup, ISO 8601. */
  taken: z.string().max(40),
  /** Version of the mon program that created the backup. */
  version: z.string().max(100),
  /** Id of the store that was backed up; `schema` is its schema version. */
  store: z.string().max(100),
  schema: z.int().min(1),
  entries: z.int().min(0),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The content of `manifest.json`, which describes a backup. */
export type BackupManifest = z.infer<typeof manifestSchema>;

export interface Backup {
  readonly dir: string;
  readonly manifest: BackupManifest;
}

/**
 * Disk space that a backup needs, as a multiple of the size of the store, plus a reserve in bytes. A backup is as large
 * as the compressed store; the margins are for entries that LevelDB has not compressed yet.
 */
const SPACE_FACTOR = 1.2;
const SPACE_RESERVE_BYTES = 64 * 1024 * 1024;

/** Returns the default directory for the backups of a store. */
export function backupsOf(stateDir: string): string {
  return join(stateDir, 'backups');
}

/** Returns the default directory of one backup, such as `20261121T201700.123Z-schema-1`. */
export function backupDir(stateDir: string, schema: number, now: Date): string {
  const time = now.toISOString().replace(/[-:]/g, '');
  return join(backupsOf(stateDir), `${time}-schema-${String(schema)}`);
}

/**
 * Removes the directories of interrupted backups below `dir`. They are not in use, because only the process that has
 * the store open makes backups there.
 */
export async function removeUnfinished(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  const unfinished = names.filter((name) => name.endsWith(UNFINISHED_SUFFIX));
  await Promise.all(unfinished.map((name) => rm(join(dir, name), { recursive: true, force: true })));
}

/**
 * Copies an open database as it is at one moment between two writes, while writes continue. Then it reads the copy
 * again: the backup gets its final name only if the copy equals what was read from the database.
 *
 * @param dir the directory of the backup, which must not exist
 * @throws MonError `conflict` if `dir` exists, `unavailable` if there is no space or the disk fails; the reason of
 *   `signal` if the backup was aborted. In these cases nothing of the copy remains.
 */
export async function backUp(
  database: Database,
  dir: string,
  { schema, storeId, ...work }: StoreOperationOptions & { readonly schema: number; readonly storeId: string },
): Promise<Backup> {
  const { signal } = work;
  const unfinished = resolve(dir) + UNFINISHED_SUFFIX;
  try {
    await refuseExisting(dir);
    await mkdir(dirname(unfinished), { recursive: true, mode: 0o700 });
    await rm(unfinished, { recursive: true, force: true });
    await assertSpaceForCopy(database.location, dirname(unfinished), ', or name another directory with --backup-dir');
    await mkdir(unfinished, { mode: 0o700 });
    const taken = new Date().toISOString();
    const digest = await copyInto(database, join(unfinished, STORE_DIR), work);
    const manifest: BackupManifest = { format: 1, taken, version: VERSION, store: storeId, schema, ...digest };
    await writeFile(join(unfinished, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await verifyBackup({ dir: unfinished, manifest }, work);
    await rename(unfinished, dir);
    return { dir, manifest };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
    if (signal.aborted) throw signal.reason;
    if (error instanceof MonError) throw error;
    throw new MonError('unavailable', `the backup into ${dir} failed: ${errorMessage(error)}`, { cause: error });
  }
}

/** @throws MonError `invalid` if `dir` contains no backup of `mon`, or its manifest is damaged or of a later version */
export async function readBackup(dir: string): Promise<Backup> {
  let text: string;
  try {
    text = await readFile(join(dir, MANIFEST_FILE), 'utf8');
  } catch (error) {
    throw new MonError('invalid', `there is no usable backup in ${dir}: cannot read its ${MANIFEST_FILE}`, {
      cause: error,
    });
  }
  try {
    return { dir, manifest: manifestSchema.parse(JSON.parse(text)) };
  } catch (error) {
    throw new MonError(
      'invalid',
      `${join(dir, MANIFEST_FILE)} is damaged or from a later version; use another backup`,
      {
        cause: error,
      },
    );
  }
}

/** Opens the database of a backup. The caller must close it. */
export async function openBackup({ dir }: Pick<Backup, 'dir'>): Promise<Database> {
  const location = join(dir, STORE_DIR);
  try {
    return await openWithAllLogs(location, async () => {
      const database: Database = new Level(location, { createIfMissing: false });
      await database.open();
      return database;
    });
  } catch (error) {
    throw error instanceof MonError ? error : backupProblem(dir, error);
  }
}

/**
 * Returns the error for a backup that cannot be opened. One cause is a missing permission to write: LevelDB writes into
 * the directory of every database that it opens.
 */
export function backupProblem(dir: string, error: unknown): MonError {
  const reason = reasonOf(error);
  const isLocked = /permission denied|read-only/i.test(reason);
  const remedy = isLocked ? 'copy it to a directory where this user may write, and use that' : 'use another backup';
  return new MonError('invalid', `the backup in ${dir} cannot be opened: ${reason}; ${remedy}`, { cause: error });
}

/** @throws MonError `invalid` unless all keys and values of the backup match the checksum in its manifest */
export async function verifyBackup(backup: Backup, work: StoreOperationOptions): Promise<void> {
  const database = await openBackup(backup);
  try {
    assertEqual(await digestStore(database, work), backup);
  } catch (error) {
    if (work.signal.aborted) throw work.signal.reason;
    if (error instanceof MonError) throw error;
    throw new MonError(
      'invalid',
      `the backup in ${backup.dir} cannot be read: ${reasonOf(error)}; use another backup`,
      { cause: error },
    );
  } finally {
    await database.close();
  }
}

/** @throws MonError `invalid` unless the checksum of the digest equals the checksum in the manifest of the backup */
export function assertEqual({ entries, sha256 }: StoreDigest, { dir, manifest }: Backup): void {
  if (sha256 === manifest.sha256) return;
  throw new MonError(
    'invalid',
    `the backup in ${dir} is damaged: it has ${String(entries)} entries (checksum ${sha256}) instead of ` +
      `${String(manifest.entries)} (checksum ${manifest.sha256}); use another backup`,
  );
}

/**
 * Returns the number of free bytes on the disk of `dir`, and an upper limit of the bytes that a copy of the store in
 * `storeDir` needs.
 */
export async function spaceForCopy(storeDir: string, dir: string): Promise<{ free: number; needed: number }> {
  const needed = SPACE_FACTOR * (await storeBytes(storeDir)) + SPACE_RESERVE_BYTES;
  const { bavail, bsize } = await statfs(dir);
  return { free: bavail * bsize, needed: Math.ceil(needed) };
}

/**
 * @param remedy text to append to the remedy "free some space" in the error message
 * @throws MonError `unavailable` unless the disk of `dir` has enough space for a copy of the store in `storeDir`
 */
export async function assertSpaceForCopy(storeDir: string, dir: string, remedy = ''): Promise<void> {
  const { free, needed } = await spaceForCopy(storeDir, dir);
  if (free >= needed) return;
  throw new MonError(
    'unavailable',
    `the disk of ${dir} has ${formatMebibytesRoundedUp(free)} free, but ${formatMebibytesRoundedUp(needed)} are needed; free some space${remedy}`,
  );
}

async function copyInto(database: Database, dir: string, work: StoreOperationOptions): Promise<StoreDigest> {
  const copy = new Level<Buffer, Buffer>(dir, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  await copy.open();
  try {
    const digester = new StoreDigester();
    for await (const page of rawPages(database, work)) {
      digester.add(page);
      const batch = copy.batch();
      for (const [key, value] of page) batch.put(key, value);
      // The batch is not synced, because LevelDB syncs the whole copy when it is opened again for the verification.
      await batch.write();
    }
    return digester.digest();
  } finally {
    await copy.close();
  }
}

async function refuseExisting(dir: string): Promise<void> {
  const exists = await statfs(dir).then(
    () => true,
    () => false,
  );
  if (exists) throw new MonError('conflict', `${dir} already exists: set another directory with --backup-dir`);
}

function reasonOf(error: unknown): string {
  return errorMessage(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

export const formatMebibytesRoundedUp = (bytes: number): string => `${String(Math.ceil(bytes / 1024 / 1024))} MiB`;
