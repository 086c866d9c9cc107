import type { FastifyInstance } from 'fastify';
import { redact, redactKeysOf } from '../../../../shared/domain/redact.ts';
import { MonError } from '../../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { readChecksOf } from '../../read/check-summaries.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { needs, routes } from '../routes.ts';

/** A client with everything that is known of its checks, in one answer. */
export function clientRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { clock, schedule, store } = parts;
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
