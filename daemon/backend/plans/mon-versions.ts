import type { FastifyInstance } from 'fastify';
import { versionsOf } from './versions.ts';
import type { ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';

export function versionRoutes(app: FastifyInstance, { versions }: ApiParts): void {
  routes(app, '/api/mon/v1/versions', { GET: needs('read', () => versionsOf(versions)) });
}
