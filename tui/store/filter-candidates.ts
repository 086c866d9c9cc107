import { splitName } from './backend-names.ts';
import type { ConsoleStore } from './console-store.ts';
import { tableOf } from './views/tables.ts';
import type { ViewName } from './views/view-names.ts';

/** Terms of the search language as far as they can be typed for somebody. */
const TERMS: readonly string[] = [
  'status>=',
  'silenced',
  'client~',
  'check~',
  'output~',
  'age>',
  'last<',
  'occurrences>',
  'action=',
  'flapping',
  'silenced_by~',
  'and',
  'or',
  'not',
];

const VALUES: Readonly<Record<string, readonly string[]>> = {
  status: ['warn', 'crit', 'unknown', 'ok'],
  action: ['create', 'flapping', 'resolve'],
  silenced: ['true', 'false'],
  flapping: ['true', 'false'],
  age: ['5m', '1h', '1d'],
  last: ['1m', '5m', '1h'],
};

/** Names that are offered at most. */
const NAMES_MAX = 50;

/** What may stand where the last word of a filter is. */
export function filterCandidates(store: ConsoleStore, view: ViewName, text: string): readonly string[] {
  const table = tableOf(view);
  if (table !== undefined) return table.columns.map(({ id }) => `${id}=`);
  if (view !== 'events') return [];
  const [, name = '', operator = '', value = ''] = /([a-z_]+)(!=|>=|<=|=|>|<)([^\s()]*)$/i.exec(text) ?? [];
  const field = name.toLowerCase();
  if (operator === '') return store.backends === undefined ? TERMS : [...TERMS, 'backend='];
  if (field === 'backend') return [...(store.backends?.keys() ?? [])].map((one) => `${name}${operator}${one}`);
  const values = field === 'client' ? clientNames(store, value) : (VALUES[field] ?? []);
  return values.map((one) => `${name}${operator}${one}`);
}

function clientNames({ clients }: ConsoleStore, start: string): readonly string[] {
  const names: string[] = [];
  for (const key of clients.keys()) {
    const { name } = splitName(key);
    // A name that would have to be quoted is left to the fingers.
    if (name.startsWith(start) && /^[\w.:-]+$/.test(name)) names.push(name);
    if (names.length === NAMES_MAX) break;
  }
  return names;
}
