import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Endpoint, EndpointQuery, ParsedQuery } from '../../../shared/api/endpoint.ts';
import { parseCount } from '../../../shared/api/query.ts';
import { MonError } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';

/** Returns the decoded query parameters of a request. */
export function queryOf({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at));
}

/** Query parameters that were renamed before 1.0.0: the old name, and the current name. */
const RENAMED_PARAMETERS: Readonly<Record<string, string>> = { whole: 'full' };

/**
 * Returns a function that reads and validates the query parameters of an endpoint. If a parameter is repeated, the last
 * value counts. The function throws MonError `invalid` for an invalid parameter or an old name of a renamed one.
 */
export function queryReader<Query extends EndpointQuery>(
  query: Query,
): (request: Pick<FastifyRequest, 'url'>) => ParsedQuery<Endpoint<unknown, unknown, Query>> {
  const names = Object.keys(query);
  type Read = ParsedQuery<Endpoint<unknown, unknown, Query>>;
  // The schema is compiled at the first request. Compiling the schemas of all endpoints at start-up would take a tenth
  // of the start-up time.
  let compiled: { readonly schema: z.ZodObject<Query>; readonly ofNone: z.ZodSafeParseResult<unknown> } | undefined;
  const compile = (): NonNullable<typeof compiled> => {
    const schema = z.object(query);
    // The result for a request without parameters is cached, because most requests have none.
    return { schema, ofNone: schema.safeParse({}) };
  };
  return (request) => {
    compiled ??= compile();
    const { schema, ofNone } = compiled;
    if (ofNone.success && (names.length === 0 || !request.url.includes('?'))) return ofNone.data as Read;
    const params = queryOf(request);
    for (const [old, current] of Object.entries(RENAMED_PARAMETERS)) {
      if (params.has(old) && names.includes(current)) {
        throw new MonError('invalid', `unknown parameter ${old}: use ${current}`);
      }
    }
    const parsed = schema.safeParse(Object.fromEntries(names.map((name) => [name, params.getAll(name).at(-1)])));
    if (parsed.success) return parsed.data as Read;
    throw new MonError('invalid', problemsOf(parsed.error));
  };
}

/** Returns the namespace in the query of a request: `default` if the query names none, `*` for all namespaces. */
export function readQueryNamespace(request: Pick<FastifyRequest, 'url'>): string {
  return queryOf(request).getAll('namespace').at(-1) || DEFAULT_NAMESPACE;
}

/**
 * Returns a query parameter as a number, parsed by `parseCount`. If the parameter is repeated, the last value counts.
 */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  return parseCount(query.getAll(name).at(-1));
}

export interface PageRange {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Returns the page that a query requests; undefined if it requests the whole list. An `offset` without `limit` is
 * ignored, unless there is a `limitMax`.
 *
 * @param limitMax limit that replaces a missing or greater limit
 */
export function pageOf(query: URLSearchParams, limitMax = Infinity): PageRange | undefined {
  const limit = Math.min(integerParameter(query, 'limit') ?? Infinity, limitMax);
  return limit === Infinity ? undefined : { limit, offset: integerParameter(query, 'offset') ?? 0 };
}
