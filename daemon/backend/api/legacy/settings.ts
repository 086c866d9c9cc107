import type { FastifyInstance } from 'fastify';
import { redact, settingsRedactKeys } from '../../../../shared/domain/redact.ts';
import type { ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';

/** `GET /settings`: always redacted, whatever is asked for; `?redacted=false` of the peer gave secrets away (1.20). */
export function settingsRoutes(app: FastifyInstance, { config }: ApiParts): void {
  routes(app, '/settings', { GET: needs('read', () => redact(config.settings, settingsRedactKeys(config.settings))) });
}
