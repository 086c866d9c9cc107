import type { FastifyInstance } from 'fastify';
import { overviewOf } from './overview.ts';
import type { ApiParts } from '../http/parts.ts';
import { monRoutes } from '../http/mon-routes.ts';

export function overviewRoutes(app: FastifyInstance, { overview }: ApiParts): void {
  monRoutes(app, {
    overview: () => overviewOf(overview),
  });
}
