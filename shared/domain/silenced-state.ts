import type { SilencedRow } from '../schemas/feed.ts';

/** A silence counts as expiring during this time before its end. */
const EXPIRING_SECONDS = 30 * 60;

/** States of a silence in the order of lists: those about to change come first. */
export const SILENCED_STATES = ['expiring', 'active', 'pending', 'ended'] as const;
export type SilencedState = (typeof SILENCED_STATES)[number];

/** Returns the state of a silence at a moment, in epoch seconds. */
export function silencedState(
  { begin, expire_at: end }: Pick<SilencedRow, 'begin' | 'expire_at'>,
  nowSeconds: number,
): SilencedState {
  if (end !== null && end <= nowSeconds) return 'ended';
  if (begin !== null && begin > nowSeconds) return 'pending';
  return end !== null && end - nowSeconds < EXPIRING_SECONDS ? 'expiring' : 'active';
}
