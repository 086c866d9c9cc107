import type { FastifyInstance } from 'fastify';
import { MON_API } from '../../../shared/api/mon.ts';
import { isExpired } from '../../../shared/domain/expiry.ts';
import { SILENCED_SEARCH } from '../../../shared/domain/search-nouns.ts';
import { MonError } from '../../../shared/errors.ts';
import type { RecentProblems } from '../../../shared/schemas/silence-preview.ts';
import type { SilencedDetail, SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { recoveredSince } from '../events/recent-problems.ts';
import { monFace } from '../http/face.ts';
import { clearRoutes, makesSilence } from './changes.ts';
import { livingEntries, silencedDetail } from './read.ts';
import { readBody } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { askedNamespace, askedNamespaces, entriesOf, type Placed } from '../http/asked-namespace.ts';
import type { ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { queryOf } from '../http/query.ts';
import { bodyValidator, monRoutes } from '../http/mon-routes.ts';
import { searchFilter } from '../http/search.ts';

const validatePreview = bodyValidator(MON_API.silencePreview);

/** How far back a preview looks. */
const RECENT_MS = 24 * 3_600_000;

/** Silenced entries with what they kept back, found by a search (`?q=`); and the making and ending of them. */
export function silencedRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { clock, registry } = parts;

  monRoutes(app, {
    silenced: (request, reply) => {
      const nowMs = clock.now();
      const where = searchFilter(SILENCED_SEARCH, queryOf(request), (detail: SilencedDetail) => detail, nowMs);
      const asked = askedNamespaces(request, parts);
      const entries = entriesOf(asked, ({ silenced }) => livingEntries(silenced.all(), nowMs));
      const shown = ({ namespace, entry }: Placed<SilencedEntry>): SilencedDetail =>
        asked.placed(silencedDetail(namespace.silenced, entry, nowMs), namespace.name);
      return sendList(request, reply, entries, (some) => some.map(shown), { where });
    },
    silence: makesSilence(monFace('/silenced', parts), parts).handler,
  });
  clearRoutes(app, parts, monFace('/silenced/clear', parts));

  // What was not OK before the registry was read, and is now, nobody remembers.
  let known = { generation: registry.generation, sinceMs: clock.now() };
  monRoutes(app, {
    silencePreview: async (request): Promise<RecentProblems> => {
      const { entries } = readBody(request, validatePreview);
      const namespace = askedNamespace(request, parts);
      const nowMs = clock.now();
      if (known.generation !== registry.generation) known = { generation: registry.generation, sinceMs: nowMs };
      const since = Math.floor(Math.max(known.sinceMs, nowMs - RECENT_MS) / 1000);
      return { recovered: await recoveredSince(namespace, entries, since), since };
    },
    silencedEntry: (request): SilencedDetail => {
      const { silenced } = askedNamespace(request, parts);
      const id = pathName(request, 'id');
      const entry = silenced.get(id);
      if (entry === undefined || isExpired(entry, clock.now())) {
        throw new MonError('not_found', `there is no silenced entry ${id}`);
      }
      return silencedDetail(silenced, entry, clock.now());
    },
  });
}
