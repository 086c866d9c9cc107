import type { Report, ReportCause } from '../../schemas/report.ts';
import { compareText } from '../compare-text.ts';
import type { Trouble } from './checks.ts';

/** Counts what followed from something else, by what it followed from (spec, report 1). */
export class Causes {
  readonly #causes = new Map<string, { readonly cause: ReportCause; readonly clients: Set<string> }>();
  #checks = 0;

  /** @param at where it is: with its namespace where all are asked for */
  count({ client, ended, inhibited_by: inhibitor }: Trouble, at: { readonly namespace?: string }): void {
    if (inhibitor === undefined) return;
    this.#checks++;
    const key = JSON.stringify([at.namespace, inhibitor.rule, inhibitor.client, inhibitor.check]);
    const { cause, clients } = this.#causes.get(key) ?? {
      cause: { ...at, ...inhibitor, checks: 0, clients: 0, open: 0 },
      clients: new Set(),
    };
    clients.add(client);
    this.#causes.set(key, {
      cause: {
        ...cause,
        checks: cause.checks + 1,
        clients: clients.size,
        open: cause.open + (ended === null ? 1 : 0),
      },
      clients,
    });
  }

  first(limit: number): Report['inhibited'] {
    const causes = Array.from(this.#causes.values(), ({ cause }) => cause).toSorted(mostFirst);
    return { checks: this.#checks, count: causes.length, causes: causes.slice(0, limit) };
  }
}

/** Those from which most followed first. */
export function mostFirst(a: ReportCause, b: ReportCause): number {
  return b.checks - a.checks || compareText(a.client, b.client) || compareText(a.check, b.check);
}
