import type { ReportOpenCheck } from '../../schemas/report.ts';
import { compareText } from '../compare-text.ts';
import { statusRank } from '../severity.ts';

/** The open problems of a check, without the output of the worst one. */
export type OpenCheck = Omit<ReportOpenCheck, 'output'>;

/** The open problems of a check on all clients, and details about the worst of them. */
interface CountedOpenCheck<Details> {
  readonly open: OpenCheck;
  readonly details: Details;
}

/** Counts the open problems of each check on all clients together. Problems with another inhibitor are separate. */
export class OpenByCheck<Details> {
  readonly #byKey = new Map<string, CountedOpenCheck<Details>>();

  /** Adds one or more open problems of a check. `details` belong to the worst of these problems. */
  add(open: OpenCheck, details: Details): void {
    const key = openCheckKey(open);
    const before = this.#byKey.get(key);
    if (before === undefined) {
      this.#byKey.set(key, { open, details });
      return;
    }
    const worst = isWorse(open, before.open) ? { open, details } : before;
    const count = before.open.count + open.count;
    const began = earliestTime(before.open.began, open.began);
    this.#byKey.set(key, { open: { ...worst.open, count, began }, details: worst.details });
  }

  /**
   * Returns at most `limit` checks, the worst first.
   *
   * @param outputOf callback that returns the output of a problem
   */
  first(limit: number, outputOf: (details: Details) => string): ReportOpenCheck[] {
    const sorted = [...this.#byKey.values()].toSorted((a, b) => compareOpenChecks(a.open, b.open)).slice(0, limit);
    return sorted.map(({ open, details }) => Object.assign({}, open, { output: outputOf(details) }));
  }
}

/** Returns a key that is the same for problems that are counted together. */
export function openCheckKey({
  namespace,
  check,
  inhibited_by: inhibitor,
}: Pick<OpenCheck, 'namespace' | 'check' | 'inhibited_by'>): string {
  return JSON.stringify([namespace, check, inhibitor && [inhibitor.rule, inhibitor.client, inhibitor.check]]);
}

/** Compares open checks for sorting: inhibited ones last, otherwise the worst first, then those on the most clients. */
function compareOpenChecks(a: OpenCheck, b: OpenCheck): number {
  return (
    Number(a.inhibited_by !== undefined) - Number(b.inhibited_by !== undefined) ||
    statusRank(a.status) - statusRank(b.status) ||
    b.count - a.count ||
    compareText(a.check, b.check) ||
    compareText(a.client, b.client)
  );
}

function isWorse(a: OpenCheck, b: OpenCheck): boolean {
  return (statusRank(a.status) - statusRank(b.status) || (a.began ?? 0) - (b.began ?? 0)) < 0;
}

/** Returns the earlier of two times; null stands for an unknown time before all others. */
function earliestTime(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b);
}
