import type { EscalationNotice, EscalationState } from '../../schemas/escalation.ts';
import type { HandlerVerdict, VerdictKind } from '../../schemas/explain.ts';
import { eventForHandler } from './after-suppression.ts';
import { decideForHandler, formattedEvent, type HandlerDecision } from './decide-for-handler.ts';
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
}

/** The verdicts that pause an escalation: its event is accepted again later, without a decision of a filter. */
const PAUSING_VERDICTS: ReadonlySet<VerdictKind> = new Set([
  'silenced',
  'inhibited',
  'acknowledged',
  'severity',
  'action',
]);

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
    return { decisions: routed, escalations };
  }
  if (isResolution(context)) return { decisions: decideResolution(routed, context), escalations };
  let decisions = routed;
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
    decisions = decisions.map((one) => (one === decision ? continued.decision : one));
    decisions = [...decisions, ...continued.targets];
  }
  return { decisions, escalations: context.leavesStoredEventUnchanged === true ? escalations : [...states.values()] };
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
    const escalation = PAUSING_VERDICTS.has(decision.verdict.verdict) ? pauseEscalation(started, now) : started;
    return { decision: addProgress(decision, handler, escalation, now), escalation, targets: [] };
  }
  const resumed = resumeEscalation(started, now);
  if (before === undefined && isStepDue(resumed, now)) {
    const { escalation, targets } = notifyStep(handler, resumed, others, context);
    return { decision: addPlannedSteps(decision, handler, escalation), escalation, targets };
  }
  if (before === undefined)
    return { decision: addPlannedSteps(decision, handler, resumed), escalation: resumed, targets: [] };
  const isRenotified = context.acknowledgementEnd !== undefined || isWorse(resumed, status);
  const targets = isRenotified
    ? decideTargets(resumed.notified, { handler, notice: escalationNotice(resumed) }, others, context)
    : [];
  const escalation = isRenotified ? addNotified(resumed, [], status) : resumed;
  return { decision: addProgress(decision, handler, escalation, now), escalation, targets };
}

/** An escalation after one of its steps, and the decisions about the handlers of the step. */
interface NotifiedStep {
  readonly escalation: EscalationState;
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
    if (!PAUSING_VERDICTS.has(rejection.verdict)) return { escalation: endEscalation(before), targets: [] };
    const paused = pauseEscalation(before, nowOf(context));
    const remaining = Math.max(PAUSE_SECONDS_MIN, paused.remaining ?? 0);
    return { escalation: { ...paused, remaining }, targets: [] };
  }
  return notifyStep(handler, before, [], context);
}

function notifyStep(
  handler: RoutedEscalation,
  before: EscalationState,
  others: readonly HandlerDecision[],
  context: NotificationContext,
): NotifiedStep {
  const { steps } = handler.definition;
  const next = nextEscalationStep(steps, before);
  if (next === undefined) return { escalation: endEscalation(before), targets: [] };
  const { status } = context.event.check;
  const stepped = escalationAfterStep(steps, before, { notified: [], status, now: nowOf(context) });
  const targets = decideTargets(next.notify, { handler, notice: escalationNotice(stepped) }, others, context);
  const names = new Set(routeHandlers(next.notify, context.definitions).map(({ name }) => name));
  const notified = [...others, ...targets].flatMap(({ handler: { name }, effect }) =>
    effect === 'notify' && names.has(name) ? [name] : [],
  );
  return { escalation: addNotified(stepped, notified, status), targets };
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
