import { isAcknowledgement } from '../../../shared/domain/report/actions.ts';
import type { ReportSilence } from '../../../shared/schemas/report.ts';
import type { Transition } from '../../../shared/schemas/timeline.ts';
import type { ReadStore } from '../ports.ts';
import { newestEntriesOf, type Source } from '../timeline/sources.ts';
import type { SilenceSources } from '../timeline/queries.ts';
import { lastIdOf, reverseId, timelineOf } from '../model/timeline/storage.ts';

/** Finds the silences that were active at one given time. The data of each silence is read only once. */
export class ActiveSilenceFinder {
  readonly #store: ReadStore;
  readonly #index: SilenceSources;
  readonly #atMs: number;
  readonly #cachedSilences = new Map<string, ReportSilence | undefined>();

  constructor(store: ReadStore, index: SilenceSources, atMs: number) {
    this.#store = store;
    this.#index = index;
    this.#atMs = atMs;
  }

  async silencesOf(client: string, check: string): Promise<ReportSilence[]> {
    const silences: ReportSilence[] = [];
    for (const source of this.#index.sourcesFor(client, new Set([check]))) {
      const key = source.prefix.join('\0');
      if (!this.#cachedSilences.has(key)) this.#cachedSilences.set(key, await this.#inEffect(source));
      const silence = this.#cachedSilences.get(key);
      if (silence !== undefined) silences.push(silence);
    }
    return silences;
  }

  async #inEffect(source: Source): Promise<ReportSilence | undefined> {
    for await (const { id } of newestEntriesOf(this.#store, source, lastIdOf(this.#atMs) + 1)) {
      const [text] = await this.#store.getMany([[...timelineOf(source.namespace), reverseId(id)]]);
      return text === undefined ? undefined : this.#toReportSilence(JSON.parse(text) as Transition);
    }
    return undefined;
  }

  #toReportSilence({
    kind,
    begin = 0,
    end,
    silence = '',
    creator,
    by,
    reason,
    ...entry
  }: Transition): ReportSilence | undefined {
    if (kind !== 'silence' || begin * 1000 > this.#atMs || (end ?? Infinity) <= this.#atMs) return undefined;
    const who = creator ?? by;
    return {
      id: silence,
      ...(isAcknowledgement(entry) && { acknowledged: true }),
      ...(who !== undefined && { who }),
      ...(reason !== undefined && { reason }),
      ...(end !== undefined && { end }),
    };
  }
}
