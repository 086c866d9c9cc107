import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { Recovery } from '../../schemas/recovery.ts';
import type { CheckState, Transition } from '../event.ts';
import { recoveryWords } from '../recovery.ts';
import { severityOf } from '../severity.ts';
import { inhibitedReason } from './inhibit.ts';
import { silencedReason } from './silence.ts';
import { isRun } from './verdict.ts';

/** Returns one sentence about how an event is handled. */
export function handlingSentence(verdicts: readonly HandlerVerdict[]): string {
  const runs = verdicts.filter(isRun);
  const others = verdicts.filter((verdict) => !isRun(verdict));
  const [first, second] = others;
  if (runs.length > 0) {
    const othersText = others.length === 0 ? '' : `, ${namesOf(others, 'does not', 'do not')}`;
    return `${namesOf(runs, 'handles it', 'handle it')}${withGroups(verdicts, runs)}${othersText}`;
  }
  if (first === undefined) return 'no handler runs: its check has no handlers';
  if (second === undefined) return `no handler runs: ${first.handler}: ${first.reason}`;
  const shared = sharedReason(others, first);
  return `no handler runs: ${shared ?? 'each handler has its own reason'}`;
}

/** Returns the common reason of all verdicts. For handlers with groups, only the inhibition or silence is compared. */
function sharedReason(verdicts: readonly HandlerVerdict[], first: HandlerVerdict): string | undefined {
  if (verdicts.every(({ reason }) => reason === first.reason)) return first.reason;
  const reason = suppressionReason(first);
  return verdicts.every((verdict) => suppressionReason(verdict) === reason) ? reason : undefined;
}

/** Returns the reason for suppression, without the effect on the group. */
function suppressionReason({ inhibited_by: inhibitor, silenced_by: silencedBy }: HandlerVerdict): string | undefined {
  if (inhibitor !== undefined) return inhibitedReason(inhibitor);
  return silencedBy && silencedReason(silencedBy);
}

/** Adds that handlers with groups notify the event with its group. */
function withGroups(all: readonly HandlerVerdict[], runs: readonly HandlerVerdict[]): string {
  const [first, ...others] = runs.filter(({ group }) => group !== undefined);
  if (first === undefined) return '';
  if (all.length === 1) return `: ${first.reason}`;
  return runs.length === 1 || others.length === runs.length - 1
    ? ` with ${runs.length === 1 ? 'its group' : 'their groups'}`
    : `, ${namesOf([first, ...others], 'with its group', 'with their groups')}`;
}

function namesOf(verdicts: readonly HandlerVerdict[], one: string, many: string): string {
  return `${verdicts.map(({ handler }) => handler).join(', ')} ${verdicts.length === 1 ? one : many}`;
}

/** Returns the sentence about a recovering event, which comes first. */
export function recoveringSentence(recovery: Recovery, handling: string): string {
  return `the event is recovering (${recoveryWords(recovery)}); its resolution is notified after that; ${handling}`;
}

/**
 * Explains why a check has no event.
 *
 * @param status of its last result
 */
export function noEventSentence(status: number): string {
  return status === 0
    ? 'there is no event: its last result is OK'
    : `there is no event: its last result is ${severityOf(status)} and had force_resolve set`;
}

/** Explains that a resolution is notified later. */
export function pendingResolutionSentence(silencedBy: readonly string[]): string {
  return `there is no event: it resolved while it was silenced by ${silencedBy.join(', ')}; its resolution is notified after that`;
}

/**
 * Explains why a result would run no handler.
 *
 * @param after state that the result would lead to
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

/** Describes the effect of a result on its event. */
export function transitionSentence(
  before: CheckState,
  { kind }: Exclude<Transition, { readonly kind: 'none' }>,
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
