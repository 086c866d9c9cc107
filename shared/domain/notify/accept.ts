import type { Event } from '../../schemas/event.ts';
import { severityOf } from '../severity.ts';
import { isHandlingDisabled } from './route.ts';
import type { HandlerConditions, StageInputs, StageVerdict } from './notification-context.ts';

/**
 * Evaluates an event in the stage "accept". The stage rejects the event in four cases:
 *
 * - The check of the event has `handle: false`.
 * - The event is flapping, and the handler does not have `handle_flapping: true`.
 * - The handler has `group_by`, and the event is an OK result that resolves no problem.
 * - The handler has `severities` without the severity of the event. A resolution needs one severity of its history.
 *
 * @returns undefined if this stage does not reject the event
 */
export function evaluateAcceptance(
  { severities, handle_flapping, group_by }: HandlerConditions,
  event: Event,
  { leavesStoredEventUnchanged }: Pick<StageInputs, 'leavesStoredEventUnchanged'>,
): StageVerdict | undefined {
  if (isHandlingDisabled(event.check)) return { verdict: 'disabled', reason: 'its check has handle: false' };
  if (event.action === 'flapping' && handle_flapping !== true) {
    return { verdict: 'action', reason: 'it is flapping, and the handler does not set handle_flapping: true' };
  }
  if (
    group_by !== undefined &&
    event.check.status === 0 &&
    (event.action !== 'resolve' || leavesStoredEventUnchanged === true)
  ) {
    return { verdict: 'action', reason: 'it is neither an incident nor its resolution, and the handler has group_by' };
  }
  if (severities !== undefined && !hasAcceptedSeverity(event, severities)) {
    return { verdict: 'severity', reason: severityReason(event, severities) };
  }
  return undefined;
}

/**
 * True if the handler accepts the severity of an event. A resolution is accepted if at least one status in the history
 * of the check has an accepted severity. So a handler that was notified of a problem is also notified of its
 * resolution.
 */
function hasAcceptedSeverity({ action, check }: Event, severities: readonly string[]): boolean {
  if (action !== 'resolve') return severities.includes(severityOf(check.status));
  return check.history.some((status) => severities.includes(severityOf(Number(status))));
}

function severityReason({ action, check }: Event, severities: readonly string[]): string {
  const severityList = severities.length === 0 ? 'none' : severities.join(', ');
  return action === 'resolve'
    ? `it resolves, and no result in its history has a severity of the handler (${severityList})`
    : `its severity is ${severityOf(check.status)}, and the handler accepts ${severityList}`;
}
