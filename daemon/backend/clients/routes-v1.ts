import { MonError } from '../../../shared/errors.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { V1Handlers } from '../http/route.ts';
import { v1Namespace } from '../namespaces/request-namespaces.ts';
import { clientHandlers, type ClientDependencies } from './members.ts';
import { readClient, readClients, readClientTexts, shownClient } from '../model/clients/queries.ts';

/** Serves the client routes of the v1 API (completion 1.6). */
export function clientsOnV1(
  deps: ClientDependencies,
): V1Handlers<'clients' | 'saveClient' | 'client' | 'deleteClient' | 'clientHistory'> {
  const { store } = deps;
  return {
    clients: (request, reply) =>
      sendList(
        request,
        reply,
        v1Namespace(request, deps).sortedClients(),
        async (entries) => (await readClients(store, entries)).map(([, client]) => shownClient(client)),
        { readTexts: (entries) => readClientTexts(store, entries) },
      ),
    client: async (request) => {
      const name = pathName(request, 'client');
      const client = await readClient(store, v1Namespace(request, deps).clients.get(name));
      if (client === undefined) throw new MonError('not_found', `there is no client ${name}`);
      return shownClient(client);
    },
    ...clientHandlers(deps, v1Namespace),
  };
}
