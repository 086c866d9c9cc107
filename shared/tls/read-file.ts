import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { errorMessage, MonError } from '../errors.ts';

/** Maximum size of a file in bytes. A file with the authorities of an operating system has about 200 KB. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads a small file and converts its text.
 *
 * @param setting name of the setting with the path, for the error message
 * @param read callback that converts the text; it throws if the text is invalid
 * @throws MonError `invalid` that names the file, the setting and the reason
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
