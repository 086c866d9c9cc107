import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import {
  formatPasswordHash,
  hashMemoryBytes,
  isPasswordHash,
  parsePasswordHash,
  type PasswordHash,
} from '../../../shared/schemas/password-hash.ts';
import { isBcryptHash } from '../../../shared/schemas/v2/password.ts';
import type { Bcrypt } from './bcrypt.ts';

/** The cost that OWASP recommends for scrypt: a quarter of a second on one core and 32 MiB. */
const COST = { N: 32_768, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** @returns `scrypt$N$r$p$salt$hash`, with a new salt each time */
export async function hashPassword(
  password: string,
  cost: Pick<PasswordHash, 'N' | 'r' | 'p'> = COST,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const derived = await derive(password, salt, HASH_BYTES, cost);
  return formatPasswordHash({ ...cost, salt: salt.toString('base64url'), hash: derived.toString('base64url') });
}

/** The credentials of HTTP Basic. */
export interface NameAndPassword {
  readonly user: string;
  readonly password: string;
}

/** Maximum number of remembered passwords: those of all possible users, and the one of the configuration. */
const REMEMBERED_MAX = 10_001;

/** A bcrypt hash that matches no password, with the same cost as real ones. */
export const DECOY_HASH = '$2b$10$x/Wh8/4jdcf4hhm5OER0jO2ZS2NkCQKCP/aDQV8A52.RaHb7Xo9gq';

/**
 * Verifies passwords against their stored form: a hash of scrypt or bcrypt, or the password itself.
 *
 * A hash is slow on purpose, far too slow for every request. So a digest of the last correct password of each user is
 * kept and compared first. That reveals nothing: the digest is made with a random key that never leaves this process,
 * so it cannot be attacked elsewhere. A reader of the memory of this process sees the passwords of all requests anyway.
 */
export class Passwords {
  readonly #key = randomBytes(32).toString('hex');
  readonly #bcrypt: Pick<Bcrypt, 'compare'>;
  /** Digest of the correct password by user, valid while `stored` is the stored form. */
  readonly #accepted = new Map<string, { readonly stored: string; readonly digest: Buffer }>();

  constructor(bcrypt: Pick<Bcrypt, 'compare'>) {
    this.#bcrypt = bcrypt;
  }

  /** True if the password is known to be correct without computing a hash; after false, `verify` may still succeed. */
  isVerified(credentials: NameAndPassword, stored: string): boolean {
    const digest = this.#digest(credentials);
    if (kindOf(stored) === 'plain')
      return timingSafeEqual(digest, this.#digest({ user: credentials.user, password: stored }));
    const accepted = this.#accepted.get(credentials.user);
    return accepted?.stored === stored && timingSafeEqual(digest, accepted.digest);
  }

  /** Identifies this user and password within this process. */
  digestOf(credentials: NameAndPassword): string {
    return this.#digest(credentials).toString('base64');
  }

  /**
   * Verifies a password at the full cost of the hash. The caller runs one verification at a time, because they use the
   * threads with which the store writes.
   *
   * @param stored undefined: there is no such user
   * @param decoys one of each present kind, so that every wrong password takes equally long and the time does not
   *   reveal which users exist
   */
  async verify(credentials: NameAndPassword, stored: string | undefined, decoys: readonly string[]): Promise<boolean> {
    if (stored !== undefined && (await this.#matches(credentials, stored))) {
      this.#remember(credentials.user, stored, this.#digest(credentials));
      return true;
    }
    for (const decoy of decoys) {
      if (stored === undefined || kindOf(decoy) !== kindOf(stored)) await this.#matches(credentials, decoy);
    }
    return false;
  }

  async #matches(credentials: NameAndPassword, stored: string): Promise<boolean> {
    const scrypted = parsePasswordHash(stored);
    if (scrypted !== undefined) {
      const expected = Buffer.from(scrypted.hash, 'base64url');
      const salt = Buffer.from(scrypted.salt, 'base64url');
      return timingSafeEqual(await derive(credentials.password, salt, expected.length, scrypted), expected);
    }
    return isBcryptHash(stored)
      ? this.#bcrypt.compare(credentials.password, stored)
      : this.isVerified(credentials, stored);
  }

  #remember(user: string, stored: string, digest: Buffer): void {
    this.#accepted.delete(user);
    this.#accepted.set(user, { stored, digest });
    const [oldest] = this.#accepted.keys();
    if (this.#accepted.size > REMEMBERED_MAX && oldest !== undefined) this.#accepted.delete(oldest);
  }

  #digest({ user, password }: NameAndPassword): Buffer {
    return hash('sha256', `${this.#key}${user}:${password}`, 'buffer');
  }
}

function kindOf(stored: string): 'scrypt' | 'bcrypt' | 'plain' {
  if (isPasswordHash(stored)) return 'scrypt';
  return isBcryptHash(stored) ? 'bcrypt' : 'plain';
}

function derive(
  password: string,
  salt: Buffer,
  length: number,
  { N, r, p }: Pick<PasswordHash, 'N' | 'r' | 'p'>,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // OpenSSL counts slightly more than the formula gives.
  const maxmem = hashMemoryBytes({ N, r, p }) + 1024 * 1024;
  scrypt(password, salt, length, { N, r, p, maxmem }, (error, key) => {
    if (error === null) resolve(key);
    else reject(error);
  });
  return promise;
}
