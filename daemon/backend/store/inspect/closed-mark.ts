import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { bytesOf, fileNumberOf, storeFiles, type FileDamage } from './store-files.ts';

/**
 * The file that records the name and length of the newest write-ahead log when the store was closed. Without it, a log
 * that was truncated afterwards would look like a log whose last write was interrupted.
 */
const CLOSED_FILE = 'closed.json';

const closedSchema = z.object({ log: z.string().regex(/^\d+\.log$/), bytes: z.int().min(0) });

/**
 * Records the name and length of the newest log; an error is ignored. Call it just before the store is closed, after
 * the last write.
 */
export async function markClosed(dir: string): Promise<void> {
  try {
    const log = (await storeFiles(dir)).logs.at(-1);
    const bytes = log === undefined ? undefined : await bytesOf(join(dir, log));
    if (log === undefined || bytes === undefined) return;
    await writeFile(join(dir, CLOSED_FILE), JSON.stringify({ log, bytes }), { mode: 0o600 });
  } catch {
    await unmarkClosed(dir);
  }
}

/** Removes the file that `markClosed` has written. Call it before the next write to the store. */
export async function unmarkClosed(dir: string): Promise<void> {
  await rm(join(dir, CLOSED_FILE), { force: true }).catch(() => undefined);
}

/**
 * Returns the damage if the log that `markClosed` recorded is still needed, and is missing or shorter now; otherwise an
 * empty list.
 *
 * @param oldestLiveLog number of the oldest log that is still needed; the entries of earlier logs are in LevelDB's
 *   table files
 */
export async function damageSinceClosed(dir: string, oldestLiveLog: number): Promise<FileDamage[]> {
  const text = await readFile(join(dir, CLOSED_FILE), 'utf8').catch(() => undefined);
  const closed = text === undefined ? undefined : parseMark(text);
  if (closed === undefined || fileNumberOf(closed.log) < oldestLiveLog) return [];
  const bytes = await bytesOf(join(dir, closed.log));
  if (bytes !== undefined && bytes >= closed.bytes) return [];
  const problem =
    bytes === undefined
      ? 'is missing, so the latest writes are lost'
      : `has ${String(bytes)} bytes, and had ${String(closed.bytes)} when the backend stopped: the newest writes are missing`;
  return [{ file: closed.log, problem, kind: 'log' }];
}

function parseMark(text: string): z.infer<typeof closedSchema> | undefined {
  try {
    return closedSchema.parse(JSON.parse(text));
  } catch {
    // The file was truncated, and is treated like a missing one.
    return undefined;
  }
}
