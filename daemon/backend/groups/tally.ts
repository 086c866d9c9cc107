import { changeOf, type GroupedState } from '../../../shared/domain/grouping/turn.ts';
import { severityOf, type Severity } from '../../../shared/domain/severity.ts';

/**
 * What an event counts as in its group. Undefined: as nothing, for an inhibition holds it back until it comes again.
 */
export interface Counted {
  /** Undefined: its problem is over. */
  readonly firing: Severity | undefined;
  /** Whether something is to be told of it. */
  readonly isWaiting: boolean;
}

export function countedAs(member: GroupedState): Counted | undefined {
  if (member.told === 'held') return undefined;
  return { firing: member.isOver ? undefined : severityOf(member.status), isWaiting: changeOf(member) !== 'same' };
}

const WORST_FIRST = ['critical', 'unknown', 'warning', 'ok'] as const;

/**
 * Counts of the events of a group, kept with each change: what is shown of a large group costs no round of its events.
 */
export class GroupTally {
  /** Events of which something is to be told. */
  waiting = 0;
  /** Events whose problem persists. */
  firing = 0;
  readonly #bySeverity: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };

  /** `ok` when nothing persists. */
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
