import { EVENT_SEARCH } from '../../../shared/domain/search.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { requestedOrder } from './order.ts';
import { eventHandlers, type EventDependencies } from './members.ts';
import { prepareSilences } from '../silences/event-preparation.ts';
import { feedEventRow } from '../model/events/feed-rows.ts';
import { eventListing } from './event-listing.ts';
import { eventOnMon, readEvents } from './queries.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { neededEntries, sendList } from '../http/list.ts';
import { requestedNamespace, requestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { MonHandlers } from '../http/route.ts';
import { parseSearchQuery } from '../http/search.ts';

/**
 * Serves single events, and event lists that are selected by a search (`?q=`) and sorted (`?sort=age`, `?sort=-age`).
 * A list contains feed rows, or with `?full` events in the v1 format.
 */
export function eventsOnMon(deps: EventDependencies): MonHandlers<'events' | 'event' | 'resolveEvent'> {
  const { clock, store } = deps;
  return {
    events: async (request, reply, query) => {
      const search = parseSearchQuery(EVENT_SEARCH, query);
      const order = requestedOrder(query.sort);
      const nowMs = clock.now();
      const { namespaces, withNamespaceName: placed } = requestedNamespaces(request, deps);
      const shown = (entry: CheckEntry): EventRow | null => {
        const row = feedEventRow(entry, nowMs);
        return row === null ? null : placed(row, entry.client.namespace.name);
      };
      const fullEvent = (event: Event, entry: CheckEntry): Event =>
        placed(eventOnMon(event, entry), entry.client.namespace.name);
      const listing = await eventListing(namespaces, { search, order, count: neededEntries(request) }, nowMs);
      if (query.full === true) {
        return sendList(request, reply, listing, (some) => readEvents(store, some, nowMs, fullEvent));
      }
      return sendList(request, reply, listing, async (some) => {
        await prepareSilences(some);
        return some.flatMap((entry) => shown(entry) ?? []);
      });
    },
    ...eventHandlers(deps, requestedNamespace, eventOnMon),
  };
}
