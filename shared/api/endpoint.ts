import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../schemas/scope.ts';
import type { RoleVerb } from '../schemas/v2/role.ts';

/**
 * The credentials that an endpoint requires: a scope, one of several scopes, any valid credentials, or none. `self`
 * requires the credentials of the user in the path or of an administrator.
 */
export type Access = Scope | readonly Scope[] | 'self' | 'authenticated' | 'public';

/** The operation of an endpoint in terms of roles: a role can allow it by its verb, resource type and object name. */
export interface EndpointRole {
  readonly verb: RoleVerb;
  /** A resource type of Sensu Go, such as `checks`. */
  readonly resource: string;
  /** Path parameters that contain the name of the object; empty if a request is not about a single object. */
  readonly nameParameters: readonly string[];
}

/** The schema of each query parameter, by its name. */
export type EndpointQuery = Readonly<Record<string, z.ZodType<unknown, string | undefined>>>;

/** The definition of an API endpoint. Server, clients, tests and documentation all use it. */
export interface Endpoint<Body = unknown, ResponseBody = unknown, Query extends EndpointQuery = EndpointQuery> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path pattern: `:name` is a parameter, and `*` matches the remaining path. */
  readonly path: string;
  readonly scope: Access;
  /** The operation that a role can allow to callers without the scope; undefined if only scopes give access. */
  readonly role?: EndpointRole;
  /** True if a request concerns all namespaces at once. Callers limited to one namespace are rejected. */
  readonly isOfAllNamespaces?: true;
  /** True if the endpoint requires `admin` but is open to all callers as long as the backend has no users or keys. */
  readonly isForAnonymous?: true;
  /**
   * True if the leader of a cluster must handle requests to the endpoint. By default, it is true for all methods except
   * GET.
   */
  readonly isForLeader?: boolean;
  /** True if the endpoint is about the backend itself. Then even a follower with old data responds. */
  readonly isOfItself?: true;
  /** One sentence about the endpoint, without a full stop. */
  readonly summary: string;
  readonly query?: Query;
  /** Maximum size of a request body in bytes; default: 1 MiB. */
  readonly bodyBytesMax?: number;
  readonly body?: z.ZodType<Body>;
  /** True if the endpoint needs the body as it was received, because a signature covers it. */
  readonly hasRawBody?: true;
  /** The HTTP status of a successful response. */
  readonly status: 200 | 201 | 202 | 204;
  /** Schema of the response body; undefined if the response has no body. */
  readonly response?: z.ZodType<ResponseBody>;
  /** The error codes of the endpoint, in addition to `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
}

/**
 * The error codes that every endpoint can return: for missing credentials, missing rights, internal errors, full queues
 * and failing stores.
 */
export const COMMON_ERRORS: readonly ErrorCode[] = ['unauthenticated', 'forbidden', 'internal', 'unavailable'];

/** The type of the parsed query parameters of an endpoint. */
export type ParsedQuery<Of> =
  Of extends Endpoint<infer _Body, infer _Answer, infer Query>
    ? { readonly [Name in keyof Query]?: z.output<Query[Name]> }
    : never;

/**
 * The definition of an endpoint without its route and summary. By default, the status is 200, the scope of a GET is
 * `read`, and the errors are those of `parameterErrors`.
 */
type EndpointDefinition<Body, ResponseBody, Query extends EndpointQuery, Route extends string> = Partial<
  Pick<Endpoint, 'status' | 'errors'>
> &
  Omit<Endpoint<Body, ResponseBody, Query>, 'method' | 'path' | 'summary' | 'scope' | 'status' | 'errors'> &
  (Route extends `GET ${string}` ? Partial<Pick<Endpoint, 'scope'>> : Pick<Endpoint, 'scope'>);

/**
 * Returns a function that defines endpoints below a path prefix. Its arguments are the route, such as `GET /events`,
 * the summary and the definition.
 */
export function endpointBuilder(prefix: string) {
  return <
    Route extends `${Endpoint['method']} /${string}`,
    Body = undefined,
    ResponseBody = undefined,
    Query extends EndpointQuery = Record<string, never>,
  >(
    route: Route,
    summary: string,
    definition: EndpointDefinition<Body, ResponseBody, Query, Route>,
  ): Endpoint<Body, ResponseBody, Query> => {
    const [method, path] = route.split(' ', 2) as [Endpoint['method'], string];
    const errors = parameterErrors({ ...definition, path });
    return { scope: 'read', status: 200, errors, ...definition, method, path: prefix + path, summary };
  };
}

/**
 * Returns the error codes that an endpoint has because of its parameters and body: invalid query or body, object not
 * found, body too large.
 */
function parameterErrors({ path, query, body }: Pick<Endpoint, 'path' | 'query' | 'body'>): readonly ErrorCode[] {
  const [asks, names, brings] = [query !== undefined, pathParameters({ path }).length > 0, body !== undefined];
  return [
    ...(asks || brings ? (['invalid'] as const) : []),
    ...(names ? (['not_found'] as const) : []),
    ...(brings ? (['too_large'] as const) : []),
  ];
}

/** True if requests to the endpoint are about the namespace in the query parameter `namespace`. */
export function takesNamespace({
  isOfAllNamespaces,
  query = {},
}: Pick<Endpoint, 'isOfAllNamespaces' | 'query'>): boolean {
  return isOfAllNamespaces !== true && 'namespace' in query;
}

/**
 * True if the leader of a cluster must handle requests to the endpoint: they change something, or read state that only
 * the leader has.
 */
export function isForWriter({
  method,
  isForLeader: onWriter = method !== 'GET',
}: Pick<Endpoint, 'method' | 'isForLeader'>): boolean {
  return onWriter;
}

/** Returns the names of the parameters in the path of an endpoint. */
export function pathParameters({ path }: Pick<Endpoint, 'path'>): readonly string[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
}
