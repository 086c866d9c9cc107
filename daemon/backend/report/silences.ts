import { isAcknowledgement } from '../../../shared/domain/report/actions.ts';
import type { ReportSilence } from '../../../shared/schemas/report.ts';
import type { Transition } from '../../../shared/schemas/timeline.ts';
import type { ReadStore } from '../ports.ts';
import { downFrom, type Source } from '../timeline/places.ts';
import type { KnownSilences } from '../timeline/read.ts';
import { lastIdOf, placeOf, timelineOf } from '../timeline/table.ts';

/** The silences that were active at a moment; each is read once. */
export class SilencesAt {
  readonly #store: ReadStore;
  readonly #known: KnownSilences;
  readonly #atMs: number;
  readonly #read = new Map<string, ReportSilence | undefined>();

  constructor(store: ReadStore, known: KnownSilences, atMs: number) {
    this.#store = store;
    this.#known = known;
    this.#atMs = atMs;
  }

  async of(client: string, check: string): Promise<ReportSilence[]> {
    const found: ReportSilence[] = [];
    for (const source of this.#known.of(client, new Set([check]))) {
      const key = source.prefix.join('\0');
      if (!this.#read.has(key)) this.#read.set(key, await this.#inEffect(source));
      const silence = this.#read.get(key);
      if (silence !== undefined) found.push(silence);
    }
    return found;
  }

  async #inEffect(source: Source): Promise<ReportSilence | undefined> {
    for await (const { id } of downFrom(this.#store, source, lastIdOf(this.#atMs) + 1)) {
      const [text] = await this.#store.getMany([[...timelineOf(source.namespace), placeOf(id)]]);
      return text === undefined ? undefined : this.#shown(JSON.parse(text) as Transition);
    }
    return undefined;
  }

  #shown({ kind, begin = 0, end, silence = '', creator, by, reason, ...entry }: Transition): ReportSilence | undefined {
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
