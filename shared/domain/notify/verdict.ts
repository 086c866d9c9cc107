import type { Event } from '../../schemas/event.ts';
import type { HandlerVerdict } from '../../schemas/explain.ts';
import { accept } from './accept.ts';
import { filter } from './filter.ts';
import { inhibit } from './inhibit.ts';
import { nameOf, refusal, type RoutedHandler } from './route.ts';
import { silence } from './silence.ts';
import type { Conditions, StageInputs } from './context.ts';

const NO_CONDITIONS: Conditions = {};

/**
 * Returns the verdict of a handler on an event. The stages accept, silence, inhibit and filter run in this order, and
 * the first one that rejects the event decides (legacy-peer, Silenced matching; inhibition 2).
 */
export function judge(handler: RoutedHandler, event: Event, inputs: StageInputs): HandlerVerdict {
  if (handler.kind !== 'handler') return refusal(handler);
  const conditions = handler.definition ?? NO_CONDITIONS;
  const verdict =
    accept(conditions, event, inputs) ??
    silence(conditions, event) ??
    inhibit(conditions, event, inputs) ??
    filter(conditions, event, inputs);
  return { ...nameOf(handler), ...verdict };
}

/**
 * True if a verdict leads to a run of the handler. A run that must fail because its mutator is not defined counts too,
 * so that it is reported as a failed run.
 */
export function isRun({ verdict }: Pick<HandlerVerdict, 'verdict'>): boolean {
  return verdict === 'handle' || verdict === 'unknown_mutator';
}

/** True if a handler would be notified of an event if no silence covered the event. */
export function wouldRunWithoutSilence(handler: RoutedHandler, event: Event, inputs: StageInputs): boolean {
  return isRun(judge(handler, { ...event, silenced: false, silenced_by: [] }, inputs));
}
