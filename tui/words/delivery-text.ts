import type { EventExplanation } from '../../shared/schemas/explain.ts';
import { formatDuration } from '../../shared/domain/duration.ts';

/** How the last run of a handler stands, as the backend tells it. */
export type DeliveryState = NonNullable<EventExplanation['handlers'][number]['delivery']>;

/** `delivered 4m ago`, `failed 4m ago (4 tries): connection refused`. The reason is text from outside. */
export function deliveryText({ state, at, attempts, reason }: DeliveryState, nowMs: number): string {
  const tries = attempts > 1 ? ` (${String(attempts)} tries)` : '';
  const because = reason === undefined ? '' : `: ${reason}`;
  return `${state} ${formatDuration(nowMs / 1000 - at, 1)} ago${tries}${because}`;
}
