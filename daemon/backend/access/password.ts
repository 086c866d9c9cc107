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

/** Cost of scrypt that OWASP recommends: a quarter of a second on one core, and 32 MiB of memory. */
const SCRYPT_COST = { N: 32_768, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** @returns the stored form of the password, `scrypt$N$r$p$salt$hash`, with a new salt each time */
export async function hashPassword(
  password: string,
  cost: Pick<PasswordHash, 'N' | 'r' | 'p'> = SCRYPT_COST,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const derived = await deriveHash(password, salt, HASH_BYTES, cost);
  return formatPasswordHash({ ...cost, salt: salt.toString('base64url'), hash: derived.toString('base64url') });
}

/** A user name and a password, as HTTP Basic sends them. */
export interface NameAndPassword {
  readonly user: string;
  readonly password: string;
}

/**
 * Maximum number of users whose last correct password is remembered: all possible stored users, and the configured
 * user.
 */
const REMEMBERED_MAX = 10_001;

/** A bcrypt hash that matches no password. It is as slow to verify as the hash of a user. */
export const DECOY_HASH = '$2b$10$x/Wh8/4jdcf4hhm5OER0jO2ZS2NkCQKCP/aDQV8A52.RaHb7Xo9gq';

/**
 * Verifies passwords against their stored form: a scrypt hash, a bcrypt hash, or plain text.
 *
 * A hash is far too slow for every request. So a digest of each user's last correct password is retained and compared
 * first. It is made with a random key that never leaves this process, so it cannot be attacked elsewhere.
 */
export class Passwords {
  readonly #key = randomBytes(32).toString('hex');
  readonly #bcrypt: Pick<Bcrypt, 'compare'>;
  /** Digest of the last correct password by user, valid as long as the stored form of the password equals `stored`. */
  readonly #accepted = new Map<string, { readonly stored: string; readonly digest: Buffer }>();

  constructor(bcrypt: Pick<Bcrypt, 'compare'>) {
    this.#bcrypt = bcrypt;
  }

  /**
   * True if the password is known to be correct without computing a slow hash. After false, `verify` may still accept
   * it.
   */
  isVerified(credentials: NameAndPassword, stored: string): boolean {
    const digest = this.#digest(credentials);
    if (kindOf(stored) === 'plain')
      return timingSafeEqual(digest, this.#digest({ user: credentials.user, password: stored }));
    const accepted = this.#accepted.get(credentials.user);
    return accepted?.stored === stored && timingSafeEqual(digest, accepted.digest);
  }

  /** Returns a digest that identifies this user and password within this process. */
  digestOf(credentials: NameAndPassword): string {
    return this.#digest(credentials).toString('base64');
  }

  /**
   * Verifies a password by computing its slow hash. The caller runs one verification at a time, because scrypt uses the
   * threads with which the store writes.
   *
   * @param stored stored form of the user's password; undefined if there is no such user
   * @param decoys one stored password for each format in use (plain text, scrypt, bcrypt). A wrong password is compared
   *   in each format, so that the response time does not reveal which users exist
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
      return timingSafeEqual(await deriveHash(credentials.password, salt, expected.length, scrypted), expected);
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

function deriveHash(
  password: string,
  salt: Buffer,
  length: number,
  { N, r, p }: Pick<PasswordHash, 'N' | 'r' | 'p'>,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // OpenSSL needs slightly more memory than the formula gives.
  const maxmem = hashMemoryBytes({ N, r, p }) + 1024 * 1024;
  scrypt(password, salt, length, { N, r, p, maxmem }, (error, key) => {
    if (error === null) resolve(key);
    else reject(error);
  });
  return promise;
}
