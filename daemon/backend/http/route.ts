import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import {
  isForWriter,
  takesNamespace,
  type Access,
  type Endpoint,
  type ParsedQuery,
} from '../../../shared/api/endpoint.ts';
import type { MON_API } from '../../../shared/api/mon.ts';
import type { V1_API } from '../../../shared/api/v1.ts';
import { V2_PREFIX, type V2_API } from '../../../shared/api/v2.ts';
import { MonError } from '../../../shared/errors.ts';
import { ANONYMOUS_PRINCIPAL, isAllowed } from '../access/principal.ts';
import type { PathMatch } from './route-paths.ts';
import { BODY_BYTES_MAX } from './limits.ts';
import { refuseOtherPath } from './path-name.ts';
import { queryReader } from './query.ts';
import './request.ts';

/** Handles a request to an endpoint. The status for success is already set in the reply. */
export type Handler<Query = unknown> = (request: FastifyRequest, reply: FastifyReply, query: Query) => unknown;

type EndpointTable = Readonly<Record<string, Endpoint>>;

/** The handlers of all endpoints in a table such as `MON_API`, by the name of the endpoint. */
export type Handlers<Of> = { readonly [Name in keyof Of]: Handler<ParsedQuery<Of[Name]>> };

/** Handlers for some endpoints of the v1 API. */
export type V1Handlers<Name extends keyof typeof V1_API> = Pick<Handlers<typeof V1_API>, Name>;

/** Handlers for some endpoints of the mon API. */
export type MonHandlers<Name extends keyof typeof MON_API> = Pick<Handlers<typeof MON_API>, Name>;

/** Handlers for the endpoints of one group in the table of the v2 API, such as `users`. */
export type V2Handlers<Noun extends keyof typeof V2_API> = Handlers<(typeof V2_API)[Noun]>;

/**
 * Registers the endpoints of a table, which defines paths, access, body limits and the status for success. An endpoint
 * for GET also serves HEAD. A request with a method that its path does not support gets 405 and the supported methods.
 */
export function serveEndpoints<Of extends EndpointTable>(
  app: FastifyInstance,
  table: Of,
  handlers: Handlers<Of>,
): void {
  for (const [url, endpoints] of Map.groupBy(Object.entries(table), ([, { path }]) => path)) {
    for (const [name, endpoint] of endpoints) {
      const { method, bodyBytesMax: bodyLimit = BODY_BYTES_MAX } = endpoint;
      app.route({
        method,
        url,
        bodyLimit,
        config: configOf(endpoint),
        handler: handlerOf(endpoint, handlers[name] as Handler<never>),
      });
    }
    const allowed = endpoints.flatMap(([, { method }]) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    app.routePaths.add(url, allowed);
  }
}

function configOf(endpoint: Endpoint): FastifyContextConfig {
  const { scope: access, role, isOfAllNamespaces = false, isForAnonymous = false, isOfItself = false } = endpoint;
  return {
    access,
    role,
    isOfAllNamespaces,
    isForAnonymous,
    takesNamespace: takesNamespace(endpoint),
    isForWriter: isForWriter(endpoint),
    isOfItself,
    hasRawBody: endpoint.hasRawBody === true,
  };
}

function handlerOf({ status, query = {} }: Endpoint, handler: Handler<never>): RouteHandlerMethod {
  const read = queryReader(query);
  return (request, reply) => handler(request, status === 200 ? reply : reply.code(status), read(request) as never);
}

/** Responds to a request with a method that its path does not support. */
export function refuseMethod(request: FastifyRequest, reply: FastifyReply, { url, allow }: PathMatch): FastifyReply {
  // The response has no body, as in Sensu Go (clients 6).
  if (url.startsWith(V2_PREFIX)) return reply.header('Allow', allow).code(405).send();
  refuseOtherPath(request);
  reply.header('Allow', allow);
  throw new MonError('method_not_allowed', `${request.method} is not supported here: use ${allow}`);
}

/** A route, by method and path, and the access that it requires. */
export interface RouteAccess {
  readonly method: string;
  readonly url: string;
  readonly access: Access;
  /** True if everyone can use the route as long as no credentials exist. */
  readonly anonymous: boolean;
}

/**
 * Rejects the registration of a route without declared access, so that no route is open by oversight.
 *
 * @returns a table; every route that is registered from now on is added to it
 */
export function requireDeclaredAccess(app: FastifyInstance): readonly RouteAccess[] {
  const table: RouteAccess[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const access = config?.access;
    if (access === undefined) throw new Error(`the endpoint ${String(method)} ${url} declares no required rights`);
    // The framework registers HEAD together with GET, so the table omits it.
    if (method === 'HEAD') return;
    table.push({
      method: String(method),
      url,
      access,
      anonymous: isAllowed(ANONYMOUS_PRINCIPAL, { ...config, access }),
    });
  });
  return table;
}
