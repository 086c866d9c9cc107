import { compareText } from '../../shared/domain/compare-text.ts';
import { matchesSearch, parseSearch, type Search } from '../../shared/domain/search.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { rankOf } from '../model/event-record.ts';

/** Sorts events as in the full-screen console: the worst first, and the newest first among equally bad events. */
export function sortEvents(rows: Iterable<EventRow>): readonly EventRow[] {
  return [...rows].toSorted((a, b) => rankOf(a) - rankOf(b) || compareText(eventRowKey(a), eventRowKey(b)));
}

export function eventRowKey({ client, check }: Pick<EventRow, 'client' | 'check'>): string {
  return eventKey(client, check);
}

/** Returns the events that match a search, or all events without a search; the worst first. */
export function findMatchingEvents(
  rows: Iterable<EventRow>,
  search: Search | undefined,
  nowMs: number,
): readonly EventRow[] {
  const all = [...rows];
  const seconds = Math.floor(nowMs / 1000);
  return sortEvents(search === undefined ? all : all.filter((row) => matchesSearch(search, row, seconds)));
}

/**
 * Returns the event that the user named as `client/check`, or the worst event that matches the text as a search.
 *
 * @returns a text with the problem if no event matches or the search is invalid
 */
export function findEvent(
  events: ReadonlyMap<string, EventRow>,
  text: string,
  nowMs: number,
): EventRow | { readonly problem: string } {
  const exact = events.get(text);
  if (exact !== undefined) return exact;
  const search = parseSearch(text);
  if (search.kind === 'problem') return { problem: search.message };
  return findMatchingEvents(events.values(), search, nowMs)[0] ?? { problem: 'no event matches' };
}
