import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * One path with everything that can be done there. HEAD comes with GET; any other method is answered with 405 and the
 * list of those that are possible.
 */
export function routes(
  app: FastifyInstance,
  url: string,
  handlers: Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>>,
  options: { readonly bodyLimit?: number } = {},
): void {
  const allowed: string[] = [];
  for (const [method, handler] of Object.entries(handlers)) {
    app.route({ method, url, handler, ...options });
    allowed.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
  }
  const allow = allowed.join(', ');
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    handler: (request, reply) =>
      reply
        .code(405)
        .header('Allow', allow)
        .send({ error: `${request.method} is not possible here: use ${allow}` }),
  });
}
