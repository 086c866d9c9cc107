import type { FastifyRequest } from 'fastify';
import { redact, settingsRedactKeys } from '../../../shared/domain/redact.ts';
import { hasScope } from '../access/principal.ts';
import { actorOf } from '../access/actor.ts';
import type { Audit } from '../model/audit/mutations.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { V1Handlers } from '../http/route.ts';

/**
 * Serves `GET /settings` with redacted secrets. With `?redacted=false` an administrator gets the secrets, and an audit
 * record is written. For all other users the parameter has no effect; in Sensu it exposed secrets (1.20).
 */
export function settingsOnV1({
  audit,
  config,
}: {
  readonly audit: Audit;
  readonly config: ConfigInForce;
}): V1Handlers<'settings'> {
  return {
    settings: async (request, _reply, { redacted }) => {
      const { settings } = config;
      if (redacted !== 'false' || !isAdministrator(request)) return redact(settings, settingsRedactKeys(settings));
      await audit.record(actorOf(request), { action: 'settings.read', target: 'settings' });
      return settings;
    },
  };
}

function isAdministrator({ principal }: FastifyRequest): boolean {
  return principal.namespace === undefined && hasScope(principal, 'admin');
}
