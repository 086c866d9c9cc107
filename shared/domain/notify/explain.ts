import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { Recovery } from '../../schemas/recovery.ts';
import type { CheckState, EventTransition } from '../event.ts';
import { recoveryWords } from '../recovery.ts';
import { severityOf } from '../severity.ts';
import { inhibitedReason } from './inhibit.ts';
import { silencedReason } from './silence.ts';
import { leadsToRun } from './verdict.ts';

/**
 * Returns a sentence for users that names the handlers that run for an event, and the handlers that do not run. If no
 * handler runs, the sentence gives the reason.
 */
export function handlersSentence(verdicts: readonly HandlerVerdict[]): string {
  const runs = verdicts.filter(leadsToRun);
  const others = verdicts.filter((verdict) => !leadsToRun(verdict));
  const [first, second] = others;
  if (runs.length > 0) {
    const othersText = others.length === 0 ? '' : `, ${handlersPhrase(others, 'does not', 'do not')}`;
    return `${handlersPhrase(runs, 'handles it', 'handle it')}${groupsPhrase(verdicts, runs)}${othersText}`;
  }
  if (first === undefined) return 'no handler runs: its check has no handlers';
  if (second === undefined) return `no handler runs: ${first.handler}: ${first.reason}`;
  const shared = commonReason(others, first);
  return `no handler runs: ${shared ?? 'each handler has its own reason'}`;
}

/**
 * Returns the reason that all verdicts have in common; undefined if their reasons differ. Verdicts that name the same
 * silences or the same inhibition have the same reason, even if the rest of their texts differs.
 */
function commonReason(verdicts: readonly HandlerVerdict[], first: HandlerVerdict): string | undefined {
  if (verdicts.every(({ reason }) => reason === first.reason)) return first.reason;
  const reason = suppressionReason(first);
  return verdicts.every((verdict) => suppressionReason(verdict) === reason) ? reason : undefined;
}

/**
 * Returns the part of a verdict's reason that names the inhibition or the silences, without the part about the group of
 * the event. Undefined if no inhibition or silence suppresses the event.
 */
function suppressionReason({ inhibited_by: inhibitor, silenced_by: silencedBy }: HandlerVerdict): string | undefined {
  if (inhibitor !== undefined) return inhibitedReason(inhibitor);
  return silencedBy && silencedReason(silencedBy);
}

/**
 * Returns the words that follow the list of the handlers that run for an event: which of these handlers get the event
 * with its group. Empty if none of these handlers has `group_by`. If the check has only one handler, and that handler
 * has `group_by`, the words are the reason of its verdict.
 *
 * @param all the verdicts of all handlers of the check
 * @param runs the verdicts that lead to a run
 */
function groupsPhrase(all: readonly HandlerVerdict[], runs: readonly HandlerVerdict[]): string {
  const [first, ...others] = runs.filter(({ group }) => group !== undefined);
  if (first === undefined) return '';
  if (all.length === 1) return `: ${first.reason}`;
  return runs.length === 1 || others.length === runs.length - 1
    ? ` with ${runs.length === 1 ? 'its group' : 'their groups'}`
    : `, ${handlersPhrase([first, ...others], 'with its group', 'with their groups')}`;
}

function handlersPhrase(verdicts: readonly HandlerVerdict[], one: string, many: string): string {
  return `${verdicts.map(({ handler }) => handler).join(', ')} ${verdicts.length === 1 ? one : many}`;
}

/**
 * Returns a sentence for users about an event that is recovering: the state of its recovery, then its handlers.
 *
 * @param handling the sentence about the handlers of the event
 */
export function recoverySentence(recovery: Recovery, handling: string): string {
  return `the event is recovering (${recoveryWords(recovery)}); its resolution is notified after that; ${handling}`;
}

/**
 * Returns the sentence that explains why a check has no open event.
 *
 * @param status the status of the last result of the check
 */
export function noEventSentence(status: number): string {
  return status === 0
    ? 'there is no event: its last result is OK'
    : `there is no event: its last result is ${severityOf(status)} and had force_resolve set`;
}

/**
 * Returns the sentence for users about a check that has a pending resolution but no open event: its problem resolved
 * while it was silenced, so handlers get the resolution after the silence.
 *
 * @param silencedBy the ids of the silences
 */
export function pendingResolutionSentence(silencedBy: readonly string[]): string {
  return `there is no event: it resolved while it was silenced by ${silencedBy.join(', ')}; its resolution is notified after that`;
}

/**
 * Returns the sentence that explains why a simulated result would notify no handler: the result neither opens,
 * continues nor resolves an event.
 *
 * @param before the state of the check before the result
 * @param after the state of the check after the result
 */
export function noTransitionSentence(
  before: CheckState,
  after: CheckState,
  result: { readonly status: number },
): string {
  if (result.status !== 0) return 'nothing to handle: the result has force_resolve set, and there is no event';
  if (before.event === undefined) return 'nothing to handle: the result is OK, and there is no event';
  const recovery = after.event?.recovery;
  return recovery !== undefined
    ? `nothing to handle: the result is OK, and the event stays open until it has recovered (${recoveryWords(recovery)})`
    : 'nothing to handle: the result is OK, and the event stays open because auto_resolve is false';
}

/**
 * Returns a clause for users that says what a simulated result would do to the event of its check.
 *
 * @param before the state of the check before the result
 */
export function transitionSentence(
  before: CheckState,
  { kind }: Exclude<EventTransition, { readonly kind: 'none' }>,
): string {
  switch (kind) {
    case 'open':
      return before.event === undefined ? 'an event would open' : 'the event would stay open';
    case 'resolve':
      return 'the event would be resolved';
    case 'ok':
      return 'the result is OK: handlers of the v2 API run, and no event is stored';
    default:
      return 'the result would be handled as a metric, and no event would be stored';
  }
}
