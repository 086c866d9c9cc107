import type { FastifyInstance } from 'fastify';
import { matchedRoute } from '../http/request.ts';
import type { V1Handlers } from '../http/route.ts';
import type { Metrics } from './metrics.ts';

/** Serves `GET /metrics` for Prometheus. */
export function metricsOnV1({ metrics }: { readonly metrics: Metrics }): V1Handlers<'metrics'> {
  return {
    metrics: async (request, reply) =>
      reply.type(metrics.contentType).send(await metrics.read(request.principal.namespace)),
  };
}

/** Records the duration and status of every request in the metrics. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observe({
      method: request.method,
      route: matchedRoute(request).url ?? 'unknown',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    });
    done();
  });
}
