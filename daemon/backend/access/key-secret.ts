import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { partsOfKey } from '../../../shared/client/key-parts.ts';

const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** A new secret, of a key or a token: 43 characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * What is stored of a secret: `sha256$salt$hash`. A fast hash is enough here, other than for passwords: nobody can try
 * out 32 random bytes, however fast, and it is computed for each request.
 */
export function hashSecret(secret: string, salt = randomBytes(SALT_BYTES).toString('base64url')): string {
  return `sha256$${salt}$${createHmac('sha256', salt).update(secret).digest('base64url')}`;
}

/** Whether this is the secret; the time of the comparison tells nothing. */
export function isSecret(secret: string, stored: string): boolean {
  const expected = Buffer.from(stored);
  const given = Buffer.from(hashSecret(secret, stored.split('$')[1] ?? ''));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The version of the secret of a key, see `CredentialVersions`. It may be sent where the hash itself must not be. */
export function keyVersion({ hash: stored }: { readonly hash: string }): string {
  return `key ${hash('sha256', stored, 'base64url')}`;
}

/** What is stored of a key of the peer, told by the key itself. @param before the hash that is stored, which is kept */
export function storedPeerKey(key: string, before: (id: string) => string | undefined): { id: string; hash: string } {
  const { id = '', secret = key } = partsOfKey(key) ?? {};
  const known = before(id);
  return { id, hash: known !== undefined && isSecret(secret, known) ? known : hashSecret(secret) };
}
