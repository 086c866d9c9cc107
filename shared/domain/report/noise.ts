import type { ReportNoise } from '../../schemas/report.ts';
import { compareText } from '../compare-text.ts';
import type { Trouble } from './checks.ts';

/** Counts outages by the name of the check. */
export class Noise {
  readonly #byCheck = new Map<string, { -readonly [Name in keyof ReportNoise]: ReportNoise[Name] }>();

  /** @param key name of the check, with its namespace if there are several */
  count(key: string, { client, check, outages }: Trouble, place: Pick<ReportNoise, 'namespace'>): void {
    const known = this.#byCheck.get(key);
    if (known === undefined) {
      this.#byCheck.set(key, { ...place, check, outages, clients: 1, client, client_outages: outages });
      return;
    }
    known.outages += outages;
    known.clients += 1;
    if (outages <= known.client_outages) return;
    known.client = client;
    known.client_outages = outages;
  }

  /** Returns the checks with the most outages first. */
  first(limit: number): ReportNoise[] {
    return [...this.#byCheck.values()]
      .toSorted((a, b) => b.outages - a.outages || compareText(a.check, b.check))
      .slice(0, limit);
  }
}
