import {
  isSearchMatch,
  readSearch,
  type SearchLanguage,
  type ParsedSearch,
} from '../../../shared/domain/search-language.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Filter } from './filter.ts';

/** The query parameters of a request; `q` is a search, if there is one. */
interface SearchQuery {
  readonly q?: string | undefined;
}

/**
 * Parses the search in the query parameter `q`.
 *
 * @throws MonError `invalid` if the search is invalid; the message contains the position of the error and what is
 *   allowed there
 */
export function parseSearchQuery<Row>(language: SearchLanguage<Row>, { q = '' }: SearchQuery): ParsedSearch<Row> {
  const search = readSearch(language, q);
  if (search.kind === 'search') return search;
  throw new MonError('invalid', `q: ${search.message} (at character ${String(search.position + 1)})`);
}

/**
 * Returns a filter for the items that match the search in the query parameter `q`; undefined if there is no search, so
 * all items match.
 *
 * @param rowOf callback that returns the row of an item, to which the search is applied
 * @throws MonError `invalid` as `parseSearchQuery` does
 */
export function searchFilter<Row, Item>(
  language: SearchLanguage<Row>,
  query: SearchQuery,
  rowOf: (item: Item) => Row,
  nowMs: number,
): Filter<Item> | undefined {
  const search = parseSearchQuery(language, query);
  const nowSeconds = Math.floor(nowMs / 1000);
  return search.tree === undefined ? undefined : (item) => isSearchMatch(search, rowOf(item), nowSeconds);
}
