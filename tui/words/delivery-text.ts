import type { EventExplanation } from '../../shared/schemas/explain.ts';
import { formatDuration } from '../../shared/domain/duration.ts';

/** The outcome of a handler's last run, as the backend reports it. */
export type DeliveryState = NonNullable<EventExplanation['handlers'][number]['delivery']>;

/**
 * Returns the outcome of a handler's run: `delivered 4m ago on mon-2:4567` or `failed 4m ago (4 tries): connection
 * refused`. The reason is untrusted text, so the result is not safe for a terminal.
 */
export function deliveryText({ state, at, attempts, reason, member }: DeliveryState, nowMs: number): string {
  const tries = attempts > 1 ? ` (${String(attempts)} tries)` : '';
  const memberText = member === undefined ? '' : ` on ${member}`;
  const because = reason === undefined ? '' : `: ${reason}`;
  return `${state} ${formatDuration(nowMs / 1000 - at, 1)} ago${memberText}${tries}${because}`;
}
