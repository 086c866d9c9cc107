import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Session } from '../model/access/credentials.ts';

/**
 * Time, in milliseconds, for which a replaced refresh token is still accepted: the response with the new token may have
 * been lost, or two programs may share the tokens.
 */
const RETRY_MS = 30_000;

/** Format of refresh tokens: `mr_<session>_<secret>`. */
const REFRESH_TOKEN = /^mr_(?<session>[\da-f]{16})_(?<secret>[\w-]{43})$/;

/** The parts of a refresh token. */
export interface RefreshToken {
  readonly session: string;
  readonly secret: string;
}

/**
 * The state of a refresh token in its session. `present`: the current token. `rotated`: a token that was just replaced,
 * and is still accepted. `used`: any other token, which was probably stolen.
 */
export type RefreshTokenState = 'present' | 'rotated' | 'used';

/** @returns the parts of a refresh token; undefined if the text has another format */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const groups = REFRESH_TOKEN.exec(text)?.groups;
  return groups === undefined ? undefined : { session: groups['session'] ?? '', secret: groups['secret'] ?? '' };
}

export function formatRefreshToken({ session, secret }: RefreshToken): string {
  return `mr_${session}_${secret}`;
}

/** @param nowMs current time, epoch milliseconds */
export function stateOfRefreshToken(session: Session, secret: string, nowMs: number): RefreshTokenState {
  const digest = digestOf(secret);
  if (isSameDigest(session.refreshHash, digest)) return 'present';
  const { rotated } = session;
  if (rotated === undefined || !isSameDigest(rotated.hash, digest)) return 'used';
  // The difference is absolute, so that a clock that was set back does not extend the time.
  return Math.abs(nowMs - rotated.atMs) <= RETRY_MS ? 'rotated' : 'used';
}

/**
 * Derives the next refresh secret from the current secret. It is the same for the same salt, so that a retry gets the
 * same token.
 */
export function nextRefreshSecret(secret: string, salt: string): string {
  return createHmac('sha256', secret).update(salt).digest('base64url');
}

/** Returns the digest of a secret. The digest is stored in place of the secret. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Compares two digests in constant time. */
export function isSameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
