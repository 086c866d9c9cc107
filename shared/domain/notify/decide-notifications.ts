import type { EscalationChange, EscalationState } from '../../schemas/escalation.ts';
import type { NotificationLog } from '../../schemas/notification-log.ts';
import { announcesSilenceEnd } from './after-suppression.ts';
import { decideEscalations } from './decide-escalations.ts';
import { decideForHandler, type HandlerDecision } from './decide-for-handler.ts';
import type { NotificationContext } from './notification-context.ts';
import {
  recordNeverNotified,
  recordNotified,
  removeSuppression,
  removePendingHandlers,
  recordInhibited,
  recordSilenced,
} from './notification-log.ts';

/** The decisions about all handlers of an event, with the notification log and the escalations to store for it. */
export interface NotificationDecisions {
  readonly decisions: readonly HandlerDecision[];
  readonly notificationLog: NotificationLog;
  readonly escalations: readonly EscalationState[];
  /** The changes of the escalations that the timeline records. */
  readonly escalationChanges: readonly EscalationChange[];
}

/** Returns the names of the handlers for which the decision has the given effect, such as `notify`. */
export function handlersWithEffect(decisions: readonly HandlerDecision[], effect: HandlerDecision['effect']): string[] {
  return decisions.filter((decision) => decision.effect === effect).map(({ handler }) => handler.name);
}

/**
 * Decides which of its handlers are notified of an event, without changing any state. The commit of the event applies
 * the decisions; `explain` and `simulate` only show them.
 */
export function decideNotifications(context: NotificationContext): NotificationDecisions {
  const routed = context.handlers.map((handler) => decideForHandler(handler, context));
  const { decisions, escalations, escalationChanges } = decideEscalations(routed, context);
  return {
    decisions,
    escalations,
    escalationChanges,
    notificationLog:
      context.leavesStoredEventUnchanged === true ? context.notificationLog : nextNotificationLog(context, decisions),
  };
}

/** Returns the notification log to store for an event after the decisions about its handlers. */
function nextNotificationLog(context: NotificationContext, decisions: readonly HandlerDecision[]): NotificationLog {
  const { event, inhibition, handlers } = context;
  const notified = handlersWithEffect(decisions, 'notify');
  let log = context.notificationLog;
  if (inhibition?.inhibitor === undefined) {
    log = removePendingHandlers(
      removeSuppression(log, 'inhibition'),
      handlers.map(({ name }) => name),
    );
  } else {
    log = recordInhibited(log, inhibition.inhibitor, handlersWithEffect(decisions, 'suppressed by inhibition'));
    if (context.isNewEvent) log = recordNeverNotified(log);
  }
  if (announcesSilenceEnd(context) || (notified.length > 0 && !event.silenced)) log = removeSuppression(log, 'silence');
  else if (handlersWithEffect(decisions, 'suppressed by silence').length > 0) log = recordSilenced(log);
  return event.action === 'resolve' ? log : recordNotified(log, notified);
}
