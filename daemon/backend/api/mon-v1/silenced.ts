import type { FastifyInstance } from 'fastify';
import { isExpired } from '../../../../shared/domain/expiry.ts';
import { MonError } from '../../../../shared/errors.ts';
import type { SilencedDetail } from '../../../../shared/schemas/silenced.ts';
import { silencedDetail, silencedDetails } from '../../read/silenced.ts';
import { sendList } from '../list.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { needs, routes } from '../routes.ts';

/** Silenced entries with what they kept back; they are made and ended at `/silenced`. */
export function silencedRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { clock } = parts;
  const registry = (): ReturnType<typeof legacyNamespace>['silenced'] => legacyNamespace(parts).silenced;

  routes(app, '/api/mon/v1/silenced', {
    GET: needs('read', (request, reply) =>
      sendList(request, reply, silencedDetails(registry(), clock.now()), (details) => details),
    ),
  });

  routes(app, '/api/mon/v1/silenced/:id', {
    GET: needs('read', (request): SilencedDetail => {
      const id = pathName(request, 'id');
      const entry = registry().get(id);
      if (entry === undefined || isExpired(entry, clock.now())) {
        throw new MonError('not_found', `there is no silenced entry ${id}`);
      }
      return silencedDetail(registry(), entry, clock.now());
    }),
  });
}
