import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { errorMessage, MonError } from '../errors.ts';

/** Maximum size of a file; all authorities of an operating system are about 200 KB. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads and converts a small file.
 *
 * @param setting name of the setting with the path, for people
 * @throws MonError `invalid` that names the file and the setting, with the reason
 */
export function readTlsFile<Read>(file: string, setting: string, read: (text: string, stats: Stats) => Read): Read {
  try {
    const opened = openSync(file, 'r');
    try {
      const stats = fstatSync(opened);
      if (!stats.isFile()) throw new Error('the path is not a regular file');
      if (stats.size > FILE_BYTES_MAX) throw new Error('the file is too large');
      return read(readFileSync(opened, 'utf8'), stats);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw new MonError('invalid', `${file} cannot be used as ${setting}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EACCES':
      return 'this user may not read the file';
    default:
      return errorMessage(error);
  }
}
