import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Session } from '../model/access/credentials.ts';

/**
 * Time for which the previous token is accepted again: the response may have been lost, or two programs share the
 * tokens.
 */
const RETRY_MS = 30_000;

/** The format `mr_<session>_<secret>`. */
const REFRESH_TOKEN = /^mr_(?<session>[\da-f]{16})_(?<secret>[\w-]{43})$/;

/** The parts of a refresh token. */
export interface RefreshToken {
  readonly session: string;
  readonly secret: string;
}

/**
 * The state of a refresh token in its session: the `present` one; one that was just `rotated`, which is accepted again;
 * or a `used` one, which indicates that a token was stolen.
 */
export type RefreshTokenState = 'present' | 'rotated' | 'used';

/** @returns undefined if the text is no refresh token */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const groups = REFRESH_TOKEN.exec(text)?.groups;
  return groups === undefined ? undefined : { session: groups['session'] ?? '', secret: groups['secret'] ?? '' };
}

export function formatRefreshToken({ session, secret }: RefreshToken): string {
  return `mr_${session}_${secret}`;
}

/** @param nowMs epoch milliseconds */
export function stateOfRefreshToken(session: Session, secret: string, nowMs: number): RefreshTokenState {
  const digest = digestOf(secret);
  if (isSameDigest(session.refreshHash, digest)) return 'present';
  const { rotated } = session;
  if (rotated === undefined || !isSameDigest(rotated.hash, digest)) return 'used';
  // The absolute difference, so that a clock that was set back does not extend the time.
  return Math.abs(nowMs - rotated.atMs) <= RETRY_MS ? 'rotated' : 'used';
}

/** Returns the next secret. It can be derived only from the present secret, and is the same each time. */
export function nextRefreshSecret(secret: string, salt: string): string {
  return createHmac('sha256', secret).update(salt).digest('base64url');
}

/** Returns the digest that is stored in place of the secret of a token. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Compares two digests in constant time. */
export function isSameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
