import type { EventRow } from '../schemas/feed.ts';
import { isFound, readSearch, searchLanguage, type SearchOf } from './search-language.ts';
import type { SearchProblem } from './search-syntax.ts';
import { choiceField, countField, flagField, listField, statusField, textField, timeField } from './search-fields.ts';

export type { SearchProblem };

/** A search for events, in the language of `search-language.ts`. */
export type Search = SearchOf<EventRow>;

/** What a search looks at. */
export type SearchRow = EventRow & {
  /** `searchText(row)`, kept by whoever searches the same row often. */
  readonly searchText?: string;
};

export const EVENT_SEARCH = searchLanguage<EventRow>(
  [
    textField('client', (row) => row.client),
    textField('check', (row) => row.check),
    textField('output', (row) => row.output),
    statusField((row) => row.status),
    countField('occurrences', (row) => row.occurrences),
    choiceField('action', ['create', 'flapping', 'resolve'], (row) => row.action),
    flagField('silenced', (row) => row.silenced_by.length > 0),
    flagField('flapping', (row) => row.action === 'flapping'),
    flagField('recovering', (row) => row.recovering !== undefined),
    flagField('inhibited', (row) => row.inhibited_by !== undefined),
    listField('inhibited_by', 'an inhibition rule or its source event', ({ inhibited_by: by }) =>
      by === undefined ? [] : [by.rule, `${by.client}/${by.check}`],
    ),
    listField('group', 'the id of a group of a handler', (row) => row.groups ?? []),
    listField('silenced_by', 'the id of a silenced entry', (row) => row.silenced_by),
    timeField('age', 'since it entered its status', (row) => row.since),
    timeField('last', 'since its last result', (row) => row.last),
    // Where events of several backends are listed as one.
    textField('backend', (row) => row.backend ?? ''),
    // Where events of all namespaces are.
    textField('namespace', (row) => row.namespace ?? ''),
  ],
  ({ client, check, output }) => [client, check, output],
);

/** Reads a search and compiles it. Never throws; an empty search finds everything. */
export function parseSearch(text: string): Search | SearchProblem {
  return readSearch(EVENT_SEARCH, text);
}

export function matchesSearch(search: Search, row: SearchRow, nowSeconds: number): boolean {
  return isFound(search, row, nowSeconds, row.searchText);
}

/** Whether the answer for a row can change by the mere passing of time. */
export function usesTime(search: Search): boolean {
  return search.usesTime;
}

/** The lower-case text that words are looked for in. */
export function searchText(row: EventRow): string {
  return EVENT_SEARCH.words(row);
}
