import { EVENT_SEARCH } from '../../../shared/domain/search.ts';
import { silencedRow } from '../../../shared/domain/silencing.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import type { EventRow, SilencedRow } from '../../../shared/schemas/feed.ts';
import type { PastClient as PastClientRow, PastState } from '../../../shared/schemas/timeline.ts';
import { MonError } from '../../../shared/errors.ts';
import { requestedOrder } from '../events/order.ts';
import { oneAtATime } from '../http/one-at-a-time.ts';
import type { MonHandlers } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';
import { requestedNamespaces, type RequestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import { eventsWithSets } from '../model/attributes/feed-rows.ts';
import { compareByName } from '../model/registry/by-name.ts';
import type { Registry } from '../model/registry/registry.ts';
import { FirstRows } from './first-rows.ts';
import { findBase, findNearestChanges, readPastNamespace, type PastBase } from './past.ts';
import { pastClientRow, pastEventRows, silencesById } from './past-rows.ts';
import { readChanges, TOO_MANY_CHANGES } from './read-changes.ts';

const ROWS_DEFAULT = 100;
const ROWS_MAX = 10_000;

/** Maximum number of requests for past states that are waiting or running. */
const REQUESTS_MAX = 20;

interface PastDependencies {
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Serves the lists of events, silences and clients as they were at a past time (spec, timeline 5). The lists are read
 * from the store, so a follower can respond too.
 */
export function pastStateOnMon(deps: PastDependencies): MonHandlers<'pastChanges' | 'pastState'> {
  const { registry, store, clock } = deps;
  const oneByOne = oneAtATime(REQUESTS_MAX, 'too many requests for the past, try again in a second');
  const momentOf = (ms: number | undefined, name: string): number => {
    const nowMs = clock.now();
    if (ms !== undefined && ms > nowMs) throw new MonError('invalid', `${name} must not be in the future`);
    return ms ?? nowMs;
  };
  return {
    pastChanges: async (request, _reply, { from, at }) => {
      const between = { fromMs: momentOf(from, 'from'), atMs: momentOf(at, 'at') };
      const requested = requestedNamespaces(request, deps);
      return oneByOne(async () => {
        const base = await findBase(store, registry.timeline, between.atMs);
        const { checkpoint } = await findBase(store, registry.timeline, between.fromMs);
        // If the clock was corrected between the two times, all silences have shifted times, so the full lists must be
        // read.
        const isSame = checkpoint.era === base.checkpoint.era;
        const changes = isSame ? await readChanges(store, base, requested, between) : TOO_MANY_CHANGES;
        return {
          from: between.fromMs,
          at: between.atMs,
          ...changes,
          ...eventsWithSets(changes.events),
          ...(await timesOfNearestChanges(store, requested, base, between.atMs)),
        };
      });
    },
    pastState: async (request, _reply, { at, q, sort, limit = ROWS_DEFAULT, offset = 0, silenced, clients }) => {
      const atMs = momentOf(at, 'at');
      const search = searchFilter<EventRow, EventRow>(EVENT_SEARCH, { q }, (row) => row, atMs);
      const events = new FirstRows(requestedOrder(sort), offset + Math.min(limit, ROWS_MAX));
      const requested = requestedNamespaces(request, deps);
      return oneByOne(async () => {
        const base = await findBase(store, registry.timeline, atMs);
        const onEvent = (row: EventRow): void => {
          if (search === undefined || search(row)) events.add(row);
        };
        const lists = await readLists(store, base, { requested, atMs, onEvent, hasClients: clients });
        return {
          at: atMs,
          retained_since: base.retainedSinceMs,
          ...(await timesOfNearestChanges(store, requested, base, atMs)),
          counts: lists.counts,
          total: events.total,
          ...eventsWithSets(events.from(offset)),
          ...(silenced && { silenced: lists.silenced }),
          ...(clients && { clients: lists.clients.toSorted(compareByName) }),
        };
      });
    },
  };
}

/**
 * Returns the time of the last change before a given time, and of the first change after it. Each is null if there is
 * no such change or it is not retained.
 */
async function timesOfNearestChanges(
  store: Store,
  { namespaces }: RequestedNamespaces,
  { retainedSinceMs }: PastBase,
  atMs: number,
): Promise<Pick<PastState, 'previous' | 'next'>> {
  const names = namespaces.map(({ name }) => name);
  const { previous, next } = await findNearestChanges(store, names, atMs);
  return { previous: previous !== undefined && previous >= retainedSinceMs ? previous : null, next: next ?? null };
}

interface RequestedLists {
  readonly counts: PastState['counts'];
  readonly silenced: readonly SilencedRow[];
  readonly clients: readonly PastClientRow[];
}

interface ListsRequest {
  readonly requested: RequestedNamespaces;
  readonly atMs: number;
  /** Called with each event that was open at that time. */
  readonly onEvent: (row: EventRow) => void;
  readonly hasClients: boolean | undefined;
}

async function readLists(
  store: Store,
  base: PastBase,
  { requested, atMs, onEvent, hasClients }: ListsRequest,
): Promise<RequestedLists> {
  const counts = { events: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, clients: 0, silences: 0 };
  const lists = { counts, silenced: [] as SilencedRow[], clients: [] as PastClientRow[] };
  for (const namespace of requested.namespaces) {
    const { silences, clients } = await readPastNamespace(store, base, namespace.name, atMs);
    const index = silencesById(silences);
    lists.silenced.push(...silences.map((entry) => requested.withNamespaceName(silencedRow(entry), namespace.name)));
    counts.silences += silences.length;
    for await (const part of clients) {
      counts.clients += part.length;
      for (const client of part) {
        if (hasClients)
          lists.clients.push(requested.withNamespaceName(pastClientRow(namespace, client, atMs), namespace.name));
        for (const row of pastEventRows(client, namespace, index, atMs)) {
          countEvent(counts, row);
          onEvent(requested.withNamespaceName(row, namespace.name));
        }
      }
    }
  }
  return lists;
}

function countEvent(counts: Record<keyof PastState['counts'], number>, { status, silenced_by: ids }: EventRow): void {
  const severity = severityOf(status);
  counts.events++;
  if (severity !== 'ok') counts[severity]++;
  if (ids.length > 0) counts.silenced++;
}
