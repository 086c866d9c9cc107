import { z } from 'zod';

/** Minimum length of a user's password, in characters. */
export const PASSWORD_LENGTH_MIN = 8;

/** Maximum length of a password in bytes, because bcrypt ignores further bytes without an error. */
const PASSWORD_BYTES_MAX = 72;

/**
 * A bcrypt hash with a valid cost: `$2b$10$` and 53 characters of salt and hash. A cost above 14 is rejected, because a
 * login would take seconds.
 */
const BCRYPT_FORMAT = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z\d]{53}$/;

export function isBcryptHash(text: string): boolean {
  return BCRYPT_FORMAT.test(text);
}

/** Returns the length of a text in UTF-8 bytes. */
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
  .refine((password) => !password.includes('\0'), 'must not contain a zero byte');

/** The bcrypt hash of a password, as in dumps. */
export const bcryptHashSchema = z
  .string()
  .refine(isBcryptHash, 'must be a bcrypt hash: $2a$, $2b$ or $2y$ with a cost from 04 to 14');
