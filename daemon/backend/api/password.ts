import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import {
  formatPasswordHash,
  hashMemoryBytes,
  isPasswordHash,
  parsePasswordHash,
  type PasswordHash,
} from '../../../shared/schemas/password-hash.ts';

/** A quarter of a second on one core and 32 MiB, as OWASP advises for scrypt. */
const COST = { N: 32_768, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** @returns `scrypt$N$r$p$salt$hash`, with a salt of its own each time */
export async function hashPassword(
  password: string,
  cost: Pick<PasswordHash, 'N' | 'r' | 'p'> = COST,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const derived = await derive(password, salt, HASH_BYTES, cost);
  return formatPasswordHash({ ...cost, salt: salt.toString('base64url'), hash: derived.toString('base64url') });
}

/**
 * One user and password, which pairs `user:password` are held against.
 *
 * A hash is slow on purpose, far too slow for every request. So a digest of the last pair that was right is kept and
 * compared first. That gives nothing away: the digest is made with a random key that never leaves this process, so it
 * cannot be tried out elsewhere, and whoever reads the memory of this process sees the passwords of all requests anyway.
 */
export class Credentials {
  readonly #key = randomBytes(32).toString('hex');
  readonly user: string;
  /** Undefined when the password is configured in plain text. */
  readonly #hash: PasswordHash | undefined;
  #accepted: Buffer | undefined;
  /** By digest: whoever asks for the same pair meanwhile gets the same answer. */
  readonly #underWay = new Map<string, Promise<boolean>>();
  /** One at a time: they would take the threads that the store writes with. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param password a hash that `parsePasswordHash` knows, or the password itself */
  constructor(user: string, password: string) {
    this.user = user;
    this.#hash = isPasswordHash(password) ? parsePasswordHash(password) : undefined;
    if (!isPasswordHash(password)) this.#accepted = this.#digest(`${user}:${password}`);
  }

  /** Whether this pair is right as far as that can be told at once; a false may still `verify`. */
  isKnown(pair: string): boolean {
    return this.#accepted !== undefined && timingSafeEqual(this.#digest(pair), this.#accepted);
  }

  /** The verification of this very pair that somebody else has begun. */
  underWay(pair: string): Promise<boolean> | undefined {
    return this.#underWay.get(this.#digest(pair).toString('hex'));
  }

  /** Whether this pair is right, at the whole cost of the hash. */
  async verify(pair: string): Promise<boolean> {
    const digest = this.#digest(pair);
    const id = digest.toString('hex');
    const verification = this.#last.then(() => this.#compare(pair));
    this.#last = verification;
    this.#underWay.set(id, verification);
    const isRight = await verification;
    this.#underWay.delete(id);
    if (isRight) this.#accepted = digest;
    return isRight;
  }

  async #compare(pair: string): Promise<boolean> {
    if (this.#hash === undefined) return this.isKnown(pair);
    const colon = pair.indexOf(':');
    const expected = Buffer.from(this.#hash.hash, 'base64url');
    const salt = Buffer.from(this.#hash.salt, 'base64url');
    const given = await derive(pair.slice(colon + 1), salt, expected.length, this.#hash);
    // Both are compared, whatever the first says: the time tells nobody which users there are.
    const isPassword = timingSafeEqual(given, expected);
    const isUser = timingSafeEqual(this.#digest(pair.slice(0, colon)), this.#digest(this.user));
    return isPassword && isUser;
  }

  #digest(text: string): Buffer {
    return hash('sha256', this.#key + text, 'buffer');
  }
}

function derive(
  password: string,
  salt: Buffer,
  length: number,
  { N, r, p }: Pick<PasswordHash, 'N' | 'r' | 'p'>,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // OpenSSL counts a little more than the formula says.
  const maxmem = hashMemoryBytes({ N, r, p }) + 1024 * 1024;
  scrypt(password, salt, length, { N, r, p, maxmem }, (error, key) => {
    if (error === null) resolve(key);
    else reject(error);
  });
  return promise;
}
