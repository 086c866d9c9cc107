import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Endpoint, EndpointQuery, QueryOf } from '../../../shared/api/endpoint.ts';
import { countOf } from '../../../shared/api/query.ts';
import { MonError } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';

/** The query, decoded by the usual rules. */
export function queryOf({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at));
}

/** Query parameters that were renamed before 1.0.0: the current name by the old name. */
const RENAMED_PARAMETERS: Readonly<Record<string, string>> = { whole: 'full' };

/**
 * Reads the query of an endpoint as its table has it; of a parameter that comes several times the last one counts. What it
 * returns throws MonError `invalid`.
 */
export function queryReader<Query extends EndpointQuery>(
  query: Query,
): (request: Pick<FastifyRequest, 'url'>) => QueryOf<Endpoint<unknown, unknown, Query>> {
  const names = Object.keys(query);
  type Read = QueryOf<Endpoint<unknown, unknown, Query>>;
  // With the first request: compiled for every endpoint, they would take a tenth of the time of a start.
  let compiled: { readonly schema: z.ZodObject<Query>; readonly ofNone: z.ZodSafeParseResult<unknown> } | undefined;
  const compile = (): NonNullable<typeof compiled> => {
    const schema = z.object(query);
    // Most requests have none.
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

/** The namespace that the query names: `default` unless told, `*` for all of them. */
export function namespaceIn(request: Pick<FastifyRequest, 'url'>): string {
  return queryOf(request).getAll('namespace').at(-1) || DEFAULT_NAMESPACE;
}

/** See `countOf`; of several the last one counts. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  return countOf(query.getAll(name).at(-1));
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Undefined: everything. `offset` alone does nothing, unless there is a `limitMax`.
 *
 * @param limitMax stands in for a limit that is missing or greater
 */
export function pageOf(query: URLSearchParams, limitMax = Infinity): Page | undefined {
  const limit = Math.min(wholeNumber(query, 'limit') ?? Infinity, limitMax);
  return limit === Infinity ? undefined : { limit, offset: wholeNumber(query, 'offset') ?? 0 };
}
