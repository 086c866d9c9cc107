import { EVENT_COLUMNS, eventAttributeColumn, rowLookOf, type EventLine } from './columns.ts';
import { tableView } from '../../list/list-table.ts';
import { EVENT_SEARCH, type SearchRow } from '../../../shared/domain/search.ts';
import type { ListRecord, RowOrder } from '../../model/list-rows.ts';
import { splitName } from '../../model/backend-names.ts';
import { EventFold } from '../../model/event-fold.ts';
import type { FoldedRow } from '../../model/event-folds.ts';
import type { EventRecord } from '../../model/event-record.ts';
import { isDisconnected } from '../../model/merged-feed.ts';
import { sampledAttributes, sampledValues } from '../../model/attribute-samples.ts';
import { layOutEventTable, silenceOf } from './layout.ts';
import { EVENT_COLUMN, eventSort } from '../../model/event-sort.ts';

/** Maximum number of values of an attribute that are offered as completions. */
const VALUES_MAX = 1000;

export const EVENTS_VIEW = tableView<EventRecord, EventLine, SearchRow>({
  name: 'events',
  nouns: ['event', 'events'],
  columns: EVENT_COLUMNS,
  attributes: {
    column: eventAttributeColumn,
    ids: sampledAttributes,
    values: (store, name) => sampledValues(store, name, VALUES_MAX),
  },
  sort: EVENT_COLUMN,
  // The cast is safe, because all rows of this list are of the type `EventRecord`.
  order: (sort) => eventSort(sort) as unknown as RowOrder<ListRecord>,
  newestBy: ['age', 'last'],
  search: EVENT_SEARCH,
  drawn: (store, entry, placed) => {
    const record = entry as FoldedRow;
    const { context = '' } = splitName(record.row.client);
    const fold = record instanceof EventFold ? record : undefined;
    return {
      row: {
        record,
        fold,
        isUnfolded:
          fold === undefined ? store.folds.unfoldedAround(record.key) !== undefined : store.folds.isUnfolded(fold),
        silence: silenceOf(store.silenced, record),
        isPlaced: store.whereColumn !== undefined && placed.some(({ column }) => column.id === store.whereColumn),
      },
      isStale: store.backends !== undefined && isDisconnected(store.backends.get(context)),
    };
  },
  rowLook: ({ record }, nowMs) => rowLookOf(record, nowMs),
  layOut: (store, window, content) => layOutEventTable(store, window as readonly FoldedRow[], content),
  empty: ({ feed, options }) =>
    feed.stats?.clients === 0
      ? ['No events and no clients yet.', '', `Start one: mon-agent start --backend ${options.backend}`]
      : ['No events: everything that reports is OK.'],
  noMatch: 'No event matches the filter.',
  menu: [
    'open',
    'silence',
    'acknowledge',
    'unacknowledge',
    'repeat-silence',
    'resolve',
    'unsilence',
    'run',
    'delete',
    'explain',
    'timeline',
    'incident',
    'before',
    'runbook',
    'json',
    'fold',
  ],
});
