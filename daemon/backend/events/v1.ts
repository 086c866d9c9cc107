import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { eventMemberRoutes } from './members.ts';
import { readEvents, readEventTexts } from './read.ts';
import { eventsOf, type CheckEntry } from '../registry/entries.ts';
import { sendList } from '../http/list.ts';
import { v1Face } from '../http/face.ts';
import { v1Namespace, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { routes } from '../http/route.ts';
import { needsOfEvents } from '../http/v1-internal-failures.ts';

/** Events, also under their other name (completion 1.1, path alias). */
export function eventRoutes(app: FastifyInstance, parts: ApiParts): void {
  for (const path of ['/events', '/incidents']) eventRoutesAt(app, path, parts);
}

function eventRoutesAt(app: FastifyInstance, path: string, parts: ApiParts): void {
  const { clock, store } = parts;
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

  eventMemberRoutes(app, parts, { ...v1Face(`${path}/:client/:check`, parts), needs: needsOfEvents });
}
