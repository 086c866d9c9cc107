import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Access, EndpointRole } from '../../../shared/api/endpoint.ts';
import type { Principal } from '../access/principal.ts';
import type { PathMatch, RoutePaths } from './route-paths.ts';
import type { Peer } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller of the request; set before the handler of a route is called. */
    principal: Principal;
    /**
     * Checks again whether the caller is allowed to make the request, and returns the caller with its current rights. A
     * change that waits in a queue calls it before the change is applied, see `Admission`.
     */
    admission: () => Principal;
    /** The cached result of `matchedRoute`; undefined before its first call. */
    cachedRoute: MatchedRoute | undefined;
    /**
     * The path of the request and its methods, if the path supports only other methods; otherwise undefined. Set by
     * `matchedRoute`.
     */
    otherMethods: PathMatch | undefined;
    /** Network address of the caller, see `Callers`. */
    readonly caller: string;
    /** The connection of the request, whose memory is measured; undefined if it is closed. */
    peer: Peer | undefined;
    /**
     * The original sender of a request that another backend with the same store forwards; undefined if the caller sent
     * the request to this backend directly.
     */
    sender: RequestSender | undefined;
    /**
     * The id of the backend that answers the request in place of this backend; undefined if this backend answers it.
     */
    forwardedTo: string | undefined;
  }
  interface FastifyInstance {
    readonly routePaths: RoutePaths;
  }
  interface FastifyContextConfig {
    /** The access that the route requires. */
    access?: Access;
    /**
     * The verb and resource that a role must allow to permit the route; undefined if roles do not restrict the route.
     */
    role?: EndpointRole | undefined;
    /** True if the route affects all namespaces at once, so that callers limited to one namespace have no access. */
    isOfAllNamespaces?: boolean;
    /** True if everyone can use the route as long as no credentials exist, because scripts for the v1 API send none. */
    isForAnonymous?: boolean;
    /** True if the query of the route names a namespace, so that callers limited to another namespace are rejected. */
    takesNamespace?: boolean;
    /** True if only the leader can answer the route, if several backends share a store. */
    isForWriter?: boolean;
    /** True if the route is about the backend itself, and not about stored data. */
    isOfItself?: boolean;
    /** True if the route needs the body as it was received. */
    hasRawBody?: boolean;
    /** True if only other backends that share the store have access to the route. */
    isOfPeers?: boolean;
  }
}

/** The configuration of the route that matches a request. */
export interface MatchedRoute extends FastifyContextConfig {
  /** The pattern of the route's path; absent if no route matches the request. */
  readonly url?: string;
}

/** Returns the route of a request. The result is cached, because the HTTP framework builds it anew at each call. */
export function matchedRoute(request: FastifyRequest): MatchedRoute {
  return (request.cachedRoute ??= request.is404 ? unmatchedRoute(request) : (request.routeOptions.config ?? {}));
}

/**
 * Returns the pattern of the request's path if that path supports only other methods. Returns an empty object if the
 * path is unknown.
 */
function unmatchedRoute(request: FastifyRequest): MatchedRoute {
  const path = request.server.routePaths.find(request.url);
  if (path === undefined) return {};
  request.otherMethods = path;
  request.params = path.params;
  return { url: path.url, access: 'authenticated' };
}

/** The sender of a request that another backend forwards: the original caller, or the forwarding backend itself. */
export interface RequestSender {
  readonly principal: Principal;
  /** The network address of the caller, as the forwarding backend determined it. */
  readonly caller: string;
  /** True if the forwarding backend got the request at a listener that serves only the v2 API. */
  readonly isOfV2: boolean;
  /** The id of the forwarding backend. */
  readonly memberId: string;
}
