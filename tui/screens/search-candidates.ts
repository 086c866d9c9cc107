import { SUBSCRIPTIONS_ATTRIBUTE } from '../../shared/domain/event-attributes.ts';
import type { Field } from '../../shared/domain/search-fields.ts';
import { splitName } from '../model/backend-names.ts';
import type { AnyTable } from '../list/list-table.ts';
import { tableOf } from './tables.ts';
import { BACKEND_COLUMN, hasColumn, NAMESPACE_COLUMN } from '../model/where-column.ts';
import type { ViewName } from '../state/view-names.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ScreenView } from '../state/ports.ts';
import type { CompletionCandidates } from '../text/complete-line.ts';
import { EMPTY_LINE } from '../text/line-editor.ts';

/** Maximum number of client names that are offered as completions. */
const NAMES_MAX = 50;

/** Returns the completions of the last word of a filter. */
export function filterCandidates(store: LiveData, view: ViewName, text: string): readonly string[] {
  const table = tableOf(view);
  return table === undefined ? [] : candidatesOfTable(store, table, text);
}

/** Returns the completions of the word before the caret in the filter line; none if no letter of a word is typed. */
export function promptCompletion(store: ScreenView & LiveData): CompletionCandidates {
  const { prompt, view } = store.state;
  const { text, caret } = prompt?.chosen?.typed ?? prompt?.line ?? EMPTY_LINE;
  const before = text.slice(0, caret);
  const word = /[^\s(!]*$/u.exec(before)?.[0] ?? '';
  const from = caret - word.length;
  if (word === '') return { from, candidates: [] };
  return {
    from,
    candidates: filterCandidates(store, view, before).filter((one) => one.startsWith(word) && one !== word),
  };
}

function candidatesOfTable(
  store: LiveData,
  { search: { fields }, attributes }: Pick<AnyTable, 'search' | 'attributes'>,
  text: string,
): readonly string[] {
  const [, name = '', operator = '', value = ''] = /([a-z_][\w./-]*)(!=|>=|<=|=|>|<)([^\s()]*)$/i.exec(text) ?? [];
  const field = fields.get(name.toLowerCase());
  if (field !== undefined && (name === SUBSCRIPTIONS_ATTRIBUTE || field.isAlias === true)) {
    return plainTexts(attributes?.values(store, SUBSCRIPTIONS_ATTRIBUTE), value).map(
      (one) => `${name}${operator}${one}`,
    );
  }
  if (field !== undefined) return valuesOf(store, field, value).map((one) => `${name}${operator}${one}`);
  if (name !== '') return plainTexts(attributes?.values(store, name), value).map((one) => `${name}${operator}${one}`);
  const shown = [...fields.values()].filter((one) => one.isAlias !== true && hasColumn(one.name, store.whereColumn));
  const named = (attributes?.ids(store) ?? []).filter((id) => id !== SUBSCRIPTIONS_ATTRIBUTE).map((id) => `${id}=`);
  return [...shown.map(termOf), ...named, 'and', 'or', 'not'];
}

/** Returns the first values of an attribute that begin with the typed letters. */
function plainTexts(values: readonly string[] = [], start: string): readonly string[] {
  return values.filter((value) => value.startsWith(start) && isPlainValue(value)).slice(0, NAMES_MAX);
}

/** Returns whether a value needs no quotes in a filter. A value that needs them is not offered. */
function isPlainValue(value: string): boolean {
  return /^[\w.:-]+$/.test(value);
}

/** Returns the completion for a search field: its name and operator, or only the name of a flag. */
function termOf<Row>({ name, operator, flag }: Field<Row>): string {
  return flag === undefined ? `${name}${operator}` : name;
}

function valuesOf<Row>(store: LiveData, { name, values }: Field<Row>, start: string): readonly string[] {
  if (name === BACKEND_COLUMN) return [...(store.backends?.keys() ?? [])];
  if (name === NAMESPACE_COLUMN) return store.namespaces;
  return name === 'client' ? clientNames(store, start) : values;
}

function clientNames({ clients }: Pick<LiveData, 'clients'>, start: string): readonly string[] {
  const names: string[] = [];
  for (const key of clients.keys()) {
    const { name } = splitName(key);
    if (name.startsWith(start) && isPlainValue(name)) names.push(name);
    if (names.length === NAMES_MAX) break;
  }
  return names;
}
