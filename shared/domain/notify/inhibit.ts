import type { Event } from '../../schemas/event.ts';
import type { Inhibitor } from '../../schemas/inhibition.ts';
import type { InhibitorRef, NotificationLog } from '../../schemas/notification-log.ts';
import type { Conditions, Inhibition, StageInputs, Verdict } from './context.ts';

/** Suppresses events that another open event inhibits (inhibition 2). */
export function inhibit(_conditions: Conditions, _event: Event, { inhibition }: StageInputs): Verdict | undefined {
  if (inhibition === undefined) return undefined;
  const { reason, by } = inhibition;
  return { verdict: 'inhibited', reason, ...(by !== undefined && { inhibited_by: inhibitorIn(by) }) };
}

/** Returns the inhibition by an event and a rule. */
export function inhibitionBy(by: InhibitorRef): Inhibition {
  return { reason: inhibitedReason(by), by };
}

/**
 * Returns the reason why the resolution of a never notified event is not notified; undefined if a handler was notified
 * of the event.
 */
export function inhibitionOfResolution({ neverNotified }: NotificationLog): Inhibition | undefined {
  return neverNotified === true ? NEVER_NOTIFIED : undefined;
}

const NEVER_NOTIFIED: Inhibition = { reason: 'its incident was inhibited, so its resolution is not notified' };

/** Returns the rule and the inhibiting event for display. */
export function inhibitorIn({ rule, client, check }: InhibitorRef): Inhibitor {
  return { rule, client, check };
}

/** Text for people that follows "this handler, because". */
export function inhibitedReason({ rule, client, check }: Inhibitor): string {
  return `inhibited by ${rule} while ${client}/${check} is failing`;
}
