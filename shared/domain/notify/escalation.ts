import {
  ESCALATION_REPEATS_MAX,
  type EscalationNotice,
  type EscalationState,
  type EscalationStep,
  type ShownEscalation,
} from '../../schemas/escalation.ts';
import { formatDuration } from '../duration.ts';
import { statusRank } from '../severity.ts';

/*
 * The rules of escalations (on-call 2). An escalation notifies handlers one step after another, while its event is open
 * and nobody reacts. All times are in epoch seconds.
 */

type EscalationSteps = readonly EscalationStep[];

/**
 * Starts the escalation of an event.
 *
 * @param handler name of the handler of type `escalation`
 * @param status status of the event
 */
export function startEscalation(handler: string, steps: EscalationSteps, status: number, now: number): EscalationState {
  return { handler, step: 0, of: steps.length, due: now + (steps[0]?.after ?? 0), notified: [], status };
}

/** True if the next step or repetition of an escalation is due. */
export function isStepDue({ due }: EscalationState, now: number): boolean {
  return due !== undefined && due <= now;
}

/**
 * Returns the step that an escalation notifies next: the step after the last one that was notified, or the last step
 * again. Undefined if the definition has fewer steps now, or no repetition.
 */
export function nextEscalationStep(
  steps: EscalationSteps,
  { step, repeats = 0 }: EscalationState,
): { readonly notify: readonly string[]; readonly number: number; readonly repeat?: number } | undefined {
  const next = steps[step];
  if (next !== undefined) return { notify: next.notify, number: step + 1 };
  const last = steps[steps.length - 1];
  if (last?.repeat === undefined || repeats >= ESCALATION_REPEATS_MAX) return undefined;
  return { notify: last.notify, number: steps.length, repeat: repeats + 1 };
}

/**
 * Returns an escalation after its next step. The time of the following step counts from now, so that a late step leaves
 * the same time to react as any other.
 *
 * @param notified names of the handlers that the step has notified
 * @param status status of the event
 */
export function escalationAfterStep(
  steps: EscalationSteps,
  escalation: EscalationState,
  { notified, status, now }: { readonly notified: readonly string[]; readonly status: number; readonly now: number },
): EscalationState {
  const next = nextEscalationStep(steps, escalation);
  if (next === undefined) return endEscalation(escalation);
  const stepped = { ...endEscalation(escalation), step: next.number, of: steps.length, at: now };
  const counted: EscalationState = next.repeat === undefined ? stepped : { ...stepped, repeats: next.repeat };
  const delay = delayAfter(steps, counted);
  return {
    ...addNotified(counted, notified, status),
    ...(delay !== undefined && { due: now + delay }),
  };
}

/** Returns the number of seconds from the last step of an escalation to the next one; undefined if there is none. */
function delayAfter(steps: EscalationSteps, escalation: EscalationState): number | undefined {
  const next = nextEscalationStep(steps, escalation);
  if (next === undefined) return undefined;
  if (next.repeat !== undefined) return steps[steps.length - 1]?.repeat;
  return (steps[escalation.step]?.after ?? 0) - (steps[escalation.step - 1]?.after ?? 0);
}

/** Ends an escalation: no step follows. The handlers that were notified still get the resolution. */
export function endEscalation({ due: _due, remaining: _remaining, ...escalation }: EscalationState): EscalationState {
  return escalation;
}

/** Records in an escalation that these handlers were notified of a status. */
export function addNotified(escalation: EscalationState, handlers: readonly string[], status: number): EscalationState {
  return {
    ...escalation,
    notified: [...new Set([...escalation.notified, ...handlers])],
    status: isWorse(escalation, status) ? status : escalation.status,
  };
}

/**
 * Joins the escalations of the two open events that a renamed check has under its old and its new name. Of two
 * escalations of one handler, the result is the one that is further. The handlers that either has notified count.
 */
export function joinEscalations(
  before: readonly EscalationState[] = [],
  after: readonly EscalationState[] = [],
): readonly EscalationState[] | undefined {
  const joined = new Map(before.map((escalation) => [escalation.handler, escalation]));
  for (const escalation of after) {
    const other = joined.get(escalation.handler) ?? escalation;
    const [further, less] = other.step >= escalation.step ? [other, escalation] : [escalation, other];
    joined.set(escalation.handler, addNotified(further, less.notified, less.status));
  }
  return joined.size === 0 ? undefined : [...joined.values()];
}

/** True if a status is worse than the worst status that the handlers of an escalation were notified of. */
export function isWorse(escalation: EscalationState, status: number): boolean {
  return statusRank(status) < statusRank(escalation.status);
}

/** Pauses an escalation. It keeps the time until its next step. */
export function pauseEscalation(escalation: EscalationState, now: number): EscalationState {
  const { due } = escalation;
  return due === undefined ? escalation : { ...endEscalation(escalation), remaining: Math.max(0, due - now) };
}

/** Continues a paused escalation where it was. */
export function resumeEscalation(escalation: EscalationState, now: number): EscalationState {
  const { remaining } = escalation;
  return remaining === undefined ? escalation : { ...endEscalation(escalation), due: now + remaining };
}

/** Returns an escalation as events of the API and rows of the feed show it. */
export function shownEscalation({ handler, step, of, at, due, remaining }: EscalationState): ShownEscalation {
  return {
    handler,
    step,
    of,
    ...(at !== undefined && { at }),
    ...(due !== undefined && { due }),
    ...(remaining !== undefined && { remaining }),
  };
}

/** Returns the step that notifies a handler, as the event for the handler shows it. */
export function escalationNotice({ handler, step, of, repeats }: EscalationState): EscalationNotice {
  return { handler, step, of, ...(repeats !== undefined && { repeat: repeats }) };
}

/** Returns the text for users that says which steps an escalation has, and when they are due after its start. */
export function plannedSteps(steps: EscalationSteps): string {
  const planned = steps.map(({ notify, after }, at) => {
    const time = after === undefined ? 'at once' : `after ${formatDuration(after)}`;
    return `step ${String(at + 1)} ${time} (${notify.join(', ')})`;
  });
  const repeat = steps[steps.length - 1]?.repeat;
  const repeated =
    repeat === undefined
      ? ''
      : `, repeated every ${formatDuration(repeat)} up to ${String(ESCALATION_REPEATS_MAX)} times`;
  return `it starts: ${planned.join(', ')}${repeated}`;
}

/** Returns the text for users that says what an escalation has notified, and what it notifies next. */
export function escalationProgress(steps: EscalationSteps, escalation: EscalationState, now: number): string {
  const { step, of, at, repeats } = escalation;
  const past =
    at === undefined
      ? undefined
      : `step ${String(step)} of ${String(of)} was notified ${repeats === undefined ? '' : 'again '}` +
        `${formatDuration(now - at)} ago${handlersSuffix(steps[step - 1]?.notify)}`;
  return [past, nextText(steps, escalation, now)].filter((text) => text !== undefined).join('; ');
}

function nextText(steps: EscalationSteps, escalation: EscalationState, now: number): string | undefined {
  const { due, remaining } = escalation;
  const next = nextEscalationStep(steps, escalation);
  if (next === undefined) return 'no further step';
  const subject =
    next.repeat === undefined
      ? `step ${String(next.number)}`
      : `repetition ${String(next.repeat)} of ${String(ESCALATION_REPEATS_MAX)}`;
  if (due !== undefined) return `${subject} in ${formatDuration(due - now)}${handlersSuffix(next.notify)}`;
  return remaining === undefined
    ? undefined
    : `paused ${formatDuration(remaining)} before ${subject}${handlersSuffix(next.notify)}`;
}

function handlersSuffix(handlers: readonly string[] = []): string {
  return handlers.length === 0 ? '' : ` (${handlers.join(', ')})`;
}
