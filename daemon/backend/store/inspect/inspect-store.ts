import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../../../shared/errors.ts';
import { damageSinceClosed } from './closed-mark.ts';
import { scanLog, type LogScan } from './log-scan.ts';
import {
  CURRENT_FILE,
  isMissing,
  fileNumberOf,
  rethrowPermissionError,
  storeFiles,
  type FileDamage,
  type StoreFiles,
} from './store-files.ts';
import { isIntactBlock, tableBlocks } from './sorted-table.ts';
import { versionOf, type ManifestTable, type ManifestVersion } from './version.ts';
import { batchHead } from './write-batch.ts';

/**
 * Verifies all checksums in the files that a store uses, while no process has the store open, and changes nothing.
 * LevelDB itself verifies only a few checksums, and silently skips data that it cannot read.
 *
 * @returns the damage; empty if the store is intact. An interrupted last write is not damage.
 * @throws Error if the directory cannot be listed, or this user has no permission to read its files
 */
export async function inspectStore(dir: string): Promise<readonly FileDamage[]> {
  const files = await storeFiles(dir);
  const current = await currentVersion(dir, files);
  if (current === undefined) return [];
  if ('damage' in current) return [current.damage];
  const { version } = current;
  const damages: FileDamage[] = [];
  for (const table of version.tables.values()) damages.push(...(await inspectTable(dir, files, table)));
  damages.push(...(await inspectLogs(dir, liveLogs(files, version), version)));
  return damages;
}

/** Returns the logs that LevelDB reads when it opens the store, the oldest first. */
export function liveLogs({ logs }: StoreFiles, { logNumber }: ManifestVersion): string[] {
  return logs.filter((log) => fileNumberOf(log) >= logNumber);
}

function fileDamage(file: string, problem: string): { readonly damage: FileDamage } {
  return { damage: { file, problem, kind: 'files' } };
}

/**
 * Reads which files make up the store, from the manifest that the file CURRENT refers to. Returns the damage if that is
 * impossible; undefined if there is no store yet.
 */
async function currentVersion(
  dir: string,
  files: StoreFiles,
): Promise<{ readonly version: ManifestVersion } | { readonly damage: FileDamage } | undefined> {
  let current: string;
  try {
    current = await readFile(join(dir, CURRENT_FILE), 'utf8');
  } catch (error) {
    rethrowPermissionError(error);
    if (!isMissing(error)) return fileDamage(CURRENT_FILE, `cannot be read: ${errorMessage(error)}`);
    return (await isUnbegun(dir, files))
      ? undefined
      : fileDamage(CURRENT_FILE, 'is missing, although there are files of a store');
  }
  const [name] = /^MANIFEST-\d+(?=\n$)/.exec(current) ?? [];
  if (name === undefined) return fileDamage(CURRENT_FILE, 'does not refer to a manifest');
  try {
    const { records, damaged } = scanLog(await readFile(join(dir, name)));
    const [span] = damaged;
    if (span !== undefined) return fileDamage(name, `has a wrong checksum at byte ${String(span.from)}`);
    if (records.length === 0) return fileDamage(name, 'is empty');
    return { version: versionOf(records.map(({ payload }) => payload)) };
  } catch (error) {
    rethrowPermissionError(error);
    return fileDamage(
      name,
      isMissing(error) ? 'is missing, although CURRENT refers to it' : `is damaged: ${errorMessage(error)}`,
    );
  }
}

/**
 * True if the first start of LevelDB was interrupted before anything was written. LevelDB creates the manifest first,
 * so other files or a second record in the manifest prove a later state.
 */
async function isUnbegun(dir: string, { tables, logs, manifests }: StoreFiles): Promise<boolean> {
  if (tables.length > 0 || logs.length > 0) return false;
  for (const name of manifests) {
    const { records, damaged } = scanLog(await readFile(join(dir, name)));
    if (damaged.length > 0 || records.length > 1) return false;
  }
  return true;
}

async function inspectTable(
  dir: string,
  { tables }: StoreFiles,
  { number, bytes }: ManifestTable,
): Promise<FileDamage[]> {
  const file = tables.find((name) => fileNumberOf(name) === number);
  const damage = (problem: string): FileDamage[] => [
    { file: file ?? `${String(number).padStart(6, '0')}.ldb`, problem, kind: 'files' },
  ];
  if (file === undefined) return damage('is missing');
  try {
    const table = await readFile(join(dir, file));
    if (table.length !== bytes) return damage(`has ${String(table.length)} bytes, not ${String(bytes)}`);
    const blocks = tableBlocks(table);
    const bad = blocks.filter((block) => !isIntactBlock(table, block));
    if (bad.length === 0) return [];
    return damage(`${String(bad.length)} of its ${String(blocks.length)} blocks have a wrong checksum`);
  } catch (error) {
    rethrowPermissionError(error);
    return damage(errorMessage(error));
  }
}

/** Returns the damage for logs that are missing, or are shorter than when the store was closed. */
export async function absentLogs(
  dir: string,
  logs: readonly string[],
  { logNumber }: ManifestVersion,
): Promise<FileDamage[]> {
  const damages: FileDamage[] = [];
  // LevelDB creates a log before the manifest refers to it, so a log that is missing here was lost.
  if (logNumber > 0 && !logs.some((name) => fileNumberOf(name) === logNumber)) {
    const file = `${String(logNumber).padStart(6, '0')}.log`;
    damages.push({ file, problem: 'is missing, so the latest writes are lost', kind: 'log' });
  }
  const cut = await damageSinceClosed(dir, logNumber);
  return [...damages, ...cut.filter(({ file }) => damages[0]?.file !== file)];
}

async function inspectLogs(dir: string, logs: readonly string[], version: ManifestVersion): Promise<FileDamage[]> {
  const damages = await absentLogs(dir, logs, version);
  for (const [at, file] of logs.entries()) {
    try {
      const scan = scanLog(await readFile(join(dir, file)));
      const problem = problemOf(scan, at < logs.length - 1);
      if (problem !== undefined) damages.push({ file, problem, kind: 'log' });
    } catch (error) {
      rethrowPermissionError(error);
      damages.push({ file, problem: `cannot be read: ${errorMessage(error)}`, kind: 'log' });
    }
  }
  return damages;
}

/**
 * Returns a description of the damage in a log; undefined if the log is intact.
 *
 * @param hasNext true if there is a newer log: then all writes to this log were completed, and a torn end is damage
 */
function problemOf({ records, damaged, torn }: LogScan, hasNext: boolean): string | undefined {
  const spans = hasNext && torn !== undefined ? [...damaged, torn] : damaged;
  const lost = lostWrites(records.map(({ payload }) => payload));
  const [first] = spans;
  if (first === undefined) return lost === 0 ? undefined : `${String(lost)} changes are missing in its middle`;
  const bytes = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const after = records.filter(({ at }) => at > first.from).length;
  const counted = lost > 0 ? `${String(lost)} changes` : 'the last writes, or one of them';
  return (
    `${String(bytes)} bytes from byte ${String(first.from)} on have a wrong checksum: ${counted} ` +
    `cannot be read, ${String(records.length - after)} writes before and ${String(after)} after can`
  );
}

/**
 * Returns the number of changes that are missing between intact records. It is the sum of the gaps in their sequence
 * numbers. A record that is a copy of an earlier one is not counted.
 */
function lostWrites(payloads: readonly Buffer[]): number {
  let lost = 0;
  let next: number | undefined;
  for (const payload of payloads) {
    const { sequence, count } = batchHead(payload);
    if (next !== undefined && sequence > next) lost += sequence - next;
    next = Math.max(next ?? 0, sequence + count);
  }
  return lost;
}
