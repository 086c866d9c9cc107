import { changeOf, type MemberState } from '../../../../../shared/domain/notify/group-member.ts';
import { severityOf, type Severity } from '../../../../../shared/domain/severity.ts';

/** The share of an event in the tally of its group. Undefined if an inhibition holds it back until its next result. */
export interface Counted {
  /** The severity of the problem; undefined if it has resolved. */
  readonly firing: Severity | undefined;
  /** True if the event has a pending notification. */
  readonly isWaiting: boolean;
}

export function countedAs(member: MemberState): Counted | undefined {
  if (member.lastNotified === 'inhibited') return undefined;
  return { firing: member.isResolved ? undefined : severityOf(member.status), isWaiting: changeOf(member) !== 'same' };
}

const WORST_FIRST = ['critical', 'unknown', 'warning', 'ok'] as const;

/**
 * Counts of the events of a group, updated with each change. So showing a large group needs no pass over its events.
 */
export class GroupTally {
  /** Events with a pending notification. */
  waiting = 0;
  /** Events whose problem persists. */
  firing = 0;
  readonly #bySeverity: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };

  /** The worst severity; `ok` if no problem persists. */
  get worst(): Severity {
    return WORST_FIRST.find((severity) => this.#bySeverity[severity] > 0) ?? 'ok';
  }

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
