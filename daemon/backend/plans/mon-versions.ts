import type { FastifyInstance } from 'fastify';
import { versionsOf } from './versions.ts';
import type { ApiParts } from '../http/parts.ts';
import { monRoutes } from '../http/mon-routes.ts';

export function versionRoutes(app: FastifyInstance, { versions }: ApiParts): void {
  monRoutes(app, {
    versions: () => versionsOf(versions),
  });
}
