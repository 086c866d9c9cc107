import type { Event } from '../../schemas/event.ts';
import type { HandlerVerdict } from '../../schemas/explain.ts';
import { evaluateAcceptance } from './accept.ts';
import { evaluateAcknowledgement } from './acknowledge.ts';
import { evaluateFilters } from './filter.ts';
import { evaluateInhibition } from './inhibit.ts';
import { handlerIdentity, isRoutable, unroutableVerdict, type RoutedHandler, type UnroutableHandler } from './route.ts';
import { evaluateSilence } from './silence.ts';
import type { HandlerConditions, StageInputs, StageVerdict } from './notification-context.ts';

const NO_CONDITIONS: HandlerConditions = {};

/**
 * Returns the verdict about an event and a handler. The stages accept, silence, inhibit, acknowledge and filter run in
 * this order, and the first stage that rejects the event decides (legacy-peer, Silenced matching; inhibition 2).
 */
export function evaluateStages(handler: RoutedHandler, event: Event, inputs: StageInputs): HandlerVerdict {
  if (!isRoutable(handler)) return unroutableVerdict(handler);
  const conditions = conditionsOf(handler);
  const verdict = evaluateStagesBeforeFilters(conditions, event, inputs) ?? evaluateFilters(conditions, event, inputs);
  const { onCall } = handler;
  const reason = onCall === undefined ? verdict.reason : `${verdict.reason}; ${onCall}`;
  return { ...handlerIdentity(handler), ...verdict, reason };
}

/** Returns the conditions of a handler. An escalation has only filters and severities. */
export function conditionsOf(handler: Exclude<RoutedHandler, UnroutableHandler>): HandlerConditions {
  if (handler.kind === 'handler') return handler.definition ?? NO_CONDITIONS;
  const { filter, filters, severities } = handler.definition;
  return { filter, filters, severities };
}

/**
 * Evaluates the stages accept, silence, inhibit and acknowledge. Returns undefined if none of them rejects the event.
 */
export function evaluateStagesBeforeFilters(
  conditions: HandlerConditions,
  event: Event,
  inputs: StageInputs,
): StageVerdict | undefined {
  return (
    evaluateAcceptance(conditions, event, inputs) ??
    evaluateSilence(conditions, event) ??
    evaluateInhibition(conditions, event, inputs) ??
    evaluateAcknowledgement(event)
  );
}

/**
 * True if a verdict leads to a run of the handler. The verdict `unknown_mutator` does too, although the run must fail,
 * so that a failed run is reported.
 */
export function leadsToRun({ verdict }: Pick<HandlerVerdict, 'verdict'>): boolean {
  return verdict === 'handle' || verdict === 'unknown_mutator';
}

/** True if a handler would be notified of an event if no silence covered the event. */
export function wouldRunWithoutSilence(handler: RoutedHandler, event: Event, inputs: StageInputs): boolean {
  return leadsToRun(evaluateStages(handler, { ...event, silenced: false, silenced_by: [] }, inputs));
}
