import type { Expiring } from '../schemas/expiry.ts';

/** No expiry, as it is posted and as it is read (reference 2.1). */
export const EXPIRE_NEVER = -1;

/**
 * @param expireSeconds seconds to live, -1 and absent: for ever
 * @returns epoch milliseconds, null: never
 */
export function expireAt(expireSeconds: number | null | undefined, startMs: number): number | null {
  const seconds = expireSeconds ?? EXPIRE_NEVER;
  return seconds === EXPIRE_NEVER ? null : startMs + seconds * 1000;
}

/** What has come to its end is never shown and has no effect, whether or not it was removed yet. */
export function isExpired({ expire_at: endMs }: Expiring, nowMs: number): boolean {
  return endMs !== null && endMs <= nowMs;
}

/** Whole seconds left, rounded up so that what lives never reads 0; -1: for ever. */
export function secondsLeft({ expire_at: endMs }: Expiring, nowMs: number): number {
  return endMs === null ? EXPIRE_NEVER : Math.max(0, Math.ceil((endMs - nowMs) / 1000));
}
