import type { EventComparator } from '../../../shared/domain/event-order.ts';
import { compareText } from '../../../shared/domain/compare-text.ts';
import { matchesSearch, type Search } from '../../../shared/domain/search.ts';
import { SmallestItems } from '../../../shared/domain/smallest-items.ts';
import { sortInChunks } from '../../../shared/domain/sort-in-chunks.ts';
import type { Listing } from '../http/list.ts';
import { feedEventRow } from '../model/events/feed-rows.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import { prepareSilences } from '../silences/event-preparation.ts';
import { runInChunks, TimeSlice } from '../store/time-slice.ts';
import { OrderedEvent } from './ordered-event.ts';

/** Above this number of entries, sorting all events is faster than selecting the first ones. */
const SELECTED_MAX = 10_000;

interface ListedEvents {
  /** The search that the events must match. */
  readonly search: Search;
  readonly order: EventComparator;
  /** The number of entries that are needed from the beginning of the list; infinite if all are needed. */
  readonly count: number;
}

/**
 * Returns the open events of these namespaces that match a search, in order. For a page at the beginning of the list,
 * the events are neither sorted nor read: only the fields that the order compares are read.
 */
export async function eventListing(
  namespaces: readonly Namespace[],
  { search, order, count }: ListedEvents,
  nowMs: number,
): Promise<Listing<CheckEntry>> {
  const byOrder = (a: OrderedEvent, b: OrderedEvent): number => order(a, b) || compareText(a.namespace, b.namespace);
  const selected = count > SELECTED_MAX ? undefined : new SmallestItems(count, byOrder);
  const all: OrderedEvent[] = [];
  const nowSeconds = Math.floor(nowMs / 1000);
  const timeSlice = new TimeSlice();
  let length = 0;
  for (const namespace of namespaces) {
    const entries = [...namespace.openEvents];
    await prepareSilences(entries);
    for (const entry of entries) {
      if (timeSlice.isDue) await timeSlice.share();
      if (!isMatch(entry, search, nowMs, nowSeconds)) continue;
      length++;
      const event = new OrderedEvent(entry, nowMs);
      if (selected === undefined) all.push(event);
      else selected.add(event);
    }
  }
  const events = selected?.sorted() ?? (await runInChunks(sortInChunks(all, byOrder)));
  const inOrder = events.map(({ entry }) => entry);
  return { length, slice: (start, end) => inOrder.slice(start, end) };
}

/** True if an event is open and matches the search. It can have resolved while the loop yielded to other work. */
function isMatch(entry: CheckEntry, search: Search, nowMs: number, nowSeconds: number): boolean {
  if (search.tree === undefined) return entry.state.event !== undefined;
  const row = feedEventRow(entry, nowMs);
  return row !== null && matchesSearch(search, row, nowSeconds);
}
