import { limitRuleToNamespaces } from '../../../shared/domain/notify/inhibition-scope.ts';
import { INHIBITION_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { InhibitionRow } from '../../../shared/schemas/inhibition.ts';
import { tableColumn, countColumn, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { LiveData } from '../../model/live-data.ts';
import { NAMESPACE_COLUMN } from '../../model/where-column.ts';
import { isInShownNamespace } from '../../model/shown-namespace.ts';
import type { ScreenView } from '../../state/ports.ts';
import { countText } from '../../words/count-text.ts';
import { NO_INHIBITION_TEXT } from '../../words/inhibition-text.ts';

/** The view of the inhibition rules. */
export const INHIBITIONS_VIEW = tableView<InhibitionRow>({
  name: 'inhibitions',
  nouns: ['inhibition', 'inhibitions'],
  source: {
    keys: (store) => rulesByName(store).keys(),
    row: (store, key) => rulesByName(store).get(key),
  },
  columns: [
    textColumn('rule', 'INHIBITION', [12, 28], ({ name }) => name, { cut: 'middle' }),
    countColumn('inhibited', 'INHIBITED', ({ inhibited }) => inhibited, { least: 10, most: 10, tone: 'silenced' }),
    tableColumn('inhibitor', 'SOURCE EVENT', [20, 44], inhibitorText, {
      cut: 'middle',
      tone: ({ inhibitors }) => (inhibitors.length === 0 ? 'faint' : 'critical'),
      compare: (a, b) => b.inhibitors.length - a.inhibitors.length,
    }),
    textColumn(NAMESPACE_COLUMN, 'NAMESPACE', [10, 14], ({ inhibitors: [first] }) => first?.namespace ?? ''),
    textColumn('source', 'SOURCE', [14, 40], ({ source }) => source, { dropRank: 1 }),
    textColumn('target', 'TARGET', [12, 40], ({ target }) => target, { dropRank: 2 }),
    textColumn('equal', 'EQUAL', [8, Infinity], ({ equal }) => equal.join(', '), { dropRank: 3 }),
  ],
  sort: 'inhibited',
  search: INHIBITION_SEARCH,
  empty: () => [NO_INHIBITION_TEXT, '', 'See docs/handlers.md.'],
  menu: ['open', 'inhibitor'],
});

/** Returns the first event that activates the inhibition rule, and the number of further such events. */
function inhibitorText({ inhibitors }: InhibitionRow): string {
  const [first, ...others] = inhibitors;
  if (first === undefined) return 'none now';
  const more = others.length === 0 ? '' : ` +${countText(others.length)}`;
  return `${first.client}/${first.check}${more}`;
}

/**
 * Returns the inhibition rules of the last response by name, limited to the shown namespace. The map is built once for
 * each response.
 */
function rulesByName({ loads, options }: ScreenView & Pick<LiveData, 'loads'>): ReadonlyMap<string, InhibitionRow> {
  const { data } = loads.loadOf('inhibitions');
  if (data === undefined) return NO_RULES;
  const byName =
    rulesByNameCache.get(data) ??
    new Map(data.map((rule) => [rule.name, limitRuleToNamespaces(rule, isInShownNamespace(options))]));
  rulesByNameCache.set(data, byName);
  return byName;
}

const NO_RULES: ReadonlyMap<string, InhibitionRow> = new Map();
const rulesByNameCache = new WeakMap<readonly InhibitionRow[], ReadonlyMap<string, InhibitionRow>>();
