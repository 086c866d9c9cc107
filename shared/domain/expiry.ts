import { SECONDS_MAX, type Expiring, EXPIRE_NEVER } from '../schemas/lifetime.ts';

/**
 * @param expireSeconds seconds to live, -1 and absent: for ever
 * @returns epoch milliseconds, null: never
 */
export function endAfter(expireSeconds: number | null | undefined, startMs: number): number | null {
  const seconds = expireSeconds ?? EXPIRE_NEVER;
  return seconds === EXPIRE_NEVER ? null : startMs + seconds * 1000;
}

/** The end as our own wires have it: epoch seconds, to the millisecond; null: never. */
export function expireAtOf({ expireAtMs }: Expiring): number | null {
  return expireAtMs === null ? null : expireAtMs / 1000;
}

/** An end back from the wire; also in milliseconds, as older audit trails and dumps have it. */
export function endOf(expireAt: number | null): Expiring['expireAtMs'] {
  if (expireAt === null) return null;
  return expireAt > SECONDS_MAX ? expireAt : Math.round(expireAt * 1000);
}

/** What has come to its end is never shown and has no effect, whether or not it was removed yet. */
export function isExpired({ expireAtMs: endMs }: Expiring, nowMs: number): boolean {
  return endMs !== null && endMs <= nowMs;
}

/** Whole seconds left, rounded up so that what lives never reads 0; -1: for ever. */
export function secondsLeft({ expireAtMs: endMs }: Expiring, nowMs: number): number {
  return endMs === null ? EXPIRE_NEVER : Math.max(0, Math.ceil((endMs - nowMs) / 1000));
}
