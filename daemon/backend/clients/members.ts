import { clientSchema, type SubmittedClient } from '../../../shared/schemas/client.ts';
import { inSubmittedOrder } from '../../../shared/schemas/submitted-order.ts';
import { actorOf } from '../access/actor.ts';
import { issuedBody } from '../http/accepted-response.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import type { NamespaceDependencies, NamespaceOf } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import { readHistories, resultsOfClient } from '../results/queries.ts';
import type { Clients } from './commands.ts';

const validateClient = schemaValidator(clientSchema);
const validateOrderedClient = (body: unknown): SubmittedClient =>
  inSubmittedOrder(validateClient(body), body as object);

/** The dependencies of the client routes in the v1 API and the mon API. */
export interface ClientDependencies extends NamespaceDependencies {
  readonly clients: Clients;
  readonly clock: Clock;
  readonly store: Store;
}

/** Returns the route handlers that save or delete a client and list its history, for the v1 API or the mon API. */
export function clientHandlers(
  deps: ClientDependencies,
  namespaceOf: NamespaceOf,
): MonHandlers<'saveClient' | 'deleteClient' | 'clientHistory'> {
  const { clients, store } = deps;
  return {
    saveClient: async (request) => {
      const { name } = namespaceOf(request, deps);
      const client = readBody(request, validateOrderedClient);
      await clients.put(name, client);
      return { name: client.name };
    },
    deleteClient: async (request, _reply, query) => {
      // Only `invalidate` with `invalidate_expire` bans the client; otherwise its next keepalive can create it again.
      const invalidation = { expireSeconds: query.invalidate === true ? query.invalidate_expire : undefined };
      const { name } = namespaceOf(request, deps);
      await clients.remove(name, pathName(request, 'client'), invalidation, actorOf(request));
      return issuedBody(deps);
    },
    clientHistory: (request, reply) => {
      const client = namespaceOf(request, deps).clients.get(pathName(request, 'client'));
      const checks = client === undefined ? [] : resultsOfClient(client);
      return sendList(request, reply, checks, (some) => readHistories(store, some), { isPaginated: false });
    },
  };
}
