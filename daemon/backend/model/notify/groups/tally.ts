import { changeOf, type MemberState } from '../../../../../shared/domain/notify/group-member.ts';
import { severityOf, type Severity } from '../../../../../shared/domain/severity.ts';

/** How an event is counted in the tally of its group. */
export interface Counted {
  /** The severity of the firing problem; undefined if the problem has resolved. */
  readonly firing: Severity | undefined;
  /** True if the event has a pending notification, ignoring silences and inhibitions. */
  readonly isWaiting: boolean;
}

/**
 * Returns how an event is counted in the tally of its group. Undefined if an inhibition suppressed the event at a
 * flush: such an event is not counted until its next result.
 */
export function countedAs(member: MemberState): Counted | undefined {
  if (member.lastNotified === 'inhibited') return undefined;
  return { firing: member.isResolved ? undefined : severityOf(member.status), isWaiting: changeOf(member) !== 'same' };
}

const WORST_FIRST = ['critical', 'unknown', 'warning', 'ok'] as const;

/**
 * The numbers of pending and firing events in a group. They are updated with each change of an event, so that showing a
 * large group needs no loop over its events.
 */
export class GroupTally {
  /** Number of events with a pending notification. */
  waiting = 0;
  /** Number of events whose problem has not resolved. */
  firing = 0;
  readonly #bySeverity: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };

  /** The worst severity of the firing events; `ok` if none is firing. */
  get worst(): Severity {
    return WORST_FIRST.find((severity) => this.#bySeverity[severity] > 0) ?? 'ok';
  }

  /** Replaces the previous counting of an event with its current one; undefined: the event is not counted. */
  move(before: Counted | undefined, after: Counted | undefined): void {
    if (before !== undefined) this.#count(before, -1);
    if (after !== undefined) this.#count(after, 1);
  }

  #count({ firing, isWaiting }: Counted, by: 1 | -1): void {
    if (isWaiting) this.waiting += by;
    if (firing === undefined) return;
    this.firing += by;
    this.#bySeverity[firing] += by;
  }
}
