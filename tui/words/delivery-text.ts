import type { EventExplanation } from '../../shared/schemas/explain.ts';
import { formatDuration } from '../../shared/domain/duration.ts';

/** The state of a handler's last run, from the backend. */
export type DeliveryState = NonNullable<EventExplanation['handlers'][number]['delivery']>;

/**
 * Returns `delivered 4m ago on mon-2:4567` or `failed 4m ago (4 tries): connection refused`. The reason is text
 * from outside.
 */
export function deliveryText({ state, at, attempts, reason, member }: DeliveryState, nowMs: number): string {
  const tries = attempts > 1 ? ` (${String(attempts)} tries)` : '';
  const memberText = member === undefined ? '' : ` on ${member}`;
  const because = reason === undefined ? '' : `: ${reason}`;
  return `${state} ${formatDuration(nowMs / 1000 - at, 1)} ago${memberText}${tries}${because}`;
}
