import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { actorOf } from '../access/actor.ts';
import type { Face } from '../http/face.ts';
import type { ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { routes } from '../http/route.ts';
import { readResults } from './read.ts';

/** What one result is, on the wire of v1 or of ours. */
export function resultMemberRoutes(app: FastifyInstance, parts: ApiParts, { path, namespaceOf, needs }: Face): void {
  const { results, store } = parts;
  routes(app, path, {
    GET: needs('read', async (request) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = namespaceOf(request).check(client, check);
      const [result] = entry === undefined ? [] : await readResults(store, [entry]);
      if (result === undefined) throw new MonError('not_found', `there is no result of ${client}/${check}`);
      return result;
    }),

    DELETE: needs('resolve', async (request, reply) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      await results.remove(namespaceOf(request).name, client, check, actorOf(request));
      return reply.code(204).send();
    }),
  });
}
