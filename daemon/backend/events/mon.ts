import { sortInChunks } from '../../../shared/domain/sort-in-chunks.ts';
import { EVENT_SEARCH, matchesSearch, type Search } from '../../../shared/domain/search.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { askedOrder } from './order.ts';
import { oneEvent, type EventDeps } from './members.ts';
import { prepareSilences } from '../silences/prepare.ts';
import { eventRow } from './rows.ts';
import { eventOnMon, readEvents } from './read.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import { sendList } from '../http/list.ts';
import { askedNamespace, askedNamespaces } from '../namespaces/asked.ts';
import type { OnMon } from '../http/route.ts';
import { searchOf } from '../http/search.ts';
import { inChunks, LoopTurn } from '../store/loop-turn.ts';

/**
 * Serves events as feed rows, selected by a search (`?q=`) and sorted (`?sort=age`, `?sort=-age`); with `?whole` in the
 * v1 format.
 */
export function eventsOnMon(deps: EventDeps): OnMon<'events' | 'event' | 'resolveEvent'> {
  const { clock, store } = deps;
  return {
    events: async (request, reply, query) => {
      const search = searchOf(EVENT_SEARCH, query);
      const order = askedOrder(query.sort);
      const nowMs = clock.now();
      const { namespaces, placed } = askedNamespaces(request, deps);
      const shown = (entry: CheckEntry): EventRow | null => {
        const row = eventRow(entry, nowMs);
        return row === null ? null : placed(row, entry.client.namespace.name);
      };
      const whole = (event: Event, entry: CheckEntry): Event =>
        placed(eventOnMon(event, entry), entry.client.namespace.name);
      const found = await foundEvents(
        namespaces.flatMap((namespace) => namespace.allEvents()),
        search,
        nowMs,
      );
      const inOrder = await inChunks(sortInChunks(found, (a, b) => order(a.row, b.row)));
      const sorted = inOrder.map(({ entry }) => entry);
      if (query.full === true) {
        return sendList(request, reply, sorted, (some) => readEvents(store, some, nowMs, whole));
      }
      return sendList(request, reply, sorted, async (some) => {
        await prepareSilences(some);
        return some.flatMap((entry) => shown(entry) ?? []);
      });
    },
    ...oneEvent(deps, askedNamespace, eventOnMon),
  };
}

interface FoundEvent {
  readonly entry: CheckEntry;
  readonly row: EventRow;
}

async function foundEvents(entries: readonly CheckEntry[], search: Search, nowMs: number): Promise<FoundEvent[]> {
  await prepareSilences(entries);
  const nowSeconds = Math.floor(nowMs / 1000);
  const found: FoundEvent[] = [];
  const turn = new LoopTurn();
  for (const entry of entries) {
    if (turn.isDue) await turn.share();
    // It may be resolved by now.
    const row = eventRow(entry, nowMs);
    if (row !== null && matchesSearch(search, row, nowSeconds)) found.push({ entry, row });
  }
  return found;
}
