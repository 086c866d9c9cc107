import type { Event } from '../../schemas/event.ts';
import { acknowledgedReason, suppressingAcknowledgement } from '../acknowledgement.ts';
import type { StageVerdict } from './notification-context.ts';

/**
 * Evaluates an event in the stage "acknowledge". Returns the verdict `acknowledged` if somebody works on the problem of
 * the event (on-call 1). Otherwise, and for the resolution of the problem, returns undefined.
 */
export function evaluateAcknowledgement(event: Event): StageVerdict | undefined {
  const acknowledgement = suppressingAcknowledgement(event);
  return acknowledgement && { verdict: 'acknowledged', reason: acknowledgedReason(acknowledgement) };
}
