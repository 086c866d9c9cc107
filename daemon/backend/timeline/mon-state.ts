import { EVENT_SEARCH } from '../../../shared/domain/search.ts';
import { silencedBy, silencedRow } from '../../../shared/domain/silencing.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { pastEventRow } from '../../../shared/domain/timeline/past.ts';
import type { EventRow, SilencedRow } from '../../../shared/schemas/feed.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { PastClient as PastClientRow, PastState } from '../../../shared/schemas/timeline.ts';
import { MonError } from '../../../shared/errors.ts';
import { clientRow } from '../clients/rows.ts';
import { askedOrder } from '../events/order.ts';
import type { OnMon } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';
import { askedNamespaces, type AskedNamespaces } from '../namespaces/asked.ts';
import type { Clock, Store } from '../ports.ts';
import { byName } from '../registry/by-name.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import { SilencedRegistry } from '../silences/state.ts';
import { FirstRows } from './first-rows.ts';
import { baseOf, changesAround, readNamespace, type PastBase, type PastClient } from './past.ts';
import { subjectIn, subscriptionsIn } from './read.ts';

const LIMIT = 100;
const LIMIT_MAX = 10_000;

/** Those that wait while the past is rebuilt for another. */
const WAITING_MAX = 20;

interface PastDeps {
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
}

/** The lists as they were (spec, timeline 5). They are read from the store, whichever backend is asked. */
export function pastStateOnMon(deps: PastDeps): OnMon<'pastState'> {
  const { registry, store, clock } = deps;
  const inTurn = oneAtATime();
  return {
    pastState: async (request, _reply, { at, q, sort, limit = LIMIT, offset = 0, silenced, clients }) => {
      const nowMs = clock.now();
      const atMs = at ?? nowMs;
      if (atMs > nowMs) throw new MonError('invalid', 'at must not be ahead: it is about the past');
      const search = searchFilter<EventRow, EventRow>(EVENT_SEARCH, { q }, (row) => row, atMs);
      const events = new FirstRows(askedOrder(sort), offset + Math.min(limit, LIMIT_MAX));
      const asked = askedNamespaces(request, deps);
      return inTurn(async () => {
        const base = await baseOf(store, registry.timeline, atMs);
        const found = (row: EventRow): void => {
          if (search === undefined || search(row)) events.add(row);
        };
        const lists = await readLists(store, base, { asked, atMs, found, hasClients: clients });
        const { previous, next } = await changesAround(store, namesOf(asked), atMs);
        return {
          at: atMs,
          known_since: base.knownSinceMs,
          previous: previous !== undefined && previous >= base.knownSinceMs ? previous : null,
          next: next ?? null,
          counts: lists.counts,
          total: events.total,
          events: events.from(offset),
          ...(silenced && { silenced: lists.silenced }),
          ...(clients && { clients: lists.clients.toSorted(byName) }),
        };
      });
    },
  };
}

function namesOf({ namespaces }: AskedNamespaces): string[] {
  return namespaces.map(({ name }) => name);
}

/** What a moment takes in memory is taken once. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= WAITING_MAX) throw new MonError('unavailable', 'too many ask for the past, try again in a second');
    waiting++;
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      waiting--;
    }
  };
}

interface Lists {
  readonly counts: PastState['counts'];
  readonly silenced: readonly SilencedRow[];
  readonly clients: readonly PastClientRow[];
}

interface AskedLists {
  readonly asked: AskedNamespaces;
  readonly atMs: number;
  /** Told of each event. */
  readonly found: (row: EventRow) => void;
  readonly hasClients: boolean | undefined;
}

async function readLists(store: Store, base: PastBase, { asked, atMs, found, hasClients }: AskedLists): Promise<Lists> {
  const counts = { events: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, clients: 0, silences: 0 };
  const lists = { counts, silenced: [] as SilencedRow[], clients: [] as PastClientRow[] };
  for (const namespace of asked.namespaces) {
    const { silences, clients } = await readNamespace(store, base, namespace.name, atMs);
    const index = new SilencedRegistry();
    for (const entry of silences) index.put(entry);
    lists.silenced.push(...silences.map((entry) => asked.placed(silencedRow(entry), namespace.name)));
    counts.silences += silences.length;
    for await (const part of clients) {
      counts.clients += part.length;
      for (const client of part) {
        if (hasClients) lists.clients.push(asked.placed(clientAt(namespace, client, atMs), namespace.name));
        for (const row of rowsOf(client, namespace, index, atMs)) {
          count(counts, row);
          found(asked.placed(row, namespace.name));
        }
      }
    }
  }
  return lists;
}

function rowsOf(
  { name, events }: PastClient,
  namespace: Namespace,
  silences: SilencedRegistry,
  atMs: number,
): EventRow[] {
  if (events.size === 0) return [];
  const subscriptions = silences.size === 0 ? [] : subscriptionsIn(namespace, name);
  const { selectors } = silences;
  const selectedFor = (check: string): readonly SilencedEntry[] =>
    selectors.isEmpty ? [] : selectors.matchingOnce(subjectIn(namespace, name, check));
  return Array.from(events, ([check, event]) =>
    pastEventRow(
      event,
      { client: name, check },
      silences.size === 0 ? [] : silencedBy(silences, subscriptions, check, atMs, selectedFor(check)),
    ),
  );
}

function count(counts: Record<keyof PastState['counts'], number>, { status, silenced_by: ids }: EventRow): void {
  const severity = severityOf(status);
  counts.events++;
  if (severity !== 'ok') counts[severity]++;
  if (ids.length > 0) counts.silenced++;
}

function clientAt({ clients }: Namespace, { name, events }: PastClient, atMs: number): PastClientRow {
  const today = clients.get(name);
  if (today === undefined) {
    return { name, address: '', subscriptions: [], timestamp: 0, version: '', events: events.size, gone: true };
  }
  const row = clientRow(today);
  // It was seen since; when it had been by then, nobody knows.
  return { ...row, timestamp: Math.min(row.timestamp, Math.floor(atMs / 1000)), events: events.size };
}
