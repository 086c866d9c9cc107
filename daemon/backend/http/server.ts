import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onResponseHookHandler,
  type onSendHookHandler,
} from 'fastify';
import { ALERTMANAGER_PREFIX } from '../../../shared/api/alertmanager.ts';
import { V2_API, V2_PREFIX } from '../../../shared/api/v2.ts';
import type { Operation } from '../../../shared/domain/v2/roles.ts';
import { MonError } from '../../../shared/errors.ts';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';
import type { Log, LogRequest } from '../../log/log.ts';
import {
  UNAUTHENTICATED_PRINCIPAL,
  refuseWithoutAccess,
  type RequestedRoute,
  type Principal,
} from '../access/principal.ts';
import { corsHeaders, foreignWriteGuard } from './cors.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { CallerResolver } from '../access/caller.ts';
import { operationOf } from '../access/requested-action.ts';
import { doesNotExist, sendAuthError, sendV2Error } from './v2-errors.ts';
import { refuseMalformed, sendAlertmanagerError, sendError } from './errors.ts';
import type { RequestForwarding } from './forwarding.ts';
import { decodedPath } from '../access/logged-path.ts';
import { isLoopback } from '../access/host.ts';
import { parseLongBodies } from './json-body.ts';
import { RoutePaths } from './route-paths.ts';
import { BODY_BYTES_MAX, URL_LENGTH_MAX } from './limits.ts';
import type { MakeServer } from './http-server.ts';
import { readQueryNamespace } from './query.ts';
import { matchedRoute } from './request.ts';
import { RequestIds } from './request-ids.ts';
import { refuseMethod, requireDeclaredAccess, type RouteAccess } from './route.ts';
import type { SlowPeers } from './slow-peers.ts';
import { holdReads } from './hold-reads.ts';
import { watchPeers } from './watch-peers.ts';

type RejectRequest = (error: unknown) => void;

/** The APIs that a listener serves: all APIs, or, at a separate address, only the v2 API with its `/health`. */
export type ServedApis = { readonly kind: 'all' } | { readonly kind: 'core'; readonly bind: string };

/** The dependencies of every listener. */
export interface ServerDependencies {
  readonly authenticator: Authenticator;
  readonly callers: CallerResolver;
  readonly config: { readonly api: Pick<ApiSettings, 'cors'> };
  readonly log: Log;
  readonly logRequest?: LogRequest;
  readonly slowPeers: SlowPeers;
  /**
   * Returns a promise for the end of a batch of writes that is only partly applied, see `Batcher.partial`. By default,
   * no batch is ever partly applied.
   */
  readonly partialBatch?: (() => Promise<boolean> | undefined) | undefined;
  /** Forwards requests to the other backends; absent if the store is not shared. */
  readonly forwarding?: RequestForwarding | undefined;
}

/**
 * Creates a server for the HTTP API, ready to listen; the caller must close it.
 *
 * @param addRoutes callback that registers the routes of the listener. It gets the table of all routes, which grows as
 *   routes are registered
 * @throws MonError `invalid` if `api.cors` contains an invalid header
 */
export async function openServer(
  deps: ServerDependencies,
  face: ServedApis,
  makeServer: MakeServer,
  addRoutes: (app: FastifyInstance, access: readonly RouteAccess[]) => void,
): Promise<FastifyInstance> {
  const { authenticator, callers, forwarding, log, logRequest } = deps;
  const { cors: ownCors } = deps.config.api;
  const refuseForeignWrite = foreignWriteGuard(ownCors);
  const requestIds = new RequestIds();
  const cors = corsHeaders(face.kind === 'core' ? (ownCors ?? false) : ownCors);

  function authorize({ headers, caller, sender }: FastifyRequest): Principal | Promise<Principal> {
    if (sender !== undefined) return sender.principal;
    // The option --insecure allows a listener without authentication beyond loopback. The host names of such a listener
    // are unknown, so a foreign Host header cannot be detected.
    const isOpenToAll = face.kind === 'core' && !isLoopback(face.bind) && authenticator.needsNoCredentials;
    return isOpenToAll
      ? authenticator.principalWithoutCredentials(headers, caller)
      : authenticator.authorize(headers, caller);
  }

  /**
   * Admits or rejects a request, in the order that completion 1.1 defines. First it sets the headers of every response.
   * Then it authenticates the caller. Then it checks the path and the access.
   */
  function admit(request: FastifyRequest, reply: FastifyReply, admitted: () => void, refused: RejectRequest): void {
    // The pattern of the route selects the CORS headers, because a path can be written in several ways.
    reply.headers(cors(matchedRoute(request).url ?? '/'));
    reply.header('x-request-id', request.id);
    let pending: Promise<Principal> | undefined;
    const route = routeOf(request);
    try {
      const principal = route.access === 'public' ? UNAUTHENTICATED_PRINCIPAL : authorize(request);
      if (principal instanceof Promise) pending = principal;
      else inspect(request, route, principal);
    } catch (error) {
      refused(error);
      return;
    }
    if (pending === undefined) admitted();
    else pending.then((principal) => inspect(request, route, principal)).then(admitted, refused);
  }

  function inspect(request: FastifyRequest, route: RequestedRoute, principal: Principal): void {
    request.principal = principal;
    request.admission = authenticator.admissionOf(principal, (renewed) => refuseWithoutAccess(renewed, route));
    refuseForeignWrite(request.method, request.headers);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new MonError('invalid', 'the Host header is missing');
    }
    if (request.url.length > URL_LENGTH_MAX) {
      throw new MonError('too_large', `the URL is longer than ${String(URL_LENGTH_MAX)} characters`);
    }
    // A path with a fragment is unknown, because browsers never send a fragment.
    if (request.url.includes('#')) throw unknownPath(request);
    refuseWithoutAccess(principal, route);
  }

  /** True if errors are sent in the format of the v2 API. */
  const isOfV2 = ({ url, sender }: Pick<FastifyRequest, 'url' | 'sender'>): boolean =>
    face.kind === 'core' || sender?.isOfV2 === true || url.startsWith(`${V2_PREFIX}/`);
  /**
   * Returns the route of a request. At a listener that serves only the v2 API, a request for an unknown path needs no
   * credentials, as in Sensu Go.
   */
  const routeOf = (request: FastifyRequest): RequestedRoute =>
    face.kind === 'core' && matchedRoute(request).url === undefined
      ? { ...requestedRoute(request), access: 'public' }
      : requestedRoute(request);
  const refuseAs = (request: FastifyRequest): typeof sendError => {
    if (matchedRoute(request).url === V2_API.auth.test.path) return sendAuthError;
    if (isOfV2(request)) return sendV2Error;
    return request.url.startsWith(`${ALERTMANAGER_PREFIX}/`) ? sendAlertmanagerError : sendError;
  };
  const unknownPath = (request: FastifyRequest): MonError =>
    isOfV2(request)
      ? doesNotExist()
      : new MonError('not_found', `there is no endpoint ${request.method} ${request.url.split('?', 1)[0] ?? ''}`);

  const app = fastify({
    bodyLimit: BODY_BYTES_MAX,
    // A missing Host header is rejected later, with a response that names the problem.
    serverFactory: (answer) => makeServer(answer, { requireHostHeader: false }),
    routerOptions: { maxParamLength: URL_LENGTH_MAX },
    requestIdHeader: false,
    genReqId: (request) => requestIds.idOfRequest(request),
    // The path of an OPTIONS request (a preflight request of a browser) is replaced by /, because OPTIONS is answered
    // for every path, even for `*`.
    rewriteUrl: ({ method, url }) => (method === 'OPTIONS' ? '/' : (url ?? '/')),
    clientErrorHandler: refuseMalformed,
    frameworkErrors: (error, request, reply) => {
      // The hook `plainJsonType` does not run for these errors. If there is a serializer, the HTTP framework adds no
      // charset to the content type.
      reply.type('application/json').serializer((body) => (typeof body === 'string' ? body : JSON.stringify(body)));
      const refuse = (reason: unknown): void => void refuseAs(request)(reason, request, reply, log);
      admit(request, reply, () => refuse(error), refuse);
    },
  });

  app.decorateRequest('principal');
  app.decorateRequest('admission');
  app.decorateRequest('sender');
  app.decorateRequest('forwardedTo');
  app.decorateRequest('cachedRoute');
  app.decorateRequest('otherMethods');
  app.decorate('routePaths', new RoutePaths());
  // The address of the caller is computed by a getter, because few requests need it: most requests are admitted by an
  // API key that was verified before.
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      return this.sender?.caller ?? callers.addressOf(this);
    },
  });
  const accessTable = requireDeclaredAccess(app);
  app.removeAllContentTypeParsers();
  // A body is read as text and parsed later, so that an unknown path or method is reported before an invalid body.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  watchPeers(app, deps);
  forwarding?.receive(app);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') {
      reply
        .headers(cors(decodedPath(request.originalUrl.split('?', 1)[0] ?? '')))
        .header('x-request-id', request.id)
        .code(200)
        .send();
      return;
    }
    const admitted = (): void => {
      // From here on the content type is ignored, even if it is malformed (clients 1.1). Deleting the property would
      // slow down reading the other headers.
      request.headers['content-type'] = undefined;
      done();
    };
    admit(request, reply, admitted, (error) => done(error as Error));
  });
  app.addHook('onSend', plainJsonType);
  // The access is checked again, because the credentials of the caller can have been revoked while the body was read.
  app.addHook('preHandler', (request, _reply, done) => {
    try {
      request.admission();
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  forwarding?.forward(app, face.kind === 'core');
  parseLongBodies(app);
  holdReads(app, deps.partialBatch);
  if (logRequest !== undefined) app.addHook('onResponse', recordOf(logRequest));
  app.setErrorHandler((error, request, reply) => refuseAs(request)(error, request, reply, log));
  app.setNotFoundHandler((request, reply) => {
    if (request.otherMethods !== undefined) return refuseMethod(request, reply, request.otherMethods);
    const clean = face.kind === 'core' ? cleanPath(request.url) : undefined;
    if (clean === undefined) throw unknownPath(request);
    return reply.code(301).header('Location', clean).send();
  });

  addRoutes(app, accessTable);
  await app.ready();
  return app;
}

/**
 * Returns the route of a request and the access that the route requires. If no route matches, the caller must still be
 * authenticated.
 */
function requestedRoute(request: FastifyRequest): RequestedRoute {
  const params = (request.params ?? {}) as Readonly<Record<string, string>>;
  const { namespace, user } = params;
  const {
    url,
    access = 'authenticated',
    role,
    takesNamespace = false,
    isOfAllNamespaces = false,
    isForAnonymous = false,
  } = matchedRoute(request);
  const queryNamespace = takesNamespace ? readQueryNamespace(request) : undefined;
  const doing = (): Operation | undefined => role && operationOf(role, params);
  return { access, url, namespace, queryNamespace, user, isOfAllNamespaces, isForAnonymous, doing };
}

/**
 * Returns the path without duplicate slashes, because Sensu Go redirects clients to it; undefined if the path has no
 * duplicate slashes.
 */
function cleanPath(url: string): string | undefined {
  const [path = '', ...query] = url.split('?');
  return path.includes('//') ? [path.replaceAll(/\/{2,}/g, '/'), ...query].join('?') : undefined;
}

/**
 * Removes the charset that the HTTP framework adds to the content type: JSON has no charset (RFC 8259, section 11), and
 * Sensu sends none.
 */
const plainJsonType: onSendHookHandler = (_request, reply, payload, done) => {
  if (reply.getHeader('content-type') === 'application/json; charset=utf-8') {
    reply.header('content-type', 'application/json');
  }
  done(null, payload);
};

/**
 * Returns a hook that logs one record for each response. The record contains the pattern of the route instead of the
 * path, and nothing from the query, headers or body.
 */
function recordOf(logRequest: LogRequest): onResponseHookHandler {
  return (request, reply, done) => {
    logRequest({
      method: request.method,
      route: matchedRoute(request).url ?? null,
      status: reply.statusCode,
      time_ms: Math.round(reply.elapsedTime * 1000) / 1000,
      request_id: request.id,
      remote_address: request.caller,
      ...(request.forwardedTo !== undefined && { forwarded: request.forwardedTo }),
    });
    done();
  };
}
