import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';
import type { NotificationLog } from '../../schemas/notification-log.ts';
import {
  recordNeverNotified,
  recordNotified,
  removeSuppression,
  removePendingHandlers,
  recordInhibited,
  recordSilenced,
  wasHandlerNotified,
} from './notification-log.ts';
import { announcesSilenceEnd, eventForHandler } from './after-suppression.ts';
import { getsV2Events, isGroupingHandler, handlerIdentity, type RoutedHandler } from './route.ts';
import type { NotificationContext, StageInputs } from './notification-context.ts';
import { leadsToRun, evaluateStages, wouldRunWithoutSilence } from './verdict.ts';

/** The decision about one event and one handler: whether the handler is notified of the event, and why. */
export interface HandlerDecision {
  readonly handler: RoutedHandler;
  readonly verdict: HandlerVerdict;
  /**
   * The event that the handler gets. It has `silence_ended` or `inhibition_ended` if a silence or an inhibition that
   * suppressed an earlier notification has ended.
   */
  readonly event: HandledEvent;
  /**
   * The consequence of the verdict:
   *
   * - `notify`: the handler gets the event now, or with its group.
   * - `defer`: the event is a resolution, and the handler gets it when the silence ends.
   * - `suppressed by silence`, `suppressed by inhibition`: the handler would get the event without the silence or the
   *   inhibition.
   * - `none`: the handler does not get the event, for another reason.
   */
  readonly effect: 'notify' | 'defer' | 'suppressed by silence' | 'suppressed by inhibition' | 'none';
}

/** The decisions about all handlers of an event, and the notification log to store for the event. */
export interface NotificationDecisions {
  readonly decisions: readonly HandlerDecision[];
  readonly notificationLog: NotificationLog;
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
  const decisions = context.handlers.map((handler) => decideForHandler(handler, context));
  return {
    decisions,
    notificationLog:
      context.leavesStoredEventUnchanged === true ? context.notificationLog : nextNotificationLog(context, decisions),
  };
}

function decideForHandler(handler: RoutedHandler, context: NotificationContext): HandlerDecision {
  const formattedEvent = getsV2Events(handler) ? context.v2Event : context.event;
  const event = eventForHandler(handler, formattedEvent, context);
  const verdict = rejectIfQueueFull(handler, evaluateStages(handler, event, context), context.isQueueFull);
  if (leadsToRun(verdict)) return { handler, verdict, event, effect: 'notify' };
  if (verdict.verdict === 'silenced') return decideSilenced(handler, verdict, event, context);
  const isSuppressed =
    verdict.verdict === 'inhibited' && leadsToRun(evaluateStages(handler, event, withoutInhibition(context)));
  return { handler, verdict, event, effect: isSuppressed ? 'suppressed by inhibition' : 'none' };
}

/**
 * Returns the verdict `overflow` if a handler would run, but its queue and the dead-letter queue are both full.
 * Otherwise returns the verdict unchanged. Handlers with `group_by` never get `overflow` here, because a run for their
 * events is queued only when the group is flushed.
 */
export function rejectIfQueueFull(
  handler: RoutedHandler,
  verdict: HandlerVerdict,
  isQueueFull: (handler: string) => boolean,
): HandlerVerdict {
  if (!leadsToRun(verdict) || isGroupingHandler(handler) || !isQueueFull(handler.name)) return verdict;
  return {
    ...handlerIdentity(handler),
    verdict: 'overflow',
    reason: 'its queue and the dead-letter queue are full: fix the handler, then retry or drop dead letters',
  };
}

/**
 * Returns the decision about a handler for which an event is silenced. Usually, the handler is not notified. The
 * exception is the resolution of a problem that the handler was notified of: the setting `resolve-while-silenced` says
 * whether and when the handler gets it.
 */
function decideSilenced(
  handler: RoutedHandler,
  verdict: HandlerVerdict,
  event: HandledEvent,
  context: NotificationContext,
): HandlerDecision {
  if (!wouldRunWithoutSilence(handler, event, withoutInhibition(context)))
    return { handler, verdict, event, effect: 'none' };
  // If both a silence and an inhibition apply, record only the inhibition. When the inhibition ends, the silence is
  // evaluated again.
  if (context.inhibition !== undefined) return { handler, verdict, event, effect: 'suppressed by inhibition' };
  const isResolutionOfNotified =
    event.action === 'resolve' && context.leavesStoredEventUnchanged !== true && wasNotifiedOfProblem(handler, context);
  if (!isResolutionOfNotified || context.resolveWhileSilenced === 'never') {
    return { handler, verdict, event, effect: 'suppressed by silence' };
  }
  if (context.resolveWhileSilenced === 'defer') {
    const reason = `${verdict.reason}; the resolution is notified when the silence ends`;
    return { handler, verdict: { ...verdict, reason }, event, effect: 'defer' };
  }
  const reason = 'it resolves a problem that the handler was notified of';
  const run = rejectIfQueueFull(
    handler,
    { ...handlerIdentity(handler), verdict: 'handle', reason },
    context.isQueueFull,
  );
  return { handler, verdict: run, event, effect: leadsToRun(run) ? 'notify' : 'none' };
}

/**
 * True if a handler was notified of a problem. If a group of the handler contains the event, the record of the group
 * says so. Otherwise, the notification log of the event says so.
 */
function wasNotifiedOfProblem(
  { name }: RoutedHandler,
  { findGroupRecord, notificationLog }: NotificationContext,
): boolean {
  return findGroupRecord(name)?.wasNotified ?? wasHandlerNotified(notificationLog, name);
}

function withoutInhibition(context: NotificationContext): StageInputs {
  return context.inhibition === undefined ? context : { ...context, inhibition: undefined };
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
