import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../schemas/scope.ts';
import type { RoleVerb } from '../schemas/v2/role.ts';

/**
 * The credentials that an endpoint requires: a scope, one of several scopes, any valid credentials, or none. `self`
 * requires the credentials of the user in the path or of an administrator.
 */
export type Access = Scope | readonly Scope[] | 'self' | 'authenticated' | 'public';

/** The operation of an endpoint, against which roles are evaluated. */
export interface EndpointRole {
  readonly verb: RoleVerb;
  /** A resource type of Sensu Go, such as `checks`. */
  readonly resource: string;
  /** Path parameters that name the object; empty if the request is about no object or all objects. */
  readonly named: readonly string[];
}

/** The schema of each query parameter, by its name. */
export type EndpointQuery = Readonly<Record<string, z.ZodType<unknown, string | undefined>>>;

/** The definition of an endpoint of the API, which the server, the clients, the tests and the documentation share. */
export interface Endpoint<Body = unknown, Answer = unknown, Query extends EndpointQuery = EndpointQuery> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path pattern: `:name` is a parameter, and `*` matches the remaining path. */
  readonly path: string;
  readonly scope: Access;
  /** The operation that roles may grant in addition to scopes; undefined if roles do not apply to the endpoint. */
  readonly role?: EndpointRole;
  /** True if the endpoint covers all namespaces at once, so that callers limited to one namespace are rejected. */
  readonly isOfAllNamespaces?: true;
  /** True if all callers may use the endpoint while no credentials exist, although it requires `admin`. */
  readonly isForAnonymous?: true;
  /**
   * True if the leader must handle requests to the endpoint where several backends share a store; default: true for all
   * methods except GET.
   */
  readonly onWriter?: boolean;
  /** True if the endpoint is about the backend itself, so that even a follower that is too far behind may respond. */
  readonly isOfItself?: true;
  /** One sentence about the endpoint, without a full stop. */
  readonly summary: string;
  readonly query?: Query;
  /** Maximum size of a request body in bytes; default: 1 MiB. */
  readonly bodyBytesMax?: number;
  readonly body?: z.ZodType<Body>;
  /** The HTTP status of a successful response. */
  readonly status: 200 | 201 | 202 | 204;
  /** Schema of the response body; undefined if the response has no body. */
  readonly answer?: z.ZodType<Answer>;
  /** The error codes of the endpoint, in addition to `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
}

/**
 * The error codes that every endpoint may return: missing credentials, missing rights, internal errors, full queues and
 * failing stores.
 */
export const COMMON_ERRORS: readonly ErrorCode[] = ['unauthenticated', 'forbidden', 'internal', 'unavailable'];

/** The type of the parsed query parameters of an endpoint. */
export type QueryOf<Of> =
  Of extends Endpoint<infer _Body, infer _Answer, infer Query>
    ? { readonly [Name in keyof Query]?: z.output<Query[Name]> }
    : never;

/**
 * The definition of an endpoint without its route and summary. Defaults: status 200; scope `read` for a GET; the errors
 * of `usualErrors`.
 */
type EndpointDefinition<Body, Answer, Query extends EndpointQuery, Route extends string> = Partial<
  Pick<Endpoint, 'status' | 'errors'>
> &
  Omit<Endpoint<Body, Answer, Query>, 'method' | 'path' | 'summary' | 'scope' | 'status' | 'errors'> &
  (Route extends `GET ${string}` ? Partial<Pick<Endpoint, 'scope'>> : Pick<Endpoint, 'scope'>);

/**
 * Returns a function that defines an endpoint below a path from its route (`GET /events`), its summary and its
 * definition.
 */
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
 * Returns the error codes that follow from the shape of an endpoint: invalid query or body, missing object, body too
 * large.
 */
function usualErrors({ path, query, body }: Pick<Endpoint, 'path' | 'query' | 'body'>): readonly ErrorCode[] {
  const [asks, names, brings] = [query !== undefined, pathParameters({ path }).length > 0, body !== undefined];
  return [
    ...(asks || brings ? (['invalid'] as const) : []),
    ...(names ? (['not_found'] as const) : []),
    ...(brings ? (['too_large'] as const) : []),
  ];
}

/** True if the endpoint is limited to the namespace in its query parameter `namespace`. */
export function takesNamespace({
  isOfAllNamespaces,
  query = {},
}: Pick<Endpoint, 'isOfAllNamespaces' | 'query'>): boolean {
  return isOfAllNamespaces !== true && 'namespace' in query;
}

/**
 * True if the leader must handle requests to the endpoint, because it changes something or reads state that only the
 * leader has.
 */
export function isForWriter({ method, onWriter = method !== 'GET' }: Pick<Endpoint, 'method' | 'onWriter'>): boolean {
  return onWriter;
}

/** Returns the names of the parameters in the path of an endpoint. */
export function pathParameters({ path }: Pick<Endpoint, 'path'>): readonly string[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
}
