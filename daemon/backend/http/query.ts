import type { FastifyRequest } from 'fastify';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';

/** The query, decoded by the usual rules. */
export function queryOf({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at));
}

/** The namespace that the query names: `default` unless told, `*` for all of them. */
export function namespaceIn(request: Pick<FastifyRequest, 'url'>): string {
  return queryOf(request).getAll('namespace').at(-1) || DEFAULT_NAMESPACE;
}

/** A number of digits only; anything else counts as absent, and of several the last one (legacy-peer, Pagination). */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.getAll(name).at(-1) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
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
