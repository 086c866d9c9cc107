import type { Event } from '../../schemas/event.ts';
import type { Inhibitor } from '../../schemas/inhibition.ts';
import type { InhibitorRef, NotificationLog } from '../../schemas/notification-log.ts';
import type { HandlerConditions, Inhibition, StageInputs, StageVerdict } from './notification-context.ts';

/**
 * Evaluates an event in the stage "inhibit". Returns the verdict `inhibited` in two cases (inhibition 2): another open
 * event inhibits the event, or the event resolves a problem that was inhibited ever since it opened. Otherwise returns
 * undefined.
 */
export function evaluateInhibition(
  _conditions: HandlerConditions,
  _event: Event,
  { inhibition }: StageInputs,
): StageVerdict | undefined {
  if (inhibition === undefined) return undefined;
  const { reason, inhibitor } = inhibition;
  return {
    verdict: 'inhibited',
    reason,
    ...(inhibitor !== undefined && { inhibited_by: inhibitorForDisplay(inhibitor) }),
  };
}

/** Builds the inhibition for a rule and an inhibiting event. Its reason is a text for users. */
export function buildInhibition(inhibitor: InhibitorRef): Inhibition {
  return { reason: inhibitedReason(inhibitor), inhibitor };
}

/**
 * Returns the inhibition that suppresses the resolution of a problem that was inhibited ever since it opened; undefined
 * for the resolution of any other problem.
 */
export function findResolutionInhibition({ neverNotified }: NotificationLog): Inhibition | undefined {
  return neverNotified === true ? NEVER_NOTIFIED_INHIBITION : undefined;
}

const NEVER_NOTIFIED_INHIBITION: Inhibition = {
  reason: 'its incident was inhibited, so its resolution is not notified',
};

/**
 * Returns the attributes of an inhibitor that users may see: its rule, client and check. Its fingerprint and hash are
 * internal.
 */
export function inhibitorForDisplay({ rule, client, check }: InhibitorRef): Inhibitor {
  return { rule, client, check };
}

/** Returns the text for users that says why an event is inhibited. It names the rule and the inhibiting event. */
export function inhibitedReason({ rule, client, check }: Inhibitor): string {
  return `inhibited by ${rule} while ${client}/${check} is failing`;
}
