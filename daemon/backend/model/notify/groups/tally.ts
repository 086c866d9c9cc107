import { changeSinceNotified, type MemberState } from '../../../../../shared/domain/notify/group-member.ts';
import { severityOf, type Severity } from '../../../../../shared/domain/severity.ts';

/** The counts that one event adds to the tally of its group. */
export interface TallyEntry {
  /** The severity of the firing problem; undefined if the problem has resolved. */
  readonly firingSeverity: Severity | undefined;
  /** True if a notification of the event is pending. Silences and inhibitions are ignored. */
  readonly isPending: boolean;
}

/**
 * Returns the counts that an event adds to the tally of its group. Undefined if the event was inhibited at a flush:
 * such an event is not counted until its next result.
 */
export function toTallyEntry(member: MemberState): TallyEntry | undefined {
  if (member.lastNotified === 'inhibited') return undefined;
  return {
    firingSeverity: member.isResolved ? undefined : severityOf(member.status),
    isPending: changeSinceNotified(member) !== 'same',
  };
}

const SEVERITIES_WORST_FIRST = ['critical', 'unknown', 'warning', 'ok'] as const;

/**
 * The numbers of pending and firing events in a group. Each change of an event updates them, so that a list of large
 * groups needs no loop over their events.
 */
export class GroupTally {
  /** Number of events with a pending notification. */
  pendingCount = 0;
  /** Number of events whose problem has not resolved. */
  firingCount = 0;
  readonly #firingBySeverity: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };

  /** The worst severity of the firing events; `ok` if none is firing. */
  get worstSeverity(): Severity {
    return SEVERITIES_WORST_FIRST.find((severity) => this.#firingBySeverity[severity] > 0) ?? 'ok';
  }

  /** Replaces the previous counts of an event by its new ones. Undefined means that the event adds no counts. */
  replaceEntry(before: TallyEntry | undefined, after: TallyEntry | undefined): void {
    if (before !== undefined) this.#addEntry(before, -1);
    if (after !== undefined) this.#addEntry(after, 1);
  }

  #addEntry({ firingSeverity, isPending }: TallyEntry, sign: 1 | -1): void {
    if (isPending) this.pendingCount += sign;
    if (firingSeverity === undefined) return;
    this.firingCount += sign;
    this.#firingBySeverity[firingSeverity] += sign;
  }
}
