import type {
  EscalationChange,
  EscalationChangeReason,
  EscalationNotice,
  EscalationState,
} from '../../schemas/escalation.ts';
import type { HandlerVerdict, VerdictKind } from '../../schemas/explain.ts';
import { eventForHandler } from './after-suppression.ts';
import { decideForHandler, formattedEvent, type HandlerDecision } from './decide-for-handler.ts';
import { escalationChange } from './escalation-change.ts';
import {
  endEscalation,
  escalationAfterStep,
  escalationNotice,
  escalationProgress,
  isStepDue,
  isWorse,
  nextEscalationStep,
  pauseEscalation,
  plannedSteps,
  addNotified,
  resumeEscalation,
  shownEscalation,
  startEscalation,
} from './escalation.ts';
import type { NotificationContext } from './notification-context.ts';
import { handlerIdentity, routeHandlers, type RoutedEscalation, type RoutedHandler } from './route.ts';
import { conditionsOf, evaluateStagesBeforeFilters, leadsToRun } from './verdict.ts';

/** The decisions about an event with escalations, and the escalations to store for the event. */
interface EscalationDecisions {
  readonly decisions: readonly HandlerDecision[];
  readonly escalations: readonly EscalationState[];
  /** The changes of the escalations that the timeline records. */
  readonly escalationChanges: readonly EscalationChange[];
}

/**
 * The verdicts that pause an escalation, with the reason in the timeline: its event is accepted again later, without a
 * decision of a filter.
 */
const PAUSE_REASONS: ReadonlyMap<VerdictKind, EscalationChangeReason> = new Map([
  ['silenced', 'silenced'],
  ['inhibited', 'inhibited'],
  ['acknowledged', 'acknowledged'],
  ['severity', 'severity'],
  // An open event has another action only while it is flapping.
  ['action', 'flapping'],
]);

const NO_CHANGES: readonly never[] = [];

/** Minimum number of seconds for which a step that is due is paused, so that it is not evaluated without a pause. */
const PAUSE_SECONDS_MIN = 1;

/**
 * Decides about the escalations of an event, after the decisions about the handlers on its route (on-call 2). Adds the
 * decisions about the handlers that the escalations notify now.
 *
 * @param routed the decisions about the handlers on the route, with those about handlers of type `escalation`
 */
export function decideEscalations(
  routed: readonly HandlerDecision[],
  context: NotificationContext,
): EscalationDecisions {
  const { escalations } = context;
  if (escalations.length === 0 && !routed.some(({ handler }) => handler.kind === 'escalation')) {
    return { decisions: routed, escalations, escalationChanges: NO_CHANGES };
  }
  if (isResolution(context)) {
    return { decisions: decideResolution(routed, context), escalations, escalationChanges: NO_CHANGES };
  }
  let decisions = routed;
  const escalationChanges: EscalationChange[] = [];
  const states = new Map(escalations.map((escalation) => [escalation.handler, escalation]));
  for (const decision of routed) {
    if (decision.handler.kind !== 'escalation') continue;
    const continued = continueEscalation(
      decision,
      decision.handler,
      states.get(decision.handler.name),
      decisions,
      context,
    );
    if (continued.escalation !== undefined) states.set(decision.handler.name, continued.escalation);
    if (continued.change !== undefined) escalationChanges.push(continued.change);
    decisions = decisions.map((one) => (one === decision ? continued.decision : one));
    decisions = [...decisions, ...continued.targets];
  }
  if (context.leavesStoredEventUnchanged === true) return { decisions, escalations, escalationChanges: NO_CHANGES };
  return { decisions, escalations: [...states.values()], escalationChanges };
}

function isResolution({ event, leavesStoredEventUnchanged }: NotificationContext): boolean {
  return event.action === 'resolve' && leavesStoredEventUnchanged !== true;
}

/** Sends a resolution to exactly the handlers that the escalations have notified of the problem. */
function decideResolution(
  routed: readonly HandlerDecision[],
  context: NotificationContext,
): readonly HandlerDecision[] {
  const { escalations, definitions } = context;
  const decisions = routed.map((decision) => {
    if (decision.handler.kind !== 'escalation') return decision;
    const { name } = decision.handler;
    const notified = escalations.find(({ handler }) => handler === name)?.notified ?? [];
    const verdict: HandlerVerdict =
      notified.length === 0
        ? {
            ...handlerIdentity(decision.handler),
            verdict: 'action',
            reason: 'it has notified no handler of the problem',
          }
        : {
            ...handlerIdentity(decision.handler),
            verdict: 'handle',
            reason: `the handlers that it has notified get the resolution (${notified.join(', ')})`,
          };
    return { ...decision, verdict, effect: 'none' as const };
  });
  const names = new Set(escalations.flatMap(({ notified }) => notified));
  const others = [...names].filter((name) => !decisions.some(({ handler }) => handler.name === name));
  const targets = routeHandlers(others, definitions).filter(({ kind }) => kind !== 'escalation');
  return [...decisions, ...targets.map((target) => decideForHandler(target, context))];
}

interface ContinuedEscalation {
  /** The decision about the escalation, with a reason that says what it notifies when. */
  readonly decision: HandlerDecision;
  /** The state of the escalation; undefined if it has not started. */
  readonly escalation: EscalationState | undefined;
  /** The change that the timeline records; undefined if there is none. */
  readonly change?: EscalationChange | undefined;
  /** The decisions about the handlers that it notifies now. */
  readonly targets: readonly HandlerDecision[];
}

/** Starts, continues or pauses the escalation of an event after a result or the end of an acknowledgement. */
function continueEscalation(
  decision: HandlerDecision,
  handler: RoutedEscalation,
  before: EscalationState | undefined,
  others: readonly HandlerDecision[],
  context: NotificationContext,
): ContinuedEscalation {
  const { steps } = handler.definition;
  const now = nowOf(context);
  const { status } = context.event.check;
  const isAccepted = leadsToRun(decision.verdict);
  if (before === undefined && !isAccepted) return { decision, escalation: undefined, targets: [] };
  const started = before ?? startEscalation(handler.name, steps, status, now);
  if (!isAccepted) {
    const reason = PAUSE_REASONS.get(decision.verdict.verdict);
    const escalation = reason === undefined ? started : pauseEscalation(started, now);
    const change = escalationChange(before, escalation, { ...(reason !== undefined && { reason }) });
    return { decision: addProgress(decision, handler, escalation, now), escalation, change, targets: [] };
  }
  const resumed = resumeEscalation(started, now);
  if (before === undefined && isStepDue(resumed, now)) {
    const { escalation, change, targets } = notifyStep(handler, resumed, others, context);
    return { decision: addPlannedSteps(decision, handler, escalation), escalation, change, targets };
  }
  const change = escalationChange(before, resumed);
  if (before === undefined) {
    return { decision: addPlannedSteps(decision, handler, resumed), escalation: resumed, change, targets: [] };
  }
  const isRenotified = context.acknowledgementEnd !== undefined || isWorse(resumed, status);
  const targets = isRenotified
    ? decideTargets(resumed.notified, { handler, notice: escalationNotice(resumed) }, others, context)
    : [];
  const escalation = isRenotified ? addNotified(resumed, [], status) : resumed;
  return { decision: addProgress(decision, handler, escalation, now), escalation, change, targets };
}

/** An escalation after one of its steps, and the decisions about the handlers of the step. */
interface NotifiedStep {
  readonly escalation: EscalationState;
  readonly change: EscalationChange | undefined;
  readonly targets: readonly HandlerDecision[];
}

/**
 * Decides about the next step of an escalation when it is due. If the event is suppressed now, the escalation is paused
 * instead. If its check has `handle: false` now, or the definition has no such step any more, the escalation ends.
 * Filters are not evaluated: they decided when the escalation started.
 */
export function decideEscalationStep(
  handler: RoutedEscalation,
  before: EscalationState,
  context: NotificationContext,
): NotifiedStep {
  const rejection = evaluateStagesBeforeFilters(conditionsOf(handler), context.event, context);
  if (rejection !== undefined) {
    const reason = PAUSE_REASONS.get(rejection.verdict);
    if (reason === undefined) return endedStep(before, 'disabled');
    const paused = pauseEscalation(before, nowOf(context));
    const escalation = { ...paused, remaining: Math.max(PAUSE_SECONDS_MIN, paused.remaining ?? 0) };
    return { escalation, change: escalationChange(before, escalation, { reason }), targets: [] };
  }
  return notifyStep(handler, before, [], context);
}

function endedStep(before: EscalationState, reason: EscalationChangeReason): NotifiedStep {
  const escalation = endEscalation(before);
  return { escalation, change: escalationChange(before, escalation, { reason }), targets: [] };
}

function notifyStep(
  handler: RoutedEscalation,
  before: EscalationState,
  others: readonly HandlerDecision[],
  context: NotificationContext,
): NotifiedStep {
  const { steps } = handler.definition;
  const next = nextEscalationStep(steps, before);
  if (next === undefined) return endedStep(before, 'no_further_step');
  const { status } = context.event.check;
  const stepped = escalationAfterStep(steps, before, { notified: [], status, now: nowOf(context) });
  const targets = decideTargets(next.notify, { handler, notice: escalationNotice(stepped) }, others, context);
  const names = new Set(routeHandlers(next.notify, context.definitions).map(({ name }) => name));
  const notified = [...others, ...targets].flatMap(({ handler: { name }, effect }) =>
    effect === 'notify' && names.has(name) ? [name] : [],
  );
  const escalation = addNotified(stepped, notified, status);
  return { escalation, change: escalationChange(before, escalation, { notified: [...new Set(notified)] }), targets };
}

/**
 * Returns the decisions about the handlers that an escalation notifies. Handlers that the event is notified to anyway
 * are omitted, so that they get it once.
 *
 * @param names names of handlers and handler sets
 */
function decideTargets(
  names: readonly string[],
  { handler, notice }: { readonly handler: RoutedEscalation; readonly notice: EscalationNotice },
  others: readonly HandlerDecision[],
  context: NotificationContext,
): readonly HandlerDecision[] {
  const isNotified = ({ name }: RoutedHandler): boolean =>
    others.some(
      (other) => other.handler.name === name && other.handler.kind === 'handler' && other.effect === 'notify',
    );
  return routeHandlers(names, context.definitions)
    .filter((target) => !isNotified(target))
    .map((target) => {
      const event = { ...eventForHandler(handler, formattedEvent(target, context), context), escalation: notice };
      if (target.kind !== 'escalation') return decideForHandler(target, context, event);
      const reason = `the escalation ${handler.name} cannot notify another escalation`;
      const verdict: HandlerVerdict = { handler: target.name, verdict: 'nested_escalation', reason };
      return { handler: target, verdict, event, effect: 'none' as const };
    });
}

function addPlannedSteps(
  decision: HandlerDecision,
  { definition: { steps } }: RoutedEscalation,
  escalation: EscalationState,
): HandlerDecision {
  return replaceReason(decision, plannedSteps(steps), escalation);
}

function addProgress(
  decision: HandlerDecision,
  { definition: { steps } }: RoutedEscalation,
  escalation: EscalationState,
  now: number,
): HandlerDecision {
  const progress = escalationProgress(steps, escalation, now);
  const reason = leadsToRun(decision.verdict) ? progress : `${decision.verdict.reason}; ${progress}`;
  return replaceReason(decision, reason, escalation);
}

function replaceReason(decision: HandlerDecision, reason: string, escalation: EscalationState): HandlerDecision {
  return { ...decision, verdict: { ...decision.verdict, reason, escalation: shownEscalation(escalation) } };
}

function nowOf({ moment: { nowMs } }: NotificationContext): number {
  return Math.floor(nowMs / 1000);
}
