import type { Stats } from 'node:fs';

/** Permission bits of all users but the owner, and of users outside the group. */
const OTHERS = 0o077;
const EVERYBODY = 0o007;

/**
 * Checks which users can read or write a file with a secret.
 *
 * @returns a warning about a file of another user; undefined if there is none
 * @throws Error for a file of this user that others can access
 */
export function readersOfSecretFile(stats: Stats): string | undefined {
  // A file of another user, such as root, is that user's responsibility: a group may read it, but not everybody.
  const isOwn = stats.uid === process.getuid?.();
  if (isOwn && (stats.mode & OTHERS) !== 0) {
    throw new Error('other users of this machine can access the file: run chmod 600 on the file');
  }
  if ((stats.mode & EVERYBODY) === 0) return undefined;
  return 'can be read by all users of this machine: remove that permission';
}
