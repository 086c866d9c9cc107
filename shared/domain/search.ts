import type { EventRow } from '../schemas/feed.ts';
import { isEscalating } from './notify/is-escalating.ts';
import { isSearchMatch, readSearch, searchLanguage, type ParsedSearch } from './search-language.ts';
import type { SearchProblem } from './search-syntax.ts';
import { attributeProblem, attributeReader, subscriptionsOfEvent, ATTRIBUTE_HINT } from './event-attributes.ts';
import { findMisspelled } from './nearest.ts';
import {
  attributeField,
  choiceField,
  countField,
  flagField,
  listField,
  momentField,
  statusField,
  textField,
  timeField,
  type Field,
} from './search-fields.ts';

export type { SearchProblem };

/** A search for events, in the language of `search-language.ts`. */
export type Search = ParsedSearch<EventRow>;

/** A row of a list of events, optionally with its cached search text. */
export type SearchRow = EventRow & {
  /** The cached result of `searchText(row)`; if undefined, it is computed for each search. */
  readonly searchText?: string;
};

const SUBSCRIPTIONS_FIELD: Field<EventRow> = {
  ...listField<EventRow>('subscriptions', 'a subscription', subscriptionsOfEvent, 'rack:*'),
  operator: '=',
};

const EVENT_FIELDS: readonly Field<EventRow>[] = [
  textField('client', (row) => row.client),
  textField('check', (row) => row.check),
  SUBSCRIPTIONS_FIELD,
  { ...SUBSCRIPTIONS_FIELD, name: 'subscription', isAlias: true },
  textField('output', (row) => row.output),
  statusField((row) => row.status),
  countField('occurrences', (row) => row.occurrences),
  choiceField('action', ['create', 'flapping', 'resolve'], (row) => row.action),
  flagField('silenced', (row) => row.silenced_by.length > 0),
  flagField('flapping', (row) => row.action === 'flapping'),
  flagField('recovering', (row) => row.recovering !== undefined),
  flagField('acked', (row) => row.acknowledged !== undefined),
  textField('owner', (row) => row.acknowledged?.by ?? ''),
  flagField('escalating', (row) => row.escalations?.some(isEscalating) === true),
  listField(
    'escalation',
    'the name of a handler of type escalation',
    (row) => (row.escalations ?? []).map(({ handler }) => handler),
    '*-page',
  ),
  flagField('inhibited', (row) => row.inhibited_by !== undefined),
  listField('inhibited_by', 'an inhibition rule or its source event', ({ inhibited_by: by }) =>
    by === undefined ? [] : [by.rule, `${by.client}/${by.check}`],
  ),
  listField('group', 'the id of a group of a handler', (row) => row.groups ?? []),
  listField('silenced_by', 'the id of a silenced entry', (row) => row.silenced_by),
  timeField('age', 'since it entered its status', (row) => row.since),
  momentField('since', (row) => row.since),
  timeField('last', 'since its last result', (row) => row.last),
  // The backend is defined only in lists of events of several backends.
  textField('backend', (row) => row.backend ?? ''),
  // The namespace is defined only in lists of events of all namespaces.
  textField('namespace', (row) => row.namespace ?? ''),
];

export const EVENT_SEARCH = searchLanguage<EventRow>(
  EVENT_FIELDS,
  ({ client, check, output }) => [client, check, output],
  attributeOfEvents,
);

/** Returns the search field for an attribute of the client and the check of events. */
function attributeOfEvents(name: string): Field<EventRow> {
  if (/^client\.subscriptions?$/i.test(name)) return SUBSCRIPTIONS_FIELD;
  // The parser looks up every word of a search, so the reason is found only when a comparison needs it.
  const rejection = (): string | undefined => attributeProblem(name) ?? misspellingProblem(name);
  return { ...attributeField(name, attributeReader(name)), rejection };
}

/** Returns an error message if a name is almost that of another field, because it would match no event. */
function misspellingProblem(name: string): string | undefined {
  const meant = findMisspelled(
    name.toLowerCase(),
    EVENT_FIELDS.map((field) => field.name),
  );
  if (meant === undefined) return undefined;
  return `there is no field "${name}": did you mean ${meant}? For an attribute of that name, ${ATTRIBUTE_HINT}`;
}

/** Parses and compiles a search for events. Never throws; an empty search matches every event. */
export function parseSearch(text: string): Search | SearchProblem {
  return readSearch(EVENT_SEARCH, text);
}

export function matchesSearch(search: Search, row: SearchRow, nowSeconds: number): boolean {
  return isSearchMatch(search, row, nowSeconds, row.searchText);
}

/** Whether the result of a search for an unchanged row can change as time passes, as with `age>1h`. */
export function usesTime(search: Search): boolean {
  return search.usesTime;
}

/** Returns the lower-case text of an event row in which the words of a search are looked for. */
export function searchText(row: EventRow): string {
  return EVENT_SEARCH.words(row);
}
