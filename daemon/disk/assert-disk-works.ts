import { open, rm, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { MonError } from '../../shared/errors.ts';

const PROBE_FILE = 'reopen.probe';
/** The number of files that LevelDB has open at the same time while it opens a database. */
const OPEN_FILES = 8;
const PROBE_BYTES = 64 * 1024;

/**
 * Tests all that opening a database requires of its disk: space, free descriptors, a write, a sync, a deletion. If the
 * test fails, an open database must stay open: it can still be read, while a closed one could not be reopened.
 *
 * @param bytes the maximum number of bytes that opening the database writes
 * @throws MonError `unavailable` if there is no space; otherwise the error of the disk
 */
export async function assertDiskWorks(dir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  if (free < bytes) {
    throw new MonError(
      'unavailable',
      `the disk of ${dir} is full: only ${formatMebibytes(free)} of the needed ${formatMebibytes(bytes)} are free; free some space`,
    );
  }
  const path = join(dir, PROBE_FILE);
  const files: FileHandle[] = [];
  try {
    while (files.length < OPEN_FILES) files.push(await open(path, 'w', 0o600));
    await files[0]?.writeFile(Buffer.alloc(PROBE_BYTES));
    await files[0]?.datasync();
  } finally {
    await Promise.allSettled(files.map((file) => file.close()));
    await rm(path, { force: true });
  }
}

const formatMebibytes = (bytes: number): string => `${String(Math.floor(bytes / 1024 / 1024))} MiB`;
