import {
  isSearchMatch,
  readSearch,
  type SearchLanguage,
  type SearchOf,
} from '../../../shared/domain/search-language.ts';
import { MonError } from '../../../shared/errors.ts';

/** The filter of one topic, and the rows that the consumer holds. */
export class TopicFilter<Row> {
  readonly #search: SearchOf<Row> | undefined;
  /** Keys of the rows that the consumer holds; only used with a search. */
  readonly #sentKeys = new Set<string>();

  /**
   * @param name the name of the attribute that contains the text, for operators
   * @throws MonError `invalid` if the text is no search of this language, or depends on the time
   */
  constructor(language: SearchLanguage<Row>, name: string, text = '') {
    this.#search = text.trim() === '' ? undefined : searchOf(language, name, text);
  }

  get isFiltered(): boolean {
    return this.#search !== undefined;
  }

  /** Resets the filter: the consumer starts over and holds nothing. */
  forget(): void {
    this.#sentKeys.clear();
  }

  /**
   * Returns the row to send; null if the consumer holds a row that is deleted or no longer matches; undefined: nothing.
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

function searchOf<Row>(language: SearchLanguage<Row>, name: string, text: string): SearchOf<Row> {
  const search = readSearch(language, text);
  if (search.kind === 'problem') {
    throw new MonError('invalid', `${name}: ${search.message} (at character ${String(search.position + 1)})`);
  }
  // Rows are evaluated only when they change, so reaching an age would go unnoticed.
  const moving = [...language.fields.values()].filter(({ usesTime }) => usesTime === true).map((field) => field.name);
  if (search.usesTime)
    throw new MonError('invalid', `${name}: ${moving.join(' and ')} cannot be used in filters of the live feed`);
  return search;
}
