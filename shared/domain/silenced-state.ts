import type { SilencedRow } from '../schemas/feed.ts';

/** Number of seconds before its end in which a silence is in the state `expiring`. */
const EXPIRING_SECONDS = 30 * 60;

/** States of a silence in the order of lists: silences that end soon come first. */
export const SILENCED_STATES = ['expiring', 'active', 'pending', 'ended'] as const;
export type SilencedState = (typeof SILENCED_STATES)[number];

/** Returns the state of a silence at a time in epoch seconds. */
export function silencedState(
  { begin, expire_at: end }: Pick<SilencedRow, 'begin' | 'expire_at'>,
  nowSeconds: number,
): SilencedState {
  if (end !== null && end <= nowSeconds) return 'ended';
  if (begin !== null && begin > nowSeconds) return 'pending';
  return end !== null && end - nowSeconds < EXPIRING_SECONDS ? 'expiring' : 'active';
}
