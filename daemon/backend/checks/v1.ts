import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { deletesCheck } from './delete-check.ts';
import { shownCheck, shownChecks } from './read.ts';
import { sendList } from '../http/list.ts';
import { v1Face } from '../http/face.ts';
import type { ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { needs, routes } from '../http/route.ts';

/** Check definitions, and what is known of a check (completion 1.6). */
export function checkRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { config } = parts;

  routes(app, '/checks', {
    GET: needs('read', (request, reply) =>
      sendList(request, reply, shownChecks(config.definitions.in(DEFAULT_NAMESPACE)), (some) => some),
    ),
  });

  routes(app, '/checks/:check', {
    GET: needs('read', (request) => {
      const name = pathName(request, 'check');
      const check = shownCheck(config.definitions.in(DEFAULT_NAMESPACE), name);
      if (check === undefined) throw new MonError('not_found', `no check ${name} is defined for subscriptions`);
      return check;
    }),

    DELETE: deletesCheck(v1Face('/checks/:check', parts), parts),
  });
}
