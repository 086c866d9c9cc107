import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';
import { eventForHandler } from './after-suppression.ts';
import type { NotificationContext, StageInputs } from './notification-context.ts';
import { wasHandlerNotified } from './notification-log.ts';
import { getsV2Events, isGroupingHandler, handlerIdentity, type RoutedHandler } from './route.ts';
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

/**
 * Decides whether a handler is notified of an event.
 *
 * @param event the event as the handler gets it
 */
export function decideForHandler(
  handler: RoutedHandler,
  context: NotificationContext,
  event: HandledEvent = eventForHandler(handler, formattedEvent(handler, context), context),
): HandlerDecision {
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

/** Returns the event in the format of a handler: that of the v1 or of the v2 API. */
export function formattedEvent(handler: RoutedHandler, { event, v2Event }: NotificationContext): HandledEvent {
  return getsV2Events(handler) ? v2Event : event;
}
