import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { validateSubmitted } from '../../pipeline/validate-result.ts';
import { readResults, resultsOf, resultsOfClient } from '../../read/results.ts';
import { actorOf } from '../actor.ts';
import { readBody } from '../json-body.ts';
import { sendList } from '../list.ts';
import { issued, legacyNamespace, type ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { needs, routes } from '../routes.ts';

/** The last result of every client and check (completion 1.6). */
export function resultRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { results, store } = parts;

  routes(app, '/results', {
    GET: needs('read', (request, reply) =>
      sendList(request, reply, resultsOf(legacyNamespace(parts)), (entries) => readResults(store, entries)),
    ),

    POST: needs('submit', async (request, reply) => {
      const refused = await results.submit(
        DEFAULT_NAMESPACE,
        [readBody(request, validateSubmitted)],
        request.admission,
      );
      const refusal = refused.get(0);
      if (refusal !== undefined) throw refusal;
      return reply.code(202).send(issued(parts));
    }),
  });

  routes(app, '/results/:client', {
    GET: needs('read', (request, reply) => {
      const client = legacyNamespace(parts).clients.get(pathName(request, 'client'));
      const entries = client === undefined ? [] : resultsOfClient(client);
      return sendList(request, reply, entries, (some) => readResults(store, some));
    }),
  });

  routes(app, '/results/:client/:check', {
    GET: needs('read', async (request) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = legacyNamespace(parts).check(client, check);
      const [result] = entry === undefined ? [] : await readResults(store, [entry]);
      if (result === undefined) throw new MonError('not_found', `there is no result of ${client}/${check}`);
      return result;
    }),

    DELETE: needs('resolve', async (request, reply) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      await results.remove(DEFAULT_NAMESPACE, client, check, actorOf(request));
      return reply.code(204).send();
    }),
  });
}
