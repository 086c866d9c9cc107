import { open } from 'node:fs/promises';
import { errorMessage, MonError } from '../../shared/errors.ts';

/** Permission bits that allow users other than the owner to access a file. */
const OTHER_USERS_MODE_BITS = 0o077;

/** Maximum size of a key file. */
const KEY_BYTES_MAX = 4096;

/**
 * Reads the API key from a file that contains nothing else and that only its owner can access (security S6).
 *
 * @throws MonError `invalid` if the file is missing, other users can access it, or it contains no valid key
 */
export async function readKeyFile(file: string): Promise<string> {
  try {
    await using opened = await open(file);
    const { mode, size } = await opened.stat();
    if ((mode & OTHER_USERS_MODE_BITS) !== 0)
      throw new Error('other users of this machine can access the file: run chmod 600 on the file');
    if (size > KEY_BYTES_MAX) throw new Error('the file is too large: it must contain only the key');
    const key = (await opened.readFile('utf8')).trim();
    if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('the file contains no valid key: write the key on one line');
    return key;
  } catch (error) {
    throw new MonError('invalid', `${file} cannot be used as agent.api-key-file: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
