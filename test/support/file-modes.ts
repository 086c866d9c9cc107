import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Calls `start` while this process has another umask, and restores the previous one. */
export function underUmask<T>(umask: number, start: () => T): T {
  const before = process.umask(umask);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/** Returns the permission bits of a file as an octal number. */
export async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/**
 * Returns the permission bits that occur in a directory and its content, sorted and without duplicates: those of
 * directories, and those of files.
 */
export async function modesBeneath(dir: string): Promise<{ readonly directories: string[]; readonly files: string[] }> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const modes = async (wanted: typeof entries): Promise<string[]> =>
    Promise.all(wanted.map(({ parentPath, name }) => modeOf(join(parentPath, name))));
  const directories = [await modeOf(dir), ...(await modes(entries.filter((entry) => entry.isDirectory())))];
  const files = await modes(entries.filter((entry) => entry.isFile()));
  return { directories: [...new Set(directories)].toSorted(), files: [...new Set(files)].toSorted() };
}
