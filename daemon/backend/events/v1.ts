import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { readEvents, readEventTexts } from './read.ts';
import { eventsOf, type CheckEntry } from '../registry/entries.ts';
import { actorOf } from '../access/actor.ts';
import { sendList } from '../http/list.ts';
import { issued, v1Namespace, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { routes } from '../http/route.ts';
import { needsOfEvents } from '../http/v1-internal-failures.ts';

/** Events, also under their other name (completion 1.1, path alias). */
export function eventRoutes(app: FastifyInstance, parts: ApiParts): void {
  for (const path of ['/events', '/incidents']) eventRoutesAt(app, path, parts);
}

function eventRoutesAt(app: FastifyInstance, path: string, parts: ApiParts): void {
  const { clock, events, store } = parts;
  const sendEvents = (request: FastifyRequest, reply: FastifyReply, entries: readonly CheckEntry[]): unknown =>
    sendList(request, reply, entries, (some) => readEvents(store, some, clock.now()), {
      readTexts: (some) => readEventTexts(store, some, clock.now()),
    });

  routes(app, path, {
    GET: needsOfEvents('read', (request, reply) => sendEvents(request, reply, [...v1Namespace(parts).events()])),
  });

  routes(app, `${path}/:client`, {
    GET: needsOfEvents('read', (request, reply) => {
      const client = v1Namespace(parts).clients.get(pathName(request, 'client'));
      return sendEvents(request, reply, client === undefined ? [] : [...eventsOf(client)]);
    }),
  });

  routes(app, `${path}/:client/:check`, {
    GET: needsOfEvents('read', async (request) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = v1Namespace(parts).check(client, check);
      const [event] = entry === undefined ? [] : await readEvents(store, [entry], clock.now());
      if (event === undefined) throw new MonError('not_found', `there is no event of ${client}/${check}`);
      return event;
    }),

    DELETE: needsOfEvents('resolve', async (request, reply) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      await events.resolve(DEFAULT_NAMESPACE, client, check, actorOf(request), 'event.delete');
      return reply.code(202).send(issued(parts));
    }),
  });
}
