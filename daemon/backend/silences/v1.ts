import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isExpired } from '../../../shared/domain/expiry.ts';
import { silencedView } from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { livingEntries } from './read.ts';
import { actorOf } from '../access/actor.ts';
import { sendList } from '../http/list.ts';
import { v1Namespace, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { queryOf } from '../http/query.ts';
import { needs, routes } from '../http/route.ts';
import { v1Face } from '../http/face.ts';
import { clearRoutes, makesSilence } from './changes.ts';

/** The silenced registry (completion 1.2). */
export function silencedRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clock, silenced } = parts;
  const registry = (): ReturnType<typeof v1Namespace>['silenced'] => v1Namespace(parts).silenced;

  function sendEntries(request: FastifyRequest, reply: FastifyReply, entries: Iterable<SilencedEntry>): unknown {
    const nowMs = clock.now();
    return sendList(request, reply, livingEntries(entries, nowMs), (some) =>
      some.map((entry) => silencedView(entry, nowMs)),
    );
  }

  routes(app, '/silenced', {
    GET: needs('read', (request, reply) => sendEntries(request, reply, registry().all())),

    POST: makesSilence(v1Face('/silenced', parts), parts),
  });

  clearRoutes(app, parts, v1Face('/silenced/clear', parts));

  routes(app, '/silenced/ids/:id', {
    GET: needs('read', (request) => {
      const id = pathName(request, 'id');
      const entry = registry().get(id);
      if (entry === undefined || isExpired(entry, clock.now())) {
        throw new MonError('not_found', `there is no silenced entry ${id}`);
      }
      return silencedView(entry, clock.now());
    }),

    DELETE: needs('silence', async (request, reply) => {
      await silenced.clear(DEFAULT_NAMESPACE, { id: pathName(request, 'id') }, actorOf(request));
      return reply.code(204).send();
    }),
  });

  routes(app, '/silenced/subscriptions/:subscription', {
    GET: needs('read', (request, reply) => {
      const isPrefix = queryOf(request).get('prefix') === 'true';
      const entries = registry().namingSubscription(pathName(request, 'subscription'), isPrefix);
      return sendEntries(request, reply, entries);
    }),
  });

  routes(app, '/silenced/checks/:check', {
    GET: needs('read', (request, reply) => {
      const entries = registry().namingCheck(pathName(request, 'check'));
      return sendEntries(request, reply, entries);
    }),
  });
}
