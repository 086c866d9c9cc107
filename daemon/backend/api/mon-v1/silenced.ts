import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../../shared/errors.ts';
import type { SilencedDetail } from '../../../../shared/schemas/silenced.ts';
import { silencedDetails } from '../../read/silenced.ts';
import { sendList } from '../list.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { routes } from '../routes.ts';

/** Silenced entries with what they kept back; they are made and ended at `/silenced`. */
export function silencedRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { clock } = parts;
  const registry = (): ReturnType<typeof legacyNamespace>['silenced'] => legacyNamespace(parts).silenced;

  routes(app, '/api/mon/v1/silenced', {
    GET: (request, reply) =>
      sendList(request, reply, silencedDetails(registry(), registry().all(), clock.now()), (details) => details),
  });

  routes(app, '/api/mon/v1/silenced/:id', {
    GET: (request): SilencedDetail => {
      const id = pathName(request, 'id');
      const entry = registry().get(id);
      const [detail] = silencedDetails(registry(), entry === undefined ? [] : [entry], clock.now());
      if (detail === undefined) throw new MonError('not_found', `there is no silenced entry ${id}`);
      return detail;
    },
  });
}
