import type { SilencedRow } from '../schemas/feed.ts';

/** An entry counts as expiring so long before its end. */
const EXPIRING_SECONDS = 30 * 60;

/** In the order of lists: what is about to change comes first. */
export const SILENCED_STATES = ['expiring', 'active', 'pending', 'ended'] as const;
export type SilencedState = (typeof SILENCED_STATES)[number];

/** What an entry is at a moment, epoch seconds. */
export function silencedState(
  { begin, expire_at: end }: Pick<SilencedRow, 'begin' | 'expire_at'>,
  nowSeconds: number,
): SilencedState {
  if (end !== null && end <= nowSeconds) return 'ended';
  if (begin !== null && begin > nowSeconds) return 'pending';
  return end !== null && end - nowSeconds < EXPIRING_SECONDS ? 'expiring' : 'active';
}
