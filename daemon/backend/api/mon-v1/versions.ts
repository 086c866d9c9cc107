import type { FastifyInstance } from 'fastify';
import { versionsOf } from '../../read/versions.ts';
import type { ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';

export function versionRoutes(app: FastifyInstance, { versions }: ApiParts): void {
  routes(app, '/api/mon/v1/versions', { GET: needs('read', () => versionsOf(versions)) });
}
