import type { Stats } from 'node:fs';

/** Permission bits of a file. "Others" are the users outside the group. */
const GROUP_AND_OTHERS_MODE_BITS = 0o077;
const OTHERS_MODE_BITS = 0o007;

/**
 * Checks which users can access a file with a secret.
 *
 * @returns warning about a file of another user that everybody can access; undefined if there is no problem
 * @throws Error if the file belongs to the user of this process and other users can access it
 */
export function readersOfSecretFile(stats: Stats): string | undefined {
  // If the file belongs to another user, such as root, its group may read it, but not everybody.
  const isOwn = stats.uid === process.getuid?.();
  if (isOwn && (stats.mode & GROUP_AND_OTHERS_MODE_BITS) !== 0) {
    throw new Error('other users of this machine can access the file: run chmod 600 on the file');
  }
  if ((stats.mode & OTHERS_MODE_BITS) === 0) return undefined;
  return 'can be read by all users of this machine: remove that permission';
}
