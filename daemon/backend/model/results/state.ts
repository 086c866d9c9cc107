import { severityOf, type Severity } from '../../../../shared/domain/severity.ts';

const NO_COUNTS: Readonly<Record<Severity, number>> = { ok: 0, warning: 0, critical: 0, unknown: 0 };

/**
 * Counts, for each check, on how many clients its last result has each severity. The counts are updated with every
 * result, so that reading them is cheap.
 */
export class ResultsByCheck {
  readonly #counts = new Map<string, Record<Severity, number>>();

  countsOfCheck(check: string): Readonly<Record<Severity, number>> {
    return { ...(this.#counts.get(check) ?? NO_COUNTS) };
  }

  /**
   * Updates the counts when the last result of a check on one client is replaced or removed.
   *
   * @param from status of the previous last result; undefined if there was no result
   * @param to status of the new last result; undefined if there is no result any more
   */
  changeCounts(check: string, from: number | undefined, to: number | undefined): void {
    const [before, after] = [severityOrNone(from), severityOrNone(to)];
    // Most results have the same severity as the previous result, so that no count changes.
    if (before === after) return;
    const counts = this.#counts.get(check) ?? { ...NO_COUNTS };
    if (before !== undefined) counts[before]--;
    if (after !== undefined) counts[after]++;
    if (counts.ok + counts.warning + counts.critical + counts.unknown === 0) this.#counts.delete(check);
    else this.#counts.set(check, counts);
  }
}

function severityOrNone(status: number | undefined): Severity | undefined {
  return status === undefined ? undefined : severityOf(status);
}
