import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Access, EndpointRole } from '../../../shared/api/endpoint.ts';
import type { Principal } from '../access/principal.ts';
import type { KnownPath, KnownPaths } from './known-paths.ts';
import type { Peer } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; there from the moment on at which a route's handler is called. */
    principal: Principal;
    /** An `Admission` that returns who asks with the rights of now, for what waits its turn. */
    admission: () => Principal;
    /** The result of `matchedRoute`; undefined before its first call. */
    knownRoute: MatchedRoute | undefined;
    /** The path, if it has other methods than that of the request. There after `matchedRoute` was called. */
    otherMethods: KnownPath | undefined;
    /** Address of who asks, see `Callers`. */
    readonly caller: string;
    /** The connection that it came over; undefined: there is none any more. */
    peer: Peer | undefined;
    /** Of what another backend with the same store sends on; undefined: it comes straight. */
    sender: Sender | undefined;
    /** The id of the backend that has answered in place of this one; undefined: none. */
    forwardedTo: string | undefined;
  }
  interface FastifyInstance {
    readonly knownPaths: KnownPaths;
  }
  interface FastifyContextConfig {
    /** What the route asks for. */
    access?: Access;
    /** What roles may allow beside that. */
    role?: EndpointRole | undefined;
    /** Whether it reaches into all namespaces at once: nothing for who is kept to one of them. */
    isOfAllNamespaces?: boolean;
    /** Whether it is for everybody while no credentials exist: scripts of the legacy API have none. */
    isForAnonymous?: boolean;
    /** Whether its query names the namespace: nothing for who is kept to another. */
    takesNamespace?: boolean;
    /** Whether it is for the backend that writes, where several share a store. */
    isForWriter?: boolean;
    /** Whether it tells of the backend itself, and not of what is stored. */
    isOfItself?: boolean;
    /** Whether it is for nobody but the other backends that share the store. */
    isOfPeers?: boolean;
  }
}

/** What a route was registered with. */
export interface MatchedRoute extends FastifyContextConfig {
  /** Its pattern; absent: there is no route. */
  readonly url?: string;
}

/** Returns the route of a request. It is looked up once, because the framework describes it anew at each call. */
export function matchedRoute(request: FastifyRequest): MatchedRoute {
  return (request.knownRoute ??= request.is404 ? unmatchedRoute(request) : (request.routeOptions.config ?? {}));
}

/** Returns what is known about a request for which there is no route: it may have the path of others. */
function unmatchedRoute(request: FastifyRequest): MatchedRoute {
  const path = request.server.knownPaths.find(request.url);
  if (path === undefined) return {};
  request.otherMethods = path;
  request.params = path.params;
  return { url: path.url, access: 'authenticated' };
}

/** Whose request another backend sends on; its own may be one of those. */
export interface Sender {
  readonly principal: Principal;
  /** The address that it came to that backend from. */
  readonly caller: string;
  /** Whether it came to a listener of the newer API alone. */
  readonly isOfV2: boolean;
  /** The id of that backend. */
  readonly memberId: string;
}
