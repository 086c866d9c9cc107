import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Access, EndpointRole } from '../../../shared/api/endpoint.ts';
import type { Principal } from '../access/principal.ts';
import type { PathMatch, RoutePaths } from './route-paths.ts';
import type { Peer } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; set before the handler of a route is called. */
    principal: Principal;
    /** An `Admission` that returns the caller with its present rights, for requests that wait for their turn. */
    admission: () => Principal;
    /** The result of `matchedRoute`; undefined before its first call. */
    cachedRoute: MatchedRoute | undefined;
    /** The path, if it supports other methods than that of the request. Set by `matchedRoute`. */
    otherMethods: PathMatch | undefined;
    /** Address of the caller, see `Callers`. */
    readonly caller: string;
    /** The connection of the request; undefined: it is closed. */
    peer: Peer | undefined;
    /** Set for a request that another backend with the same store forwards; undefined: it comes directly. */
    sender: Sender | undefined;
    /** The id of the backend that answered in place of this one; undefined: none. */
    forwardedTo: string | undefined;
  }
  interface FastifyInstance {
    readonly routePaths: RoutePaths;
  }
  interface FastifyContextConfig {
    /** The access that the route requires. */
    access?: Access;
    /** The rights by roles that also permit the route. */
    role?: EndpointRole | undefined;
    /** True if it affects all namespaces at once: not allowed for callers limited to one of them. */
    isOfAllNamespaces?: boolean;
    /** True if it is open to every caller while no credentials exist: scripts for the v1 API have none. */
    isForAnonymous?: boolean;
    /** True if its query names the namespace: not allowed for callers limited to another one. */
    takesNamespace?: boolean;
    /** True if the leader must answer it, where several backends share a store. */
    isForWriter?: boolean;
    /** True if it is about the backend itself, and not about stored data. */
    isOfItself?: boolean;
    /** True if it is only for the other backends that share the store. */
    isOfPeers?: boolean;
  }
}

/** The configuration of a registered route. */
export interface MatchedRoute extends FastifyContextConfig {
  /** Its pattern; absent: there is no route. */
  readonly url?: string;
}

/** Returns the route of a request. It is cached, because the framework builds the description anew at each call. */
export function matchedRoute(request: FastifyRequest): MatchedRoute {
  return (request.cachedRoute ??= request.is404 ? unmatchedRoute(request) : (request.routeOptions.config ?? {}));
}

/** Returns the route information of a request without a route: its path may support other methods. */
function unmatchedRoute(request: FastifyRequest): MatchedRoute {
  const path = request.server.routePaths.find(request.url);
  if (path === undefined) return {};
  request.otherMethods = path;
  request.params = path.params;
  return { url: path.url, access: 'authenticated' };
}

/** The sender of a request that another backend forwards; that backend itself may be the sender. */
export interface Sender {
  readonly principal: Principal;
  /** The address of the caller at that backend. */
  readonly caller: string;
  /** True if the request came to a listener that serves only the v2 API. */
  readonly isOfV2: boolean;
  /** The id of that backend. */
  readonly memberId: string;
}
