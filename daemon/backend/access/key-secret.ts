import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { partsOfKey } from '../../../shared/client/key-parts.ts';

const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** Returns a new secret of a key or a token: 43 characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Returns the stored form of a secret: `sha256$salt$hash`. Unlike for passwords, a fast hash suffices: 32 random bytes
 * cannot be guessed, however fast the hash, and it is computed for each request.
 */
export function hashSecret(secret: string, salt = randomBytes(SALT_BYTES).toString('base64url')): string {
  return `sha256$${salt}$${createHmac('sha256', salt).update(secret).digest('base64url')}`;
}

/** Verifies a secret in constant time. */
export function isSecret(secret: string, stored: string): boolean {
  const expected = Buffer.from(stored);
  const actual = Buffer.from(hashSecret(secret, stored.split('$')[1] ?? ''));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Returns the version of the secret of a key, see `CredentialVersions`. Unlike the hash it may be sent to others. */
export function keyVersion({ hash: stored }: { readonly hash: string }): string {
  return `key ${hash('sha256', stored, 'base64url')}`;
}

/** Returns the stored form of a peer's key. @param before returns the stored hash, which is kept if it matches */
export function storedPeerKey(key: string, before: (id: string) => string | undefined): { id: string; hash: string } {
  const { id = '', secret = key } = partsOfKey(key) ?? {};
  const storedHash = before(id);
  return { id, hash: storedHash !== undefined && isSecret(secret, storedHash) ? storedHash : hashSecret(secret) };
}
