import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SELECT_CLIENTS_MESSAGE } from '../../../shared/api/mon.ts';
import { countField, timeField } from '../../../shared/domain/search-fields.ts';
import { languageForItems } from '../../../shared/domain/search-language.ts';
import { CLIENT_SEARCH } from '../../../shared/domain/list-searches.ts';
import { MonError } from '../../../shared/errors.ts';
import type { DeletedClients } from '../../../shared/schemas/client.ts';
import { clientRow } from '../model/clients/feed-rows.ts';
import { readClient, readClients, shownClient } from '../model/clients/queries.ts';
import type { ClientEntry } from '../model/registry/namespace.ts';
import { readChecksOf } from '../checks/summaries.ts';
import { actorOf } from '../access/actor.ts';
import type { Filter } from '../http/filter.ts';
import { sendList } from '../http/list.ts';
import { requestedNamespace, requestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { CheckSchedule } from '../schedule/publish-check-requests.ts';
import { clientHandlers, type ClientDependencies } from './members.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';
import type { ListedClient } from '../../../shared/schemas/listed-client.ts';

/** The search language of `GET /api/mon/v1/clients`. */
const LISTED_CLIENT_SEARCH = languageForItems(CLIENT_SEARCH, (client: ListedClient) => client, [
  countField('events', ({ events }) => events),
  timeField('result', 'since its newest result', ({ last_result: last }) => last),
]);

/**
 * Maximum number of clients that one request deletes, so that other requests are served in between. The caller repeats
 * the request while the response contains `more: true`.
 */
const DELETE_MAX = 10_000;

/** Number of clients tested against a search before yielding to the event loop. */
const CHUNK_CLIENTS = 2000;

/** Serves lists of clients, selected by a search (`?q=`), and single clients with the full state of their checks. */
export function clientsOnMon(
  deps: ClientDependencies & { readonly schedule: Pick<CheckSchedule, 'nextRunMs'> },
): MonHandlers<'clients' | 'deleteClients' | 'client' | 'saveClient' | 'deleteClient' | 'clientHistory'> {
  const { clients, clock, schedule, store } = deps;
  return {
    clients: (request, reply, query) => {
      const where = searchFilter(LISTED_CLIENT_SEARCH, query, (client: ListedClient) => client, clock.now());
      const { namespaces, withNamespaceName: placed } = requestedNamespaces(request, deps);
      const entries = namespaces.flatMap((namespace) => namespace.sortedClients());
      const shown = (entry: ClientEntry): ListedClient => placed(toListedClient(entry), entry.namespace.name);
      if (query.full === true) {
        return sendList(request, reply, matchingClients(entries, where), async (some) =>
          (await readClients(store, some)).map(([entry, client]) => placed(shownClient(client), entry.namespace.name)),
        );
      }
      return sendList(request, reply, entries, (some) => some.map(shown), { where });
    },
    deleteClients: async (request, _reply, query): Promise<DeletedClients> => {
      const namespace = requestedNamespace(request, deps);
      const where = searchFilter(LISTED_CLIENT_SEARCH, query, toListedClient, clock.now());
      if (where === undefined) throw new MonError('invalid', `q: ${SELECT_CLIENTS_MESSAGE}`);
      const names = await firstMatchingNames(namespace.sortedClients(), where);
      const batch = names.slice(0, DELETE_MAX);
      const deleted = await clients.removeMany(namespace.name, batch, where, actorOf(request));
      return { deleted, more: names.length > batch.length };
    },
    client: async (request) => {
      const namespace = requestedNamespace(request, deps);
      const name = pathName(request, 'client');
      const entry = namespace.clients.get(name);
      const client = await readClient(store, entry);
      if (entry === undefined || client === undefined) throw new MonError('not_found', `there is no client ${name}`);
      const checks = await readChecksOf(
        store,
        entry,
        (check) => schedule.nextRunMs(namespace.name, check),
        clock.now(),
      );
      return { client: shownClient(client), checks };
    },
    ...clientHandlers(deps, requestedNamespace),
  };
}

/** Returns the clients whose list row matches a search; all of them if `where` is undefined. */
function matchingClients(
  entries: readonly ClientEntry[],
  where: Filter<ListedClient> | undefined,
): readonly ClientEntry[] {
  return where === undefined ? entries : entries.filter((entry) => where(toListedClient(entry)));
}

function toListedClient(entry: ClientEntry): ListedClient {
  return { ...clientRow(entry), events: entry.openEvents, last_result: entry.lastResult };
}

/**
 * Returns the names of matching clients, in the order of `entries`. It stops at the first chunk of clients with which
 * the list exceeds `DELETE_MAX` names.
 */
async function firstMatchingNames(entries: readonly ClientEntry[], where: Filter<ClientEntry>): Promise<string[]> {
  const names: string[] = [];
  for (let start = 0; start < entries.length && names.length <= DELETE_MAX; start += CHUNK_CLIENTS) {
    if (start > 0) await yieldToEventLoop();
    for (const entry of entries.slice(start, start + CHUNK_CLIENTS)) if (where(entry)) names.push(entry.name);
  }
  return names;
}
