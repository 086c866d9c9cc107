import type { FastifyInstance } from 'fastify';
import { redact, redactKeysOf } from '../../../../shared/domain/redact.ts';
import { countField } from '../../../../shared/domain/search-fields.ts';
import { languageOf } from '../../../../shared/domain/search-language.ts';
import { CLIENT_SEARCH } from '../../../../shared/domain/search-nouns.ts';
import { MonError } from '../../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { ListedClient } from '../../../../shared/schemas/client.ts';
import { clientRow } from '../../feed/rows.ts';
import { readChecksOf } from '../../read/check-summaries.ts';
import { sendList } from '../list.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { queryOf } from '../query.ts';
import { needs, routes } from '../routes.ts';
import { searchFilter } from '../search.ts';

/** What `GET /api/mon/v1/clients` can be searched for. */
const FOUND_CLIENT = languageOf(CLIENT_SEARCH, (client: ListedClient) => client, [
  countField('events', ({ events }) => events),
]);

/** Clients as the feed tells of them, found by a search (`?q=`), and each with everything that is known of its checks. */
export function clientRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { clock, schedule, store } = parts;
  routes(app, '/api/mon/v1/clients', {
    GET: needs('read', (request, reply) => {
      const where = searchFilter(FOUND_CLIENT, queryOf(request), (client: ListedClient) => client, clock.now());
      const entries = legacyNamespace(parts).sortedClients();
      return sendList(
        request,
        reply,
        entries,
        (some) => some.map((entry): ListedClient => ({ ...clientRow(entry), events: entry.openEvents })),
        { where },
      );
    }),
  });
  routes(app, '/api/mon/v1/clients/:client', {
    GET: needs('read', async (request) => {
      const name = pathName(request, 'client');
      const client = legacyNamespace(parts).clients.get(name);
      if (client === undefined) throw new MonError('not_found', `there is no client ${name}`);
      const checks = await readChecksOf(
        store,
        client,
        (check) => schedule.nextRunMs(DEFAULT_NAMESPACE, check),
        clock.now(),
      );
      return { client: redact(client.record, redactKeysOf(client.record)), checks };
    }),
  });
}
