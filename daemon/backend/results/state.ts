import { severityOf, type Severity } from '../../../shared/domain/severity.ts';

const NONE: Readonly<Record<Severity, number>> = { ok: 0, warning: 0, critical: 0, unknown: 0 };

/** How many clients have each severity as the last result of a check: kept with every change, so that asking is cheap. */
export class ResultsByCheck {
  readonly #counts = new Map<string, Record<Severity, number>>();

  of(check: string): Readonly<Record<Severity, number>> {
    return { ...(this.#counts.get(check) ?? NONE) };
  }

  /**
   * The last result of one client is another.
   *
   * @param from its status until now; undefined: there was none. Likewise `to`
   */
  move(check: string, from: number | undefined, to: number | undefined): void {
    const [before, after] = [severityOrNone(from), severityOrNone(to)];
    // Most results say what the one before said: those cost nothing here.
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
