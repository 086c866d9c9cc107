import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../schemas/scope.ts';
import type { RoleVerb } from '../schemas/v2/role.ts';

/**
 * What a request must show: a scope, one of several, any credentials that are valid, or nothing at all; `self`: those of the
 * user in the path, or of an administrator.
 */
export type Access = Scope | readonly Scope[] | 'self' | 'authenticated' | 'public';

/** A request in the words of roles. */
export interface EndpointRole {
  readonly verb: RoleVerb;
  /** A kind of objects: `checks`. */
  readonly resource: string;
  /** The parts of the path that name the object; none: it is about none, or all. */
  readonly named: readonly string[];
}

/** Parameters of a query: each by its name, and what its text means. */
export type EndpointQuery = Readonly<Record<string, z.ZodType<unknown, string | undefined>>>;

/** One thing that can be asked of a backend, said once for the server, its clients, the tests and the documents. */
export interface Endpoint<Body = unknown, Answer = unknown, Query extends EndpointQuery = EndpointQuery> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` stands for a part of it, `*` for all the rest. */
  readonly path: string;
  readonly scope: Access;
  /** What roles may allow beside the scopes; absent: they say nothing about it. */
  readonly role?: EndpointRole;
  /** It reaches into all namespaces at once: nothing for who is kept to one of them. */
  readonly isOfAllNamespaces?: true;
  /** While no credentials exist it is for everybody, although it takes `admin`. */
  readonly isForAnonymous?: true;
  /** Whether it is for the backend that writes, where several share a store; default: all but GET is. */
  readonly onWriter?: boolean;
  /** It tells of the backend itself: also answered by one that is too far behind the one that writes. */
  readonly isOfItself?: true;
  /** A sentence without its full stop. */
  readonly summary: string;
  readonly query?: Query;
  /** Largest body in bytes; default: 1 MiB. */
  readonly bodyBytesMax?: number;
  readonly body?: z.ZodType<Body>;
  /** The status of a success. */
  readonly status: 200 | 201 | 202 | 204;
  /** Undefined: it has no body. */
  readonly answer?: z.ZodType<Answer>;
  /** What may go wrong beside what may go wrong everywhere, see `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
}

/** Of every endpoint: nobody is let in without credentials, a queue may be full, a store may fail. */
export const COMMON_ERRORS: readonly ErrorCode[] = ['unauthenticated', 'forbidden', 'internal', 'unavailable'];

/** What the query of an endpoint says. */
export type QueryOf<Of> =
  Of extends Endpoint<infer _Body, infer _Answer, infer Query>
    ? { readonly [Name in keyof Query]?: z.output<Query[Name]> }
    : never;

/**
 * What an endpoint is besides its route and its summary; default: answered with 200, and a GET is for who may read. What may go
 * wrong follows from its shape where that is all: see `usualErrors`.
 */
type About<Body, Answer, Query extends EndpointQuery, Route extends string> = Partial<
  Pick<Endpoint, 'status' | 'errors'>
> &
  Omit<Endpoint<Body, Answer, Query>, 'method' | 'path' | 'summary' | 'scope' | 'status' | 'errors'> &
  (Route extends `GET ${string}` ? Partial<Pick<Endpoint, 'scope'>> : Pick<Endpoint, 'scope'>);

/** What says endpoints below a path in this way: `GET /events`, what it is for, and the rest. */
export function endpointsBelow(prefix: string) {
  return <
    Route extends `${Endpoint['method']} /${string}`,
    Body = undefined,
    Answer = undefined,
    Query extends EndpointQuery = Record<string, never>,
  >(
    route: Route,
    summary: string,
    about: About<Body, Answer, Query, Route>,
  ): Endpoint<Body, Answer, Query> => {
    const [method, path] = route.split(' ', 2) as [Endpoint['method'], string];
    const errors = usualErrors({ ...about, path });
    return { scope: 'read', status: 200, errors, ...about, method, path: prefix + path, summary };
  };
}

/** A query and a body may be wrong, what a path names may not be there, and a body may be too large. */
function usualErrors({ path, query, body }: Pick<Endpoint, 'path' | 'query' | 'body'>): readonly ErrorCode[] {
  const [asks, names, brings] = [query !== undefined, pathParameters({ path }).length > 0, body !== undefined];
  return [
    ...(asks || brings ? (['invalid'] as const) : []),
    ...(names ? (['not_found'] as const) : []),
    ...(brings ? (['too_large'] as const) : []),
  ];
}

/** Whether its query names the one namespace that it is about. */
export function takesNamespace({
  isOfAllNamespaces,
  query = {},
}: Pick<Endpoint, 'isOfAllNamespaces' | 'query'>): boolean {
  return isOfAllNamespaces !== true && 'namespace' in query;
}

/** Whether it changes something, or tells what the backend that writes alone has in memory. */
export function isForWriter({ method, onWriter = method !== 'GET' }: Pick<Endpoint, 'method' | 'onWriter'>): boolean {
  return onWriter;
}

/** Names of the parts of a path. */
export function pathParameters({ path }: Pick<Endpoint, 'path'>): readonly string[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
}
