import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';
import type { NotificationLog } from '../../schemas/notification-log.ts';
import {
  recordNeverNotified,
  recordNotified,
  release,
  settlePending,
  suppressByInhibition,
  suppressBySilence,
  wasNotified,
} from './log.ts';
import { endsSilence, renotified } from './suppression-ended.ts';
import { getsV2Events, isGrouping, nameOf, type RoutedHandler } from './route.ts';
import type { NotificationContext, StageInputs } from './context.ts';
import { isRun, judge, wouldRunWithoutSilence } from './verdict.ts';

/** The decision whether one handler is notified of an event, and the consequence. */
export interface HandlerDecision {
  readonly handler: RoutedHandler;
  readonly verdict: HandlerVerdict;
  /** The event in the format of the handler, with `silence_ended` and `inhibition_ended` if they apply. */
  readonly event: HandledEvent;
  /**
   * The consequence of the verdict. `notify`: the handler gets the event now or with its group. `defer`: the handler is
   * notified of the resolution when the silence ends. `suppressed by …`: it would be notified without the silence or
   * the inhibition. `none`: it is not notified for another reason.
   */
  readonly effect: 'notify' | 'defer' | 'suppressed by silence' | 'suppressed by inhibition' | 'none';
}

/** The decisions about all handlers of an event, and the notification log of the event after them. */
export interface Notifications {
  readonly decisions: readonly HandlerDecision[];
  readonly log: NotificationLog;
}

/** Returns the names of the handlers whose decisions have the given effect. */
export function namesWith(decisions: readonly HandlerDecision[], effect: HandlerDecision['effect']): string[] {
  return decisions.filter((decision) => decision.effect === effect).map(({ handler }) => handler.name);
}

/**
 * Decides for each handler of an event whether it is notified. This changes nothing: the commit of the event applies
 * the decisions, and `explain` and `simulate` only show them.
 */
export function decide(context: NotificationContext): Notifications {
  const decisions = context.handlers.map((handler) => decideFor(handler, context));
  return { decisions, log: context.isSeparateFromStored === true ? context.log : nextLog(context, decisions) };
}

function decideFor(handler: RoutedHandler, context: NotificationContext): HandlerDecision {
  const shown = getsV2Events(handler) ? context.v2Event : context.event;
  const event = renotified(handler, shown, context);
  const verdict = withinQueue(handler, judge(handler, event, context), context.isQueueFull);
  if (isRun(verdict)) return { handler, verdict, event, effect: 'notify' };
  if (verdict.verdict === 'silenced') return silenced(handler, verdict, event, context);
  const isSuppressed = verdict.verdict === 'inhibited' && isRun(judge(handler, event, uninhibited(context)));
  return { handler, verdict, event, effect: isSuppressed ? 'suppressed by inhibition' : 'none' };
}

/**
 * Replaces the verdict of a handler that would run by `overflow` if neither its queue nor the dead-letter queue has
 * room. Handlers with `group_by` keep their verdict: their events are queued only when the group is flushed.
 */
export function withinQueue(
  handler: RoutedHandler,
  verdict: HandlerVerdict,
  isQueueFull: (handler: string) => boolean,
): HandlerVerdict {
  if (!isRun(verdict) || isGrouping(handler) || !isQueueFull(handler.name)) return verdict;
  return {
    ...nameOf(handler),
    verdict: 'overflow',
    reason: 'its queue and the dead-letter queue are full: fix the handler, then retry or drop dead letters',
  };
}

/**
 * Decides what happens to a silenced event: it is suppressed, or it is a resolution that is deferred or notified in
 * spite of the silence.
 */
function silenced(
  handler: RoutedHandler,
  verdict: HandlerVerdict,
  event: HandledEvent,
  context: NotificationContext,
): HandlerDecision {
  if (!wouldRunWithoutSilence(handler, event, uninhibited(context))) return { handler, verdict, event, effect: 'none' };
  // If a silence and an inhibition apply, record the inhibition. When it ends, the silence is evaluated again.
  if (context.inhibition !== undefined) return { handler, verdict, event, effect: 'suppressed by inhibition' };
  const isResolutionOfNotified =
    event.action === 'resolve' && context.isSeparateFromStored !== true && knowsProblem(handler, context);
  if (!isResolutionOfNotified || context.resolveWhileSilenced === 'never') {
    return { handler, verdict, event, effect: 'suppressed by silence' };
  }
  if (context.resolveWhileSilenced === 'defer') {
    const reason = `${verdict.reason}; the resolution is notified when the silence ends`;
    return { handler, verdict: { ...verdict, reason }, event, effect: 'defer' };
  }
  const reason = 'it resolves a problem that the handler was notified of';
  const run = withinQueue(handler, { ...nameOf(handler), verdict: 'handle', reason }, context.isQueueFull);
  return { handler, verdict: run, event, effect: isRun(run) ? 'notify' : 'none' };
}

/**
 * True if a handler was notified of the problem. If a group of the handler has the event, the record of the group
 * decides, otherwise the notification log of the event.
 */
function knowsProblem({ name }: RoutedHandler, { groupOf, log }: NotificationContext): boolean {
  return groupOf(name)?.wasNotified ?? wasNotified(log, name);
}

function uninhibited(context: NotificationContext): StageInputs {
  return context.inhibition === undefined ? context : { ...context, inhibition: undefined };
}

/** Returns the notification log of an event after the decisions about its handlers. */
function nextLog(context: NotificationContext, decisions: readonly HandlerDecision[]): NotificationLog {
  const { event, inhibition, handlers } = context;
  const notified = namesWith(decisions, 'notify');
  let log = context.log;
  if (inhibition?.by === undefined) {
    log = settlePending(
      release(log, 'inhibition'),
      handlers.map(({ name }) => name),
    );
  } else {
    log = suppressByInhibition(log, inhibition.by, namesWith(decisions, 'suppressed by inhibition'));
    if (context.isNew) log = recordNeverNotified(log);
  }
  if (endsSilence(context) || (notified.length > 0 && !event.silenced)) log = release(log, 'silence');
  else if (namesWith(decisions, 'suppressed by silence').length > 0) log = suppressBySilence(log);
  return event.action === 'resolve' ? log : recordNotified(log, notified);
}
