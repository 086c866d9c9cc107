import type { SilencedRow } from '../../shared/schemas/feed.ts';
import type { EventRecord } from './event-record.ts';
import { matchingEvents } from './silence-preview.ts';
import type { Known } from './known.ts';

/** Events of one silence that are listed; the rest is a number. */
const LISTED_MAX = 200;

/** How old a list may get: making it goes through all events, too much for each frame. */
const LIST_MS = 1000;

export interface SilenceMatches {
  readonly count: number;
  /** The worst first. */
  readonly listed: readonly EventRecord[];
}

/** The events of the silence that was looked at last. */
export class MatchMemory {
  #entry: SilencedRow | undefined;
  #atMs = 0;
  #matches: SilenceMatches | undefined;

  /** What the entry covers, or would cover if it were in effect. */
  of(store: Known, entry: SilencedRow): SilenceMatches {
    if (this.#matches === undefined || entry !== this.#entry || store.nowMs - this.#atMs >= LIST_MS) {
      this.#entry = entry;
      this.#atMs = store.nowMs;
      this.#matches = matchesOf(store, entry);
    }
    return this.#matches;
  }
}

function matchesOf(store: Known, { subscription, check, selector }: SilencedRow): SilenceMatches {
  const subscriptionsOf = (client: string): readonly string[] => store.clients.get(client)?.subscriptions ?? [];
  const all = [
    ...matchingEvents([{ subscription, check, selector }], store.events.records(), subscriptionsOf, store.nowMs),
  ];
  return { count: all.length, listed: all.toSorted((a, b) => a.rank - b.rank).slice(0, LISTED_MAX) };
}
