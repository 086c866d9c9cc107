import type { FastifyInstance } from 'fastify';
import { isExpired } from '../../../../shared/domain/expiry.ts';
import { SILENCED_SEARCH } from '../../../../shared/domain/search-nouns.ts';
import { MonError } from '../../../../shared/errors.ts';
import type { SilencedDetail } from '../../../../shared/schemas/silenced.ts';
import { silencedDetail, silencedDetails } from '../../read/silenced.ts';
import { sendList } from '../list.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { queryOf } from '../query.ts';
import { routes } from '../routes.ts';
import { searchFilter } from '../search.ts';

/** Silenced entries with what they kept back, found by a search (`?q=`); they are made and ended at `/silenced`. */
export function silencedRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { clock } = parts;
  const registry = (): ReturnType<typeof legacyNamespace>['silenced'] => legacyNamespace(parts).silenced;

  routes(app, '/api/mon/v1/silenced', {
    GET: (request, reply) => {
      const nowMs = clock.now();
      const where = searchFilter(SILENCED_SEARCH, queryOf(request), (detail: SilencedDetail) => detail, nowMs);
      return sendList(request, reply, silencedDetails(registry(), nowMs), (details) => details, { where });
    },
  });

  routes(app, '/api/mon/v1/silenced/:id', {
    GET: (request): SilencedDetail => {
      const id = pathName(request, 'id');
      const entry = registry().get(id);
      if (entry === undefined || isExpired(entry, clock.now())) {
        throw new MonError('not_found', `there is no silenced entry ${id}`);
      }
      return silencedDetail(registry(), entry, clock.now());
    },
  });
}
