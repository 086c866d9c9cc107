import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { actorOf } from '../access/actor.ts';
import type { Face } from '../http/face.ts';
import { issued, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { routes } from '../http/route.ts';
import { readEvents } from './read.ts';

/** What one event is, on the wire of v1 or of ours. */
export function eventMemberRoutes(app: FastifyInstance, parts: ApiParts, { path, namespaceOf, needs }: Face): void {
  const { clock, events, store } = parts;
  routes(app, path, {
    GET: needs('read', async (request) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = namespaceOf(request).check(client, check);
      const [event] = entry === undefined ? [] : await readEvents(store, [entry], clock.now());
      if (event === undefined) throw new MonError('not_found', `there is no event of ${client}/${check}`);
      return event;
    }),

    DELETE: needs('resolve', async (request, reply) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      await events.resolve(namespaceOf(request).name, client, check, actorOf(request), 'event.delete');
      return reply.code(202).send(issued(parts));
    }),
  });
}
