import type { SearchLanguage } from '../../shared/domain/search-language.ts';
import type { Field } from '../../shared/domain/search-fields.ts';
import { splitName } from '../model/backend-names.ts';
import { tableOf } from './tables.ts';
import { BACKEND_COLUMN, hasColumn, NAMESPACE_COLUMN } from '../model/where-column.ts';
import type { ViewName } from '../state/view-names.ts';
import type { LiveData } from '../model/live-data.ts';

/** Maximum number of client names that are offered as completions. */
const NAMES_MAX = 50;

/** Returns the completions of the last word of a filter. */
export function filterCandidates(store: LiveData, view: ViewName, text: string): readonly string[] {
  const table = tableOf(view);
  return table === undefined ? [] : candidates(store, table.search, text);
}

function candidates<Row>(store: LiveData, { fields }: SearchLanguage<Row>, text: string): readonly string[] {
  const [, name = '', operator = '', value = ''] = /([a-z_]+)(!=|>=|<=|=|>|<)([^\s()]*)$/i.exec(text) ?? [];
  const field = fields.get(name.toLowerCase());
  if (field !== undefined) return valuesOf(store, field, value).map((one) => `${name}${operator}${one}`);
  const shown = [...fields.values()].filter((one) => hasColumn(one.name, store.whereColumn));
  return [...shown.map(termOf), 'and', 'or', 'not'];
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
    // A name that must be quoted in a filter is not offered.
    if (name.startsWith(start) && /^[\w.:-]+$/.test(name)) names.push(name);
    if (names.length === NAMES_MAX) break;
  }
  return names;
}
