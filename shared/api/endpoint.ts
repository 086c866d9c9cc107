import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../schemas/scope.ts';
import type { RoleVerb } from '../schemas/v2/role.ts';

/**
 * Required credentials of a request: a scope, one of several, any valid credentials, or none. `self` requires those of
 * the user in the path or of an administrator.
 */
export type Access = Scope | readonly Scope[] | 'self' | 'authenticated' | 'public';

/** The operation of a request, for the evaluation of roles. */
export interface EndpointRole {
  readonly verb: RoleVerb;
  /** A resource type, such as `checks`. */
  readonly resource: string;
  /** Path parameters that name the object; empty if the request is about none or all. */
  readonly named: readonly string[];
}

/** Query parameters by name, with the schemas of their values. */
export type EndpointQuery = Readonly<Record<string, z.ZodType<unknown, string | undefined>>>;

/** An endpoint of a backend, defined once for the server, its clients, the tests and the documentation. */
export interface Endpoint<Body = unknown, Answer = unknown, Query extends EndpointQuery = EndpointQuery> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` is a parameter, and `*` matches the rest. */
  readonly path: string;
  readonly scope: Access;
  /** The operation that roles may grant in addition to scopes; undefined if roles do not apply. */
  readonly role?: EndpointRole;
  /** Whether it covers all namespaces at once, so that callers limited to one namespace get nothing. */
  readonly isOfAllNamespaces?: true;
  /** Whether everybody may use it as long as no credentials exist, although it requires `admin`. */
  readonly isForAnonymous?: true;
  /** Whether the leader must handle it if several backends share a store; default: all methods except GET. */
  readonly onWriter?: boolean;
  /** Whether it is about the backend itself, so that a follower that is too far behind may serve it too. */
  readonly isOfItself?: true;
  /** A sentence without its full stop. */
  readonly summary: string;
  readonly query?: Query;
  /** Maximum size of the body in bytes; default: 1 MiB. */
  readonly bodyBytesMax?: number;
  readonly body?: z.ZodType<Body>;
  /** The status of a successful response. */
  readonly status: 200 | 201 | 202 | 204;
  /** Schema of the response body; undefined if there is none. */
  readonly answer?: z.ZodType<Answer>;
  /** Error codes besides `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
}

/**
 * Error codes of every endpoint: missing credentials, missing rights, internal errors, full queues and failing stores.
 */
export const COMMON_ERRORS: readonly ErrorCode[] = ['unauthenticated', 'forbidden', 'internal', 'unavailable'];

/** The parsed query of an endpoint. */
export type QueryOf<Of> =
  Of extends Endpoint<infer _Body, infer _Answer, infer Query>
    ? { readonly [Name in keyof Query]?: z.output<Query[Name]> }
    : never;

/**
 * The definition of an endpoint besides its route and summary. Defaults: status 200, and for a GET the scope `read`.
 * Error codes may be derived from its shape: see `usualErrors`.
 */
type EndpointDefinition<Body, Answer, Query extends EndpointQuery, Route extends string> = Partial<
  Pick<Endpoint, 'status' | 'errors'>
> &
  Omit<Endpoint<Body, Answer, Query>, 'method' | 'path' | 'summary' | 'scope' | 'status' | 'errors'> &
  (Route extends `GET ${string}` ? Partial<Pick<Endpoint, 'scope'>> : Pick<Endpoint, 'scope'>);

/** Returns a function that defines endpoints below a path by route (`GET /events`), summary and definition. */
export function endpointsBelow(prefix: string) {
  return <
    Route extends `${Endpoint['method']} /${string}`,
    Body = undefined,
    Answer = undefined,
    Query extends EndpointQuery = Record<string, never>,
  >(
    route: Route,
    summary: string,
    definition: EndpointDefinition<Body, Answer, Query, Route>,
  ): Endpoint<Body, Answer, Query> => {
    const [method, path] = route.split(' ', 2) as [Endpoint['method'], string];
    const errors = usualErrors({ ...definition, path });
    return { scope: 'read', status: 200, errors, ...definition, method, path: prefix + path, summary };
  };
}

/**
 * Returns the errors that follow from the shape of an endpoint: invalid query or body, missing object, body too large.
 */
function usualErrors({ path, query, body }: Pick<Endpoint, 'path' | 'query' | 'body'>): readonly ErrorCode[] {
  const [asks, names, brings] = [query !== undefined, pathParameters({ path }).length > 0, body !== undefined];
  return [
    ...(asks || brings ? (['invalid'] as const) : []),
    ...(names ? (['not_found'] as const) : []),
    ...(brings ? (['too_large'] as const) : []),
  ];
}

/** Whether its query contains the namespace that it is about. */
export function takesNamespace({
  isOfAllNamespaces,
  query = {},
}: Pick<Endpoint, 'isOfAllNamespaces' | 'query'>): boolean {
  return isOfAllNamespaces !== true && 'namespace' in query;
}

/** Whether the leader must handle it, because it changes something or reads state that only the leader has. */
export function isForWriter({ method, onWriter = method !== 'GET' }: Pick<Endpoint, 'method' | 'onWriter'>): boolean {
  return onWriter;
}

/** Returns the names of the path parameters. */
export function pathParameters({ path }: Pick<Endpoint, 'path'>): readonly string[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
}
