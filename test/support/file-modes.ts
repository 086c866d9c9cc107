import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Starts something under another umask, which this process has meanwhile. */
export function underUmask<T>(umask: number, start: () => T): T {
  const before = process.umask(umask);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/** Returns the permission bits in octal. */
export async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/**
 * Returns the modes of a directory and all its content, sorted and unique: those of directories and of files.
 */
export async function modesBeneath(dir: string): Promise<{ readonly directories: string[]; readonly files: string[] }> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const modes = async (wanted: typeof entries): Promise<string[]> =>
    Promise.all(wanted.map(({ parentPath, name }) => modeOf(join(parentPath, name))));
  const directories = [await modeOf(dir), ...(await modes(entries.filter((entry) => entry.isDirectory())))];
  const files = await modes(entries.filter((entry) => entry.isFile()));
  return { directories: [...new Set(directories)].toSorted(), files: [...new Set(files)].toSorted() };
}
