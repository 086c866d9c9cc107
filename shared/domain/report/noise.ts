import type { ReportNoise } from '../../schemas/report.ts';
import { compareText } from '../compare-text.ts';
import type { CheckProblem } from './checks.ts';

/** Counts the outages of each check on all clients together. */
export class NoiseCollector {
  readonly #byCheck = new Map<string, { -readonly [Name in keyof ReportNoise]: ReportNoise[Name] }>();

  /** @param key name of the check, with its namespace if the report is about several namespaces */
  count(key: string, { client, check, outages }: CheckProblem, scope: Pick<ReportNoise, 'namespace'>): void {
    const entry = this.#byCheck.get(key);
    if (entry === undefined) {
      this.#byCheck.set(key, { ...scope, check, outages, clients: 1, client, client_outages: outages });
      return;
    }
    entry.outages += outages;
    entry.clients += 1;
    if (outages <= entry.client_outages) return;
    entry.client = client;
    entry.client_outages = outages;
  }

  /** Returns at most `limit` checks, those with the most outages first. */
  first(limit: number): ReportNoise[] {
    return [...this.#byCheck.values()]
      .toSorted((a, b) => b.outages - a.outages || compareText(a.check, b.check))
      .slice(0, limit);
  }
}
