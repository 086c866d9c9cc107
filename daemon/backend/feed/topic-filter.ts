import {
  isSearchMatch,
  readSearch,
  type SearchLanguage,
  type ParsedSearch,
} from '../../../shared/domain/search-language.ts';
import { MonError } from '../../../shared/errors.ts';

/** The filter of one feed topic, and the keys of the rows that the consumer has. */
export class TopicFilter<Row> {
  readonly #search: ParsedSearch<Row> | undefined;
  /** Keys of the rows that the consumer has; empty if the topic is not filtered. */
  readonly #sentKeys = new Set<string>();

  /**
   * @param name attribute of the subscription that contains the filter, for the error message
   * @param text the filter; an empty text matches all rows
   * @throws MonError `invalid` if the text is not a search in this language, or uses a field that depends on the time
   */
  constructor(language: SearchLanguage<Row>, name: string, text = '') {
    this.#search = text.trim() === '' ? undefined : searchOf(language, name, text);
  }

  get isFiltered(): boolean {
    return this.#search !== undefined;
  }

  /** Clears the keys of sent rows, when the consumer starts over with a snapshot. */
  forget(): void {
    this.#sentKeys.clear();
  }

  /**
   * Returns the row to send, null to remove the row from the consumer, or undefined to send nothing.
   *
   * @param row null if the object was deleted
   */
  select(key: string, row: Row | null, nowMs: number): Row | null | undefined {
    if (this.#search === undefined) return row;
    if (row !== null && isSearchMatch(this.#search, row, Math.floor(nowMs / 1000))) {
      this.#sentKeys.add(key);
      return row;
    }
    return this.#sentKeys.delete(key) ? null : undefined;
  }
}

function searchOf<Row>(language: SearchLanguage<Row>, name: string, text: string): ParsedSearch<Row> {
  const search = readSearch(language, text);
  if (search.kind === 'problem') {
    throw new MonError('invalid', `${name}: ${search.message} (at character ${String(search.position + 1)})`);
  }
  // A filter is evaluated only when a row changes. A row that starts to match just because time passes would be missed.
  const moving = [...language.fields.values()].filter(({ usesTime }) => usesTime === true).map((field) => field.name);
  if (search.usesTime)
    throw new MonError('invalid', `${name}: ${moving.join(' and ')} cannot be used in filters of the live feed`);
  return search;
}
