import type { FastifyInstance, FastifyRequest } from 'fastify';
import { redact, settingsRedactKeys } from '../../../../shared/domain/redact.ts';
import { hasScope } from '../access.ts';
import { actorOf } from '../actor.ts';
import type { ApiParts } from '../parts.ts';
import { queryOf } from '../query.ts';
import { needs, routes } from '../routes.ts';

/**
 * `GET /settings`, redacted. With `?redacted=false` an administrator gets them whole, and that is written down; to everybody else the peer's parameter makes no difference, which gave secrets away there (1.20).
 */
export function settingsRoutes(app: FastifyInstance, { audit, config }: ApiParts): void {
  routes(app, '/settings', {
    GET: needs('read', async (request) => {
      const { settings } = config;
      if (!mayReadSecrets(request)) return redact(settings, settingsRedactKeys(settings));
      await audit.record(actorOf(request), { action: 'settings.read', target: 'settings' });
      return settings;
    }),
  });
}

function mayReadSecrets(request: FastifyRequest): boolean {
  const { principal } = request;
  const isAdministrator = principal.namespace === undefined && hasScope(principal, 'admin');
  return isAdministrator && queryOf(request).get('redacted') === 'false';
}
