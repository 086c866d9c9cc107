import { severityOf, type Severity } from '../../../../shared/domain/severity.ts';

const NONE: Readonly<Record<Severity, number>> = { ok: 0, warning: 0, critical: 0, unknown: 0 };

/** Number of clients by the severity of a check's last result, updated with every change so that reading is cheap. */
export class ResultsByCheck {
  readonly #counts = new Map<string, Record<Severity, number>>();

  of(check: string): Readonly<Record<Severity, number>> {
    return { ...(this.#counts.get(check) ?? NONE) };
  }

  /**
   * Records a new last result of one client.
   *
   * @param from its previous status; undefined: there was none. Likewise `to`
   */
  move(check: string, from: number | undefined, to: number | undefined): void {
    const [before, after] = [severityOrNone(from), severityOrNone(to)];
    // Most results repeat the severity of the one before, which costs nothing here.
    if (before === after) return;
    const counts = this.#counts.get(check) ?? { ...NONE };
    if (before !== undefined) counts[before]--;
    if (after !== undefined) counts[after]++;
    if (counts.ok + counts.warning + counts.critical + counts.unknown === 0) this.#counts.delete(check);
    else this.#counts.set(check, counts);
  }
}

function severityOrNone(status: number | undefined): Severity | undefined {
  return status === undefined ? undefined : severityOf(status);
}
