import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import { RecoveredEntries } from './inspect/recovered-entries.ts';
import { absentLogs, liveLogs } from './inspect/inspect-store.ts';
import { scanLog } from './inspect/log-scan.ts';
import { blockEntries, tableBlocks } from './inspect/sorted-table.ts';
import {
  bytesOf,
  CURRENT_FILE,
  fileNumberOf,
  rethrowPermissionError,
  storeFiles,
  type StoreFiles,
} from './inspect/store-files.ts';
import { KEY_TRAILER_BYTES, versionOf, type ManifestTable, type ManifestVersion } from './inspect/version.ts';
import { batchHead, batchOperations } from './inspect/write-batch.ts';
import {
  changeRecords,
  EPOCHS_PREFIX,
  epochKey,
  lastSeqKey,
  newStoreId,
  INTERNAL_PREFIX,
  SCHEMA_VERSION,
  STORE_ID,
} from './keys.ts';
import { MIGRATIONS, schemaAfterMigrations } from './migrations/list.ts';
import { readableKey } from './readable-parts.ts';
import { decodeTuple, encodeTuple, tupleRange } from './tuple.ts';

/** A file of the store, or a part of a file, that could not be recovered. */
export interface LostPart {
  readonly file: string;
  readonly problem: string;
  /** Two keys that bound the range of the lost entries, as text for operators; absent if unknown. */
  readonly between?: readonly [after: string, upTo: string];
}

export interface RepairReport {
  /**
   * Number of recovered entries by the first part of their key. Internal records of the store count as `own`, and
   * entries with a damaged key as `unknown`.
   */
  readonly kept: Readonly<Record<string, number>>;
  readonly lost: readonly LostPart[];
}

/** Name of the report file in the directory of the repaired store. */
export const REPORT_FILE = 'repair-report.json';

const MERGING_SUFFIX = '.merging';
const UNFINISHED_SUFFIX = '.unfinished';
const PAGE_ENTRIES = 1000;

/**
 * Creates a new store from all entries that can still be read in the files of a damaged store. The damaged store is not
 * changed. If several values of a key are recovered, the newest one is used.
 *
 * @param target the directory of the new store, which must not exist
 * @param options `schema`: the schema version of the store, used if the store has lost its own record of it
 * @throws MonError `invalid` if there is no store, or its schema version is unknown; `unavailable` if the disk fails;
 *   the reason of `signal` if the repair was aborted. In these cases `target` is not created.
 */
export async function repairStore(
  dir: string,
  target: string,
  { signal, schema }: { readonly signal: AbortSignal; readonly schema?: number | undefined },
): Promise<RepairReport> {
  const merging = target + MERGING_SUFFIX;
  const unfinished = target + UNFINISHED_SUFFIX;
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    await using recovered = await RecoveredEntries.open(merging);
    const lost = await recoverEntries(dir, recovered, signal);
    const kept = await copyNewest(recovered, unfinished, { isLossy: lost.length > 0, signal, schema });
    const report: RepairReport = { kept, lost };
    await writeFile(join(unfinished, REPORT_FILE), `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o600 });
    await rename(unfinished, target);
    return report;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (signal.aborted) throw signal.reason;
    if (error instanceof MonError) throw error;
    throw new MonError('unavailable', `the repair failed: ${errorMessage(error)}`, { cause: error });
  } finally {
    await rm(merging, { recursive: true, force: true });
  }
}

async function recoverEntries(dir: string, recovered: RecoveredEntries, signal: AbortSignal): Promise<LostPart[]> {
  const files = await storeFiles(dir);
  if (files.tables.length === 0 && files.logs.length === 0) {
    throw new MonError('invalid', `there is no store in ${dir}: use the state directory of a backend`);
  }
  const { live, lost } = await liveFiles(dir, files);
  for (const name of live.tables) lost.push(...(await recoverTable(dir, name, recovered, signal)));
  for (const name of live.logs) {
    signal.throwIfAborted();
    lost.push(...(await recoverLog(dir, name, recovered)));
  }
  return lost;
}

interface LiveFiles {
  readonly live: Pick<StoreFiles, 'tables' | 'logs'>;
  /** The files that are known to be missing, and the manifest if it does not match the directory. */
  readonly lost: LostPart[];
}

/**
 * Returns the files that the newest manifest lists, if none of them is missing; otherwise all files of the directory.
 * With all files, the newest value of each key is still used, but deleted entries can reappear.
 */
async function liveFiles(dir: string, files: StoreFiles): Promise<LiveFiles> {
  const lost: LostPart[] = [];
  if ((await bytesOf(join(dir, CURRENT_FILE))) === undefined) lost.push({ file: CURRENT_FILE, problem: 'is missing' });
  const newest = files.manifests.at(-1);
  const version = newest === undefined ? undefined : await readVersion(join(dir, newest));
  if (version !== undefined) {
    const logs = liveLogs(files, version);
    const isThere = ({ number }: ManifestTable): boolean => files.tables.some((name) => fileNumberOf(name) === number);
    const absent: LostPart[] = [...version.tables.values()].filter((table) => !isThere(table)).map(missingTable);
    for (const { file, problem } of await absentLogs(dir, logs, version)) absent.push({ file, problem });
    lost.push(...absent);
    const tables = files.tables.filter((name) => version.tables.has(fileNumberOf(name)));
    if (absent.length === 0) return { live: { tables, logs }, lost };
    if (tables.length === files.tables.length && logs.length === files.logs.length) return { live: files, lost };
  }
  const problem = 'does not match the existing files, so recently deleted entries may reappear';
  return { live: files, lost: [...lost, { file: newest ?? 'MANIFEST', problem }] };
}

/**
 * Reads the manifest in the file `path`.
 *
 * @returns undefined unless the whole file can be read
 */
async function readVersion(path: string): Promise<ManifestVersion | undefined> {
  try {
    const { records, damaged, torn } = scanLog(await readFile(path));
    if (damaged.length > 0 || torn !== undefined || records.length === 0) return undefined;
    return versionOf(records.map(({ payload }) => payload));
  } catch (error) {
    rethrowPermissionError(error);
    return undefined;
  }
}

function missingTable({ number, smallest, largest }: ManifestTable): LostPart {
  const file = `${String(number).padStart(6, '0')}.ldb`;
  return { file, problem: 'is missing', between: [readableKey(smallest), readableKey(largest)] };
}

async function recoverTable(
  dir: string,
  name: string,
  recovered: RecoveredEntries,
  signal: AbortSignal,
): Promise<readonly LostPart[]> {
  const lost: LostPart[] = [];
  try {
    const table = await readFile(join(dir, name));
    for (const block of tableBlocks(table)) {
      signal.throwIfAborted();
      try {
        for (const [internalKey, value] of blockEntries(table, block)) {
          const end = internalKey.length - KEY_TRAILER_BYTES;
          const trailer = internalKey.readBigUInt64LE(end);
          const isValue = (trailer & 0xffn) !== 0n;
          await recovered.add(internalKey.subarray(0, end), trailer >> 8n, isValue ? value : undefined);
        }
      } catch (error) {
        const between = [readableBytes(block.after), readableBytes(block.upTo)] as const;
        lost.push({ file: name, problem: errorMessage(error), between });
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    rethrowPermissionError(error);
    lost.push({ file: name, problem: errorMessage(error) });
  }
  return lost;
}

function readableBytes(key: Buffer | undefined): string {
  return readableKey(key?.toString('utf8') ?? '');
}

async function recoverLog(dir: string, name: string, recovered: RecoveredEntries): Promise<readonly LostPart[]> {
  const { records, damaged } = scanLog(await readFile(join(dir, name)));
  const lost = damaged.map(({ from, to }) => ({
    file: name,
    problem: `the bytes ${String(from)} to ${String(to)} have a wrong checksum: the writes in these bytes are lost`,
  }));
  for (const { at, payload } of records) {
    try {
      let sequence = BigInt(batchHead(payload).sequence);
      for (const [key, value] of batchOperations(payload)) await recovered.add(key, sequence++, value);
    } catch (error) {
      lost.push({ file: name, problem: `the write at byte ${String(at)} cannot be read: ${errorMessage(error)}` });
    }
  }
  return lost;
}

/**
 * Copies the newest value of each recovered key into a new store in `dir`.
 *
 * @param options `isLossy`: true if entries were lost. Then the new store gets a new id and no change records, so that
 *   no follower continues without the lost entries.
 */
async function copyNewest(
  recovered: RecoveredEntries,
  dir: string,
  {
    isLossy,
    signal,
    schema,
  }: { readonly isLossy: boolean; readonly signal: AbortSignal; readonly schema?: number | undefined },
): Promise<Record<string, number>> {
  const database = new Level(dir);
  await database.open();
  try {
    const kept: Record<string, number> = {};
    const shards = new Map<string, number>();
    let batch = database.batch();
    for await (const [key, value] of recovered.newest()) {
      signal.throwIfAborted();
      batch.put<Buffer, Buffer>(key, value, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
      const parts = partsOf(key);
      const kind = parts[0] === INTERNAL_PREFIX ? 'own' : String(parts[0]);
      kept[kind] = (kept[kind] ?? 0) + 1;
      recordShard(shards, parts);
      if (batch.length < PAGE_ENTRIES) continue;
      await batch.write();
      batch = database.batch();
    }
    await batch.write({ sync: true });
    if ((await database.get(encodeTuple(SCHEMA_VERSION))) === undefined) {
      if (schema === undefined) throw unknownForm();
      await database.put(encodeTuple(SCHEMA_VERSION), String(schema));
    }
    if (isLossy) await initializeDatabase(database, shards);
    return kept;
  } finally {
    await database.close();
  }
}

function unknownForm(): MonError {
  return new MonError(
    'invalid',
    'the schema version of the store is lost: set --schema to the database_version in the log of the backend ' +
      `(stores of this version have ${String(schemaAfterMigrations(MIGRATIONS))}), or restore a backup`,
  );
}

/** Returns the parts of a key; `unknown` as the only part if bytes of the key are damaged. */
function partsOf(key: Buffer): readonly (string | number)[] {
  try {
    return decodeTuple(key.toString('utf8'));
  } catch {
    return ['unknown'];
  }
}

/**
 * Records the shard that a key belongs to, with the highest sequence number of its change records so far. Keys that
 * belong to no shard are ignored.
 */
function recordShard(shards: Map<string, number>, parts: readonly (string | number)[]): void {
  const isOf = (key: readonly (string | number)[]): boolean => key.every((part, at) => parts[at] === part);
  const name = String(parts[2]);
  if (isOf(changeRecords(name))) shards.set(name, Math.max(shards.get(name) ?? 0, Number(parts[3])));
  else if (isOf(EPOCHS_PREFIX) || isOf(lastSeqKey(name))) shards.set(name, shards.get(name) ?? 0);
}

async function initializeDatabase(database: Level, shards: ReadonlyMap<string, number>): Promise<void> {
  await database.put(encodeTuple(STORE_ID), newStoreId());
  for (const [name, newest] of shards) {
    await database.clear(tupleRange(changeRecords(name)));
    const last = Number((await database.get(encodeTuple(lastSeqKey(name)))) ?? 0);
    await database.put(encodeTuple(lastSeqKey(name)), String(Math.max(last, newest)));
    if ((await database.get(encodeTuple(epochKey(name)))) === undefined)
      await database.put(encodeTuple(epochKey(name)), '1');
  }
}
