import { storedAcknowledgement } from '../acknowledgement.ts';
import { EMPTY_NOTIFICATION_LOG } from '../notify/notification-log.ts';
import type { V2Event } from '../../schemas/v2/event.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';
import { historyFromShownStatuses } from '../history.ts';
import { v2EntityOf } from './entity.ts';
import { v2EventOf } from './event.ts';
import { v2Subscription } from './subscription.ts';

/** An event in the v2 format as handlers get it. */
export type V2HandledEvent = V2Event &
  Pick<
    HandledEvent,
    | 'silence_ended'
    | 'silence_ending'
    | 'inhibition_ended'
    | 'acknowledgement_started'
    | 'acknowledgement_expired'
    | 'acknowledgement_ended'
    | 'escalation'
  >;

/** Converts an event for a handler to the v2 format. Secrets are not redacted; the caller must do that. */
export function v2HandledEvent(namespace: string, event: HandledEvent): V2HandledEvent {
  const { client, check: fullCheck, silenced_by: silencedBy } = event;
  const { history, total_state_change: totalStateChange, ...check } = fullCheck;
  const state = {
    id: event.id,
    action: event.action,
    status: check.status,
    occurrences: event.occurrences,
    watermark: event.occurrences_watermark,
    timestamp: event.timestamp,
    lastStateChange: event.last_state_change,
    lastOk: event.last_ok,
    totalStateChange,
    notifications: EMPTY_NOTIFICATION_LOG,
    acknowledgement: event.acknowledged && storedAcknowledgement(event.acknowledged, check.status),
  };
  const shown = v2EventOf({
    id: event.id,
    namespace,
    entity: v2EntityOf(namespace, client),
    check,
    history: historyFromShownStatuses(history.map(Number)),
    state: { event: state, lastOk: event.last_ok, okCount: undefined, okWatermark: undefined },
    silenced: silencedBy.map(v2SilenceId).toSorted(),
  });
  return {
    ...shown,
    ...(event.silence_ended === true && { silence_ended: true as const }),
    ...(event.silence_ending !== undefined && { silence_ending: event.silence_ending }),
    ...(event.inhibition_ended === true && { inhibition_ended: true as const }),
    ...(event.acknowledgement_started === true && { acknowledgement_started: true as const }),
    ...(event.acknowledgement_expired === true && { acknowledgement_expired: true as const }),
    ...(event.acknowledgement_ended === true && { acknowledgement_ended: true as const }),
    ...(event.escalation !== undefined && { escalation: event.escalation }),
  };
}

/**
 * Converts the id of a silence to its v2 form: `client:web-1:*` becomes `entity:web-1:*`. Only the prefix of the
 * subscription changes, so a colon in the name of the check does no harm.
 */
function v2SilenceId(id: string): string {
  const end = id.lastIndexOf(':');
  return `${v2Subscription(id.slice(0, end))}${id.slice(end)}`;
}
