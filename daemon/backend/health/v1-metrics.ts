import type { FastifyInstance } from 'fastify';
import type { ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';

/** `GET /metrics`, for Prometheus, and the measuring of every request for it. */
export function metricRoutes(app: FastifyInstance, { metrics }: ApiParts): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observe({
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    });
    done();
  });
  routes(app, '/metrics', {
    GET: needs('read', async (request, reply) =>
      reply.type(metrics.contentType).send(await metrics.read(request.principal.namespace)),
    ),
  });
}
