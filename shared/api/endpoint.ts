import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../schemas/scope.ts';

/** What a request must show: a scope, one of several, or credentials of any kind. */
export type EndpointScope = Scope | readonly Scope[] | 'authenticated';

/** Parameters of a query: each by its name, as text on the wire. */
export type EndpointQuery = Readonly<Record<string, z.ZodType<string | number | undefined>>>;

/** One thing that can be asked of a backend, said once for the server, its clients, the tests and the documents. */
export interface Endpoint<Body = unknown, Answer = unknown> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `:name` stands for a part of it. */
  readonly path: string;
  readonly scope: EndpointScope;
  /** It reaches into all namespaces at once: nothing for who is kept to one of them. */
  readonly isOfAllNamespaces?: true;
  /** While no credentials exist it is for everybody, although it takes `admin`. */
  readonly isForAnonymous?: true;
  /** A sentence without its full stop. */
  readonly summary: string;
  readonly query?: EndpointQuery;
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

/** The endpoint as it is, with the types of its body and its answer. */
export function endpoint<Body = undefined, Answer = undefined>(about: Endpoint<Body, Answer>): Endpoint<Body, Answer> {
  return about;
}

/** Whether its query names the one namespace that it is about. */
export function takesNamespace({
  isOfAllNamespaces,
  query = {},
}: Pick<Endpoint, 'isOfAllNamespaces' | 'query'>): boolean {
  return isOfAllNamespaces !== true && 'namespace' in query;
}

/** Names of the parts of a path. */
export function pathParameters({ path }: Pick<Endpoint, 'path'>): readonly string[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
}
