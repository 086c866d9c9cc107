import type { FastifyInstance } from 'fastify';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { validateSubmitted } from './validate-result.ts';
import { resultMemberRoutes } from './members.ts';
import { readResults, resultsOf, resultsOfClient } from './read.ts';
import { readBody } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { v1Face } from '../http/face.ts';
import { issued, v1Namespace, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { needs, routes } from '../http/route.ts';

/** The last result of every client and check (completion 1.6). */
export function resultRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { results, store } = parts;

  routes(app, '/results', {
    GET: needs('read', (request, reply) =>
      sendList(request, reply, resultsOf(v1Namespace(parts)), (entries) => readResults(store, entries)),
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
      const client = v1Namespace(parts).clients.get(pathName(request, 'client'));
      const entries = client === undefined ? [] : resultsOfClient(client);
      return sendList(request, reply, entries, (some) => readResults(store, some));
    }),
  });

  resultMemberRoutes(app, parts, v1Face('/results/:client/:check', parts));
}
