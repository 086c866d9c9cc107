import { z } from 'zod';

/** Shortest password of a user, characters. */
export const PASSWORD_LENGTH_MIN = 8;

/** bcrypt looks at no more of a password, bytes. A longer one would be cut without a word. */
const PASSWORD_BYTES_MAX = 72;

/** Costs that are taken: `$2b$10$` and 53 characters of salt and hash. Beyond 14 a log-in would take seconds. */
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z\d]{53}$/;

export function isBcryptHash(text: string): boolean {
  return BCRYPT.test(text);
}

/** Bytes in UTF-8. */
function utf8Length(text: string): number {
  return encodeURIComponent(text.toWellFormed()).replace(/%[\dA-F]{2}/g, '.').length;
}

export const passwordSchema = z
  .string()
  .min(PASSWORD_LENGTH_MIN, `must have at least ${String(PASSWORD_LENGTH_MIN)} characters`)
  .refine(
    (password) => utf8Length(password) <= PASSWORD_BYTES_MAX,
    `must have at most ${String(PASSWORD_BYTES_MAX)} bytes`,
  )
  .refine((password) => !password.includes('\0'), 'must not hold a zero character');

/** As dumps carry it. */
export const bcryptHashSchema = z
  .string()
  .refine(isBcryptHash, 'must be a bcrypt hash: $2a$, $2b$ or $2y$ with a cost from 04 to 14');
