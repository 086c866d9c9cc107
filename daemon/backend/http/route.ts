import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import type { Admission } from '../access/admission.ts';
import { ANONYMOUS, V2_PREFIX, isAllowed, type Access, type Principal } from '../access/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; there from the moment on at which a route's handler is called. */
    principal: Principal;
    /** Whether that still counts, for what waits its turn. */
    admission: Admission;
    /** Address of who asks, see `Callers`. */
    readonly caller: string;
  }
  interface FastifyContextConfig {
    /** What the route asks for. */
    access?: Access;
    /** Whether it reaches into all namespaces at once: nothing for who is kept to one of them. */
    isOfAllNamespaces?: boolean;
    /** Whether it is for everybody while no credentials exist, see `needsUnlessOpen`. */
    isForAnonymous?: boolean;
    /** Whether its query names the namespace, see `inNamespace`. */
    takesNamespace?: boolean;
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** What is done for one method of a path, and for whom. */
interface GuardedHandler {
  readonly access: Access;
  readonly isOfAllNamespaces?: boolean;
  readonly isForAnonymous?: boolean;
  readonly takesNamespace?: boolean;
  readonly handler: Handler;
}

/** A handler for those who have what it asks for. */
export function needs(access: Access, handler: Handler): GuardedHandler {
  return { access, handler };
}

/**
 * As `needs`, and for everybody while no credentials exist: scripts of the legacy API have none. For what holds no secret
 * and makes neither commands nor users.
 */
export function needsUnlessOpen(access: Access, handler: Handler): GuardedHandler {
  return { access, handler, isForAnonymous: true };
}

/** As `needs`, for what is in the namespace that the query names, see `askedNamespace`: nothing for who is kept to another. */
export function inNamespace(access: Access, handler: Handler): GuardedHandler {
  return { access, handler, takesNamespace: true };
}

/** Both `needsUnlessOpen` and `inNamespace`. */
export function inNamespaceUnlessOpen(access: Access, handler: Handler): GuardedHandler {
  return { access, handler, takesNamespace: true, isForAnonymous: true };
}

/** One method of one path, and what it asks for. */
export interface RouteAccess {
  readonly method: string;
  readonly url: string;
  readonly access: Access;
  /** Whether everybody may while no credentials exist. */
  readonly anonymous: boolean;
}

/**
 * One path with everything that can be done there. HEAD comes with GET; any other method is answered with 405 and the
 * list of those that are possible.
 */
export function routes(
  app: FastifyInstance,
  url: string,
  handlers: Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', GuardedHandler>>>,
  options: { readonly bodyLimit?: number } = {},
): void {
  const allowed: string[] = [];
  for (const [method, { handler, ...config }] of Object.entries(handlers)) {
    app.route({ method, url, handler, config, ...options });
    allowed.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
  }
  const allow = allowed.join(', ');
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    config: { access: 'authenticated' },
    handler: (request, reply) => {
      reply.header('Allow', allow);
      // The newer peer says no more than that (clients 6).
      if (url.startsWith(V2_PREFIX)) return reply.code(405).send();
      throw new MonError('method_not_allowed', `${request.method} is not possible here: use ${allow}`);
    },
  });
}

/**
 * Refuses routes that do not say what they ask for, as they are made: nothing is open because somebody forgot it.
 *
 * @returns every route made from now on, for whoever wants to see who may do what
 */
export function watchAccess(app: FastifyInstance): readonly RouteAccess[] {
  const table: RouteAccess[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const access = config?.access;
    if (access === undefined) throw new Error(`${String(method)} ${url} does not say what it asks for`);
    // All other methods of a path are nothing that can be done, and HEAD is as GET.
    if (Array.isArray(method) || method === 'HEAD') return;
    table.push({ method, url, access, anonymous: isAllowed(ANONYMOUS, { ...config, access }) });
  });
  return table;
}
