import type { SilencedRow } from '../../shared/schemas/feed.ts';
import type { EventRecord } from './event-record.ts';
import { matchingEvents } from './silence-preview.ts';
import type { LiveData } from './live-data.ts';

/** Maximum number of matching events that are listed for a silence; the others are only counted. */
const LISTED_EVENTS_MAX = 200;

/**
 * Age in milliseconds at which the list of matching events is built again. Building it visits all events, which is too
 * expensive for each frame.
 */
const LIST_MS = 1000;

export interface SilenceMatches {
  readonly count: number;
  /** The events that match the silence, the worst first, at most `LISTED_EVENTS_MAX`. */
  readonly listed: readonly EventRecord[];
}

/** Cache of the events that match the silence that was shown last. */
export class MatchCache {
  #entry: SilencedRow | undefined;
  #atMs = 0;
  #matches: SilenceMatches | undefined;

  /** Returns the events that the silence covers, or would cover if it were active. */
  matchesFor(store: LiveData, entry: SilencedRow): SilenceMatches {
    if (this.#matches === undefined || entry !== this.#entry || store.nowMs - this.#atMs >= LIST_MS) {
      this.#entry = entry;
      this.#atMs = store.nowMs;
      this.#matches = matchesOf(store, entry);
    }
    return this.#matches;
  }
}

function matchesOf(store: LiveData, { subscription, check, selector }: SilencedRow): SilenceMatches {
  const subscriptionsOf = (client: string): readonly string[] => store.clients.get(client)?.subscriptions ?? [];
  const all = [
    ...matchingEvents([{ subscription, check, selector }], store.events.records(), subscriptionsOf, store.nowMs),
  ];
  return { count: all.length, listed: all.toSorted((a, b) => a.rank - b.rank).slice(0, LISTED_EVENTS_MAX) };
}
