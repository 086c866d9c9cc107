import type {
  EscalationChange,
  EscalationChangeReason,
  EscalationChangeState,
  EscalationState,
} from '../../schemas/escalation.ts';

/*
 * The changes of escalations that the timeline records: their start, their steps, their pauses and their end (on-call
 * 2).
 */

/**
 * Returns the change of an escalation that the timeline records; undefined if only its worst status or its list of
 * notified handlers changes.
 *
 * @param before the state before the change; undefined if the escalation starts
 * @param details the handlers that the step notified, and the reason for a pause or an end
 */
export function escalationChange(
  before: EscalationState | undefined,
  after: EscalationState,
  details: { readonly notified?: readonly string[]; readonly reason?: EscalationChangeReason } = {},
): EscalationChange | undefined {
  const state = changedState(before, after);
  if (state === undefined) return undefined;
  const { handler, step, of, repeats, due } = after;
  const { notified = [], reason } = details;
  return {
    handler,
    step,
    of,
    ...(repeats !== undefined && { repeat: repeats }),
    state,
    ...(state === 'notified' && { notified }),
    ...((state === 'paused' || state === 'ended') && reason !== undefined && { reason }),
    ...(due !== undefined && { due }),
  };
}

function changedState(before: EscalationState | undefined, after: EscalationState): EscalationChangeState | undefined {
  if (after.step > (before?.step ?? 0) || (after.repeats ?? 0) > (before?.repeats ?? 0)) return 'notified';
  if (before === undefined) return 'started';
  const wasPaused = before.remaining !== undefined;
  if (after.remaining !== undefined) return wasPaused ? undefined : 'paused';
  if (after.due !== undefined) return wasPaused ? 'resumed' : undefined;
  return wasPaused || before.due !== undefined ? 'ended' : undefined;
}

const REASON_TEXTS: Readonly<Record<EscalationChangeReason, string>> = {
  silenced: 'the event is silenced',
  inhibited: 'the event is inhibited',
  acknowledged: 'the event is acknowledged',
  flapping: 'the event is flapping',
  recovering: 'the event is recovering',
  severity: 'its severities do not include that of the event',
  disabled: 'the check has handle: false',
  removed: 'its definition was removed',
  no_further_step: 'its definition has no further step',
};

/** Returns the text for users about a change of an escalation, such as `page: step 2 of 3 notified ada`. */
export function escalationChangeText(change: EscalationChange): string {
  const { handler, step, of, repeat, state, notified = [], reason } = change;
  const stepText = `step ${String(step)} of ${String(of)}`;
  const reasonText = reason === undefined ? '' : `: ${REASON_TEXTS[reason]}`;
  if (state === 'notified') {
    const repetition = repeat === undefined ? '' : `repetition ${String(repeat)} of `;
    const receivers = notified.length === 0 ? 'nobody' : notified.join(', ');
    return `${handler}: ${repetition}${stepText} notified ${receivers}`;
  }
  const position = step === 0 ? 'before its first step' : `after ${stepText}`;
  return state === 'started' ? `${handler}: started` : `${handler}: ${state} ${position}${reasonText}`;
}
