import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { partsOfKey } from '../../../shared/client/key-parts.ts';

const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** Returns a new random secret for an API key or a token: 43 characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Returns the stored form of a secret: `sha256$salt$hash`. Unlike for passwords, a fast hash suffices, because nobody
 * can guess 32 random bytes. It must be fast, because it is computed for each request.
 */
export function hashSecret(secret: string, salt = randomBytes(SALT_BYTES).toString('base64url')): string {
  return `sha256$${salt}$${createHmac('sha256', salt).update(secret).digest('base64url')}`;
}

/** True if a secret matches its stored form. The comparison takes constant time. */
export function matchesSecret(secret: string, stored: string): boolean {
  const expected = Buffer.from(stored);
  const actual = Buffer.from(hashSecret(secret, stored.split('$')[1] ?? ''));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/**
 * Returns the version of an API key (see `CredentialVersions`). It changes with the secret of the key. Unlike the hash,
 * it may be sent to other backends.
 */
export function keyVersion({ hash: stored }: { readonly hash: string }): string {
  return `key ${hash('sha256', stored, 'base64url')}`;
}

/**
 * Converts an API key from a dump of Sensu Go, where the key is in plain text, to its id and hash.
 *
 * @param before callback that returns the hash that is stored for an id. The stored hash is reused if the key matches
 *   it, so that a repeated restore changes nothing.
 */
export function hashSensuGoKey(key: string, before: (id: string) => string | undefined): { id: string; hash: string } {
  const { id = '', secret = key } = partsOfKey(key) ?? {};
  const storedHash = before(id);
  return { id, hash: storedHash !== undefined && matchesSecret(secret, storedHash) ? storedHash : hashSecret(secret) };
}
