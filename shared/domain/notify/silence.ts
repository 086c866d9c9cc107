import type { Event } from '../../schemas/event.ts';
import type { HandlerConditions, StageVerdict } from './notification-context.ts';

/**
 * Evaluates an event in the stage "silence". Returns the verdict `silenced` if the event is silenced and the handler
 * does not have `handle_silenced: true`. Otherwise returns undefined.
 */
export function evaluateSilence({ handle_silenced }: HandlerConditions, event: Event): StageVerdict | undefined {
  if (!event.silenced || handle_silenced === true) return undefined;
  const { silenced_by } = event;
  return { verdict: 'silenced', reason: silencedReason(silenced_by), silenced_by };
}

/**
 * Returns the text for users that says why a handler is not notified of a silenced event.
 *
 * @param silencedBy the ids of the silences
 */
export function silencedReason(silencedBy: readonly string[]): string {
  return `silenced by ${silencedBy.join(', ')}, and the handler does not set handle_silenced: true`;
}
