import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { readClient, readClients, readClientTexts, shownClient } from './read.ts';
import { sendList } from '../http/list.ts';
import { v1Face } from '../http/face.ts';
import { deletesClient, historyRoutes, savesClient } from './members.ts';
import { v1Namespace, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { needs, routes } from '../http/route.ts';

/** The client registry (completion 1.6). */
export function clientRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { store } = parts;

  routes(app, '/clients', {
    GET: needs('read', (request, reply) =>
      sendList(
        request,
        reply,
        v1Namespace(parts).sortedClients(),
        async (entries) => (await readClients(store, entries)).map(([, client]) => shownClient(client)),
        { readTexts: (entries) => readClientTexts(store, entries) },
      ),
    ),

    POST: savesClient(v1Face('/clients', parts), parts),
  });

  routes(app, '/clients/:client', {
    GET: needs('read', async (request) => {
      const name = pathName(request, 'client');
      const client = await readClient(store, v1Namespace(parts).clients.get(name));
      if (client === undefined) throw new MonError('not_found', `there is no client ${name}`);
      return shownClient(client);
    }),

    DELETE: deletesClient(v1Face('/clients/:client', parts), parts),
  });

  historyRoutes(app, parts, v1Face('/clients/:client/history', parts));
}
