import type { FastifyInstance } from 'fastify';
import { overviewOf } from './overview.ts';
import type { ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';

export function overviewRoutes(app: FastifyInstance, { overview }: ApiParts): void {
  routes(app, '/api/mon/v1/overview', { GET: needs('read', () => overviewOf(overview)) });
}
