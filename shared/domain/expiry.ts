import { SECONDS_MAX, type Expiring, EXPIRE_NEVER } from '../schemas/lifetime.ts';

/**
 * Returns when a silence or stash with a time to live expires.
 *
 * @param expireSeconds time to live in seconds; -1, null or undefined if it never expires
 * @returns epoch milliseconds; null if it never expires
 */
export function expireAtMsOf(expireSeconds: number | null | undefined, startMs: number): number | null {
  const seconds = expireSeconds ?? EXPIRE_NEVER;
  return seconds === EXPIRE_NEVER ? null : startMs + seconds * 1000;
}

/** Returns the expiry as in the mon API: epoch seconds with milliseconds as decimals; null if it never expires. */
export function expireAtOf({ expireAtMs }: Expiring): number | null {
  return expireAtMs === null ? null : expireAtMs / 1000;
}

/** Parses an expiry from the API or a file. Older audit trails and dumps contain milliseconds instead of seconds. */
export function parseExpiry(expireAt: number | null): Expiring['expireAtMs'] {
  if (expireAt === null) return null;
  return expireAt > SECONDS_MAX ? expireAt : Math.round(expireAt * 1000);
}

/** Whether an entry is expired. Expired entries are never shown and have no effect, even before they are removed. */
export function isExpired({ expireAtMs: endMs }: Expiring, nowMs: number): boolean {
  return endMs !== null && endMs <= nowMs;
}

/** Returns the remaining lifetime in seconds, rounded up so that an active entry never shows 0; -1 if unlimited. */
export function secondsLeft({ expireAtMs: endMs }: Expiring, nowMs: number): number {
  return endMs === null ? EXPIRE_NEVER : Math.max(0, Math.ceil((endMs - nowMs) / 1000));
}
