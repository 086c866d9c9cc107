import type { Inhibitor } from '../../schemas/inhibition.ts';
import type { Report, ReportCause } from '../../schemas/report.ts';
import { compareText } from '../compare-text.ts';
import type { CheckProblem } from './checks.ts';

interface CauseNamespace {
  readonly namespace?: string;
}

/** Groups inhibited problems by their inhibitor, the event that suppresses their notifications (spec, report 1). */
export class CauseCollector {
  readonly #causes = new Map<
    string,
    { readonly at: CauseNamespace; readonly inhibitor: Inhibitor; readonly troubles: CheckProblem[] }
  >();

  /** @param at the namespace of the problem; an empty object unless the report is about all namespaces */
  count(trouble: CheckProblem, at: CauseNamespace): void {
    const { inhibited_by: inhibitor } = trouble;
    if (inhibitor === undefined) return;
    const key = JSON.stringify([at.namespace, inhibitor.rule, inhibitor.client, inhibitor.check]);
    const cause = this.#causes.get(key) ?? { at, inhibitor, troubles: [] };
    cause.troubles.push(trouble);
    this.#causes.set(key, cause);
  }

  first(limit: number): Report['inhibited'] {
    const causes = Array.from(this.#causes.values(), ({ at, inhibitor, troubles }) => ({
      ...at,
      ...inhibitor,
      checks: troubles.length,
      clients: new Set(troubles.map(({ client }) => client)).size,
      open: troubles.filter(({ ended }) => ended === null).length,
    })).toSorted(compareByInhibitedChecks);
    const checks = causes.reduce((sum, cause) => sum + cause.checks, 0);
    return { checks, count: causes.length, causes: causes.slice(0, limit) };
  }
}

/** Compares root causes for sorting: those that inhibit the most checks come first. */
export function compareByInhibitedChecks(a: ReportCause, b: ReportCause): number {
  return b.checks - a.checks || compareText(a.client, b.client) || compareText(a.check, b.check);
}
