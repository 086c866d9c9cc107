import { open, rm, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { MonError } from '../../shared/errors.ts';

const PROBE_FILE = 'reopen.probe';
/** Files that are open at the same time while LevelDB opens a database. */
const FILES = 8;
const PROBE_BYTES = 64 * 1024;

/**
 * Tries out what opening a database asks of its disk: room, free descriptors, a write, a sync, a deletion. While they
 * fail, a database that is open is worth more than one that is closed and does not open again: it can be read.
 *
 * @param bytes that opening it may write
 * @throws MonError `unavailable` when there is no room; what the disk says
 */
export async function assertDiskWorks(dir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  if (free < bytes) {
    throw new MonError(
      'unavailable',
      `the disk of ${dir} is full: ${mebibytes(free)} free, ${mebibytes(bytes)} needed; free some space`,
    );
  }
  const path = join(dir, PROBE_FILE);
  const files: FileHandle[] = [];
  try {
    while (files.length < FILES) files.push(await open(path, 'w', 0o600));
    await files[0]?.writeFile(Buffer.alloc(PROBE_BYTES));
    await files[0]?.datasync();
  } finally {
    await Promise.allSettled(files.map((file) => file.close()));
    await rm(path, { force: true });
  }
}

const mebibytes = (bytes: number): string => `${String(Math.floor(bytes / 1024 / 1024))} MiB`;
