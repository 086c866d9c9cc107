import { tableColumn, countColumn, placedColumns } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import { splitName } from '../../model/backend-names.ts';
import { namespaceField } from '../namespace-field.ts';
import { sparkline } from '../../text/sparkline.ts';
import { countField, flagField } from '../../../shared/domain/search-fields.ts';
import { languageForItems } from '../../../shared/domain/search-language.ts';
import { AGGREGATE_SEARCH } from '../../../shared/domain/list-searches.ts';
import {
  aggregateBar,
  aggregateMark,
  isBelowThreshold,
  percentText,
  type AggregateEntry,
} from '../../model/aggregate-book.ts';

const BAR_CELLS = 22;
const TREND_CELLS = 30;

export const AGGREGATES_VIEW = tableView<AggregateEntry>({
  name: 'aggregates',
  nouns: ['aggregate', 'aggregates'],
  source: {
    keys: ({ aggregates }) => aggregates.names(),
    row: ({ aggregates }, name) => aggregates.get(name),
  },
  columns: [
    ...placedColumns<AggregateEntry>('aggregate', 'AGGREGATE', [14, 36], ({ name }) => name),
    tableColumn('ok', 'OK', [4, 4], percentText, {
      align: 'right',
      tone: (entry) => aggregateMark(entry).tone,
      // The aggregate with the lowest percentage of OK results sorts first, because it needs attention first.
      compare: (a, b) => (a.percent ?? 101) - (b.percent ?? 101),
    }),
    {
      id: 'bar',
      title: '',
      least: 10,
      most: BAR_CELLS,
      text: (entry, _, width = BAR_CELLS) =>
        aggregateBar(entry, width)
          .map(({ text }) => text)
          .join(''),
      runs: (entry, _, width) => aggregateBar(entry, width),
    },
    {
      id: 'need',
      title: 'NEED',
      least: 6,
      most: 6,
      text: (entry) =>
        entry.threshold === undefined ? '-' : `${String(entry.threshold)}% ${aggregateMark(entry).text}`,
      tone: (entry) => aggregateMark(entry).tone,
      compare: (a, b) =>
        Number(isBelowThreshold(b)) - Number(isBelowThreshold(a)) || pointsAboveThreshold(a) - pointsAboveThreshold(b),
    },
    countColumn('critical', 'CRIT', ({ summary }) => summary.results.critical, { tone: 'critical' }),
    countColumn('warning', 'WARN', ({ summary }) => summary.results.warning, { tone: 'warning' }),
    countColumn('unknown', 'UNKN', ({ summary }) => summary.results.unknown, { tone: 'unknown' }),
    countColumn('silenced', 'SIL', ({ summary }) => summary.results.silenced),
    countColumn('down', 'DOWN', ({ summary }) => summary.results.down, { tone: 'critical' }),
    countColumn('clients', 'CLIENTS', ({ summary }) => summary.clients, { least: 7, dropRank: 3 }),
    countColumn('checks', 'CHECKS', ({ summary }) => summary.checks, { least: 6, dropRank: 3 }),
    {
      id: 'trend',
      title: 'TREND 10m',
      least: 10,
      most: TREND_CELLS,
      dropRank: 2,
      text: ({ trend }, _, width = TREND_CELLS) => sparkline(trend, Math.min(width, TREND_CELLS), 100),
      tone: () => 'accent',
    },
  ],
  sort: 'need',
  search: languageForItems(
    AGGREGATE_SEARCH,
    ({ name, summary }: AggregateEntry) => ({ ...summary, name: splitName(name).name }),
    [
      namespaceField(({ name }) => name),
      countField('need', ({ threshold: need }) => need),
      flagField('below', isBelowThreshold),
    ],
  ),
  empty: () => [
    'No aggregates: no result belongs to one.',
    '',
    'Set "aggregate": "name" in a check to add its results to an aggregate.',
  ],
  menu: ['open'],
});

/**
 * Returns by how many percentage points the share of OK results exceeds the threshold of the aggregate. For an
 * aggregate without a threshold, returns a large number, so that it sorts last.
 */
function pointsAboveThreshold({ percent, threshold: need }: AggregateEntry): number {
  return percent === undefined || need === undefined ? 1000 : percent - need;
}
