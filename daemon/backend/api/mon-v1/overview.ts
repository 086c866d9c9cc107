import type { FastifyInstance } from 'fastify';
import { overviewOf } from '../../read/overview.ts';
import type { ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';

export function overviewRoutes(app: FastifyInstance, { overview }: ApiParts): void {
  routes(app, '/api/mon/v1/overview', { GET: needs('read', () => overviewOf(overview)) });
}
