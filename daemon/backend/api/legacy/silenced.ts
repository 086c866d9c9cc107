import type { FastifyInstance } from 'fastify';
import { isExpired } from '../../../../shared/domain/expiry.ts';
import { silencedView } from '../../../../shared/domain/silencing.ts';
import { MonError } from '../../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { clearSilencedSchema, silencedSchema } from '../../../../shared/schemas/silenced.ts';
import { silencedViews } from '../../read/silenced.ts';
import { actorOf } from '../actor.ts';
import { readBody, validator } from '../json-body.ts';
import { sendList } from '../list.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { queryOf } from '../query.ts';
import { routes } from '../routes.ts';
import { refuseLegacyAgainstPolicy } from '../silence-policy.ts';

const validateEntry = validator(silencedSchema);
const validateClear = validator(clearSilencedSchema);

/** The silenced registry (completion 1.2). */
export function silencedRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clock, silenced } = parts;
  const registry = (): ReturnType<typeof legacyNamespace>['silenced'] => legacyNamespace(parts).silenced;

  routes(app, '/silenced', {
    GET: (request, reply) => sendList(request, reply, silencedViews(registry().all(), clock.now()), (views) => views),

    POST: async (request, reply) => {
      const entry = readBody(request, validateEntry);
      refuseLegacyAgainstPolicy(parts, entry);
      await silenced.create(DEFAULT_NAMESPACE, entry, actorOf(request, parts, entry.creator));
      return reply.code(201).send();
    },
  });

  routes(app, '/silenced/clear', {
    POST: async (request, reply) => {
      await silenced.clear(DEFAULT_NAMESPACE, readBody(request, validateClear), actorOf(request, parts));
      return reply.code(204).send();
    },
  });

  routes(app, '/silenced/ids/:id', {
    GET: (request) => {
      const id = pathName(request, 'id');
      const entry = registry().get(id);
      if (entry === undefined || isExpired(entry, clock.now())) {
        throw new MonError('not_found', `there is no silenced entry ${id}`);
      }
      return silencedView(entry, clock.now());
    },

    DELETE: async (request, reply) => {
      await silenced.clear(DEFAULT_NAMESPACE, { id: pathName(request, 'id') }, actorOf(request, parts));
      return reply.code(204).send();
    },
  });

  routes(app, '/silenced/subscriptions/:subscription', {
    GET: (request, reply) => {
      const isPrefix = queryOf(request).get('prefix') === 'true';
      const entries = registry().namingSubscription(pathName(request, 'subscription'), isPrefix);
      return sendList(request, reply, silencedViews(entries, clock.now()), (views) => views);
    },
  });

  routes(app, '/silenced/checks/:check', {
    GET: (request, reply) => {
      const entries = registry().namingCheck(pathName(request, 'check'));
      return sendList(request, reply, silencedViews(entries, clock.now()), (views) => views);
    },
  });
}
