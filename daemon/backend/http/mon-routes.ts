import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { takesNamespace, type Endpoint } from '../../../shared/api/endpoint.ts';
import { MON_API, type MonEndpoint } from '../../../shared/api/mon.ts';
import { validator } from './json-body.ts';
import { BODY_BYTES_MAX } from './limits.ts';
import { needs, routes } from './route.ts';

/** Does what an endpoint says; the status of its success is set before. */
type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * Endpoints of the table, each by its name with what is done there: where it is, who may come, how large a body is taken and
 * the status of a success are from the table. All methods of one path belong into the same call.
 */
export function monRoutes(app: FastifyInstance, handlers: Readonly<Partial<Record<MonEndpoint, Handler>>>): void {
  const served = (Object.entries(handlers) as [MonEndpoint, Handler][]).map(([name, handler]) => ({
    endpoint: MON_API[name] as Endpoint,
    handler,
  }));
  for (const [path, all] of Map.groupBy(served, ({ endpoint }) => endpoint.path)) {
    const guarded = all.map(({ endpoint, handler }) => [endpoint.method, guardedHandler(endpoint, handler)] as const);
    const bodyLimit = Math.max(...all.map(({ endpoint }) => endpoint.bodyBytesMax ?? BODY_BYTES_MAX));
    routes(app, path, Object.fromEntries(guarded), { bodyLimit });
  }
}

/**
 * Reads its body as the table has it; what it returns throws MonError `invalid` naming each place that is wrong.
 */
export function bodyValidator<Body>({ body, path }: Endpoint<Body>): (value: unknown) => Body {
  if (body === undefined) throw new Error(`${path} takes no body`);
  return validator(body);
}

function guardedHandler(endpoint: Endpoint, handler: Handler): ReturnType<typeof needs> {
  const { scope, status, isOfAllNamespaces = false, isForAnonymous = false } = endpoint;
  const answers: Handler = status === 200 ? handler : (request, reply) => handler(request, reply.code(status));
  return { ...needs(scope, answers), isOfAllNamespaces, isForAnonymous, takesNamespace: takesNamespace(endpoint) };
}
