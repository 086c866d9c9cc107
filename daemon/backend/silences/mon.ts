import type { FastifyInstance } from 'fastify';
import { isExpired } from '../../../shared/domain/expiry.ts';
import { SILENCED_SEARCH } from '../../../shared/domain/search-nouns.ts';
import { MonError } from '../../../shared/errors.ts';
import { silencePreviewSchema, type RecentProblems } from '../../../shared/schemas/silence-preview.ts';
import type { SilencedDetail, SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { recoveredSince } from '../events/recent-problems.ts';
import { livingEntries, silencedDetail } from './read.ts';
import { readBody, validator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { v1Namespace, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { queryOf } from '../http/query.ts';
import { needs, routes } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';

const validatePreview = validator(silencePreviewSchema);

/** How far back a preview looks. */
const RECENT_MS = 24 * 3_600_000;

/** Silenced entries with what they kept back, found by a search (`?q=`); they are made and ended at `/silenced`. */
export function silencedRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { clock } = parts;
  const registry = (): ReturnType<typeof v1Namespace>['silenced'] => v1Namespace(parts).silenced;

  routes(app, '/api/mon/v1/silenced', {
    GET: needs('read', (request, reply) => {
      const nowMs = clock.now();
      const where = searchFilter(SILENCED_SEARCH, queryOf(request), (detail: SilencedDetail) => detail, nowMs);
      const details = (entries: readonly SilencedEntry[]): SilencedDetail[] =>
        entries.map((entry) => silencedDetail(registry(), entry, nowMs));
      return sendList(request, reply, livingEntries(registry().all(), nowMs), details, { where });
    }),
  });

  // What was not OK before the registry was read, and is now, nobody remembers.
  const known = new WeakMap([[v1Namespace(parts), clock.now()]]);
  routes(app, '/api/mon/v1/silenced/preview', {
    POST: needs('read', async (request): Promise<RecentProblems> => {
      const { entries } = readBody(request, validatePreview);
      const namespace = v1Namespace(parts);
      const nowMs = clock.now();
      const knownMs = known.get(namespace) ?? nowMs;
      known.set(namespace, knownMs);
      const since = Math.floor(Math.max(knownMs, nowMs - RECENT_MS) / 1000);
      return { recovered: await recoveredSince(namespace, entries, since), since };
    }),
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
