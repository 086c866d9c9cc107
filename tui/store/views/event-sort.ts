import type { EventRow } from '../../../shared/schemas/feed.ts';
import { rankOf, type EventRecord } from '../event-record.ts';
import type { SortState } from '../list-state.ts';

/** The column that events are sorted by until somebody chooses another. */
export const EVENT_COLUMN = 'status';

/** An order of events. `compare` is total. */
export interface EventSort {
  readonly compare: (a: EventRecord, b: EventRecord) => number;
  /** Whether an event whose row changes so keeps its place: most results change nothing that is sorted by. */
  readonly keepsPlace: (before: EventRow, after: EventRow) => boolean;
}

interface EventSortColumn {
  readonly id: string;
  readonly title: string;
  /** In words, for the line under the list. */
  readonly says: string;
  /** What the column sorts by. */
  readonly value: (row: EventRow) => string | number;
  /** In the column's own direction. */
  readonly compare: (a: EventRecord, b: EventRecord) => number;
}

/** Sort columns of the events, in the order of the list. Newest and most come first: those are looked for. */
export const EVENT_SORTS: readonly EventSortColumn[] = [
  {
    id: EVENT_COLUMN,
    title: 'STATUS',
    says: 'severity, age',
    value: rankOf,
    compare: (a, b) => a.rank - b.rank,
  },
  column('client', 'CLIENT', ({ client }) => client, 'up'),
  column('check', 'CHECK', ({ check }) => check, 'up'),
  column('count', 'COUNT', ({ occurrences }) => occurrences, 'down'),
  column('age', 'AGE', ({ since }) => since, 'down'),
  column('last', 'LAST', ({ last }) => last, 'down'),
];

/** The order that a list of events is set to. Where a column decides nothing severity and age do, then the name. */
export function eventSort({ column: id, reversed }: SortState): EventSort {
  const { compare, value } = sortColumn(id);
  const sign = reversed ? -1 : 1;
  return {
    compare: (a, b) => sign * compare(a, b) || a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
    keepsPlace: (before, after) => value(before) === value(after) && rankOf(before) === rankOf(after),
  };
}

/** As the line under the list says it. */
export function eventSortText({ column: id, reversed }: SortState): string {
  return `${sortColumn(id).says}${reversed ? ', reversed' : ''}`;
}

function sortColumn(id: string): EventSortColumn {
  const found = EVENT_SORTS.find((sort) => sort.id === id) ?? EVENT_SORTS[0];
  if (found === undefined) throw new Error('events have no sort column');
  return found;
}

function column(
  id: string,
  title: string,
  value: (row: EventRow) => string | number,
  direction: 'up' | 'down',
): EventSortColumn {
  const sign = direction === 'up' ? 1 : -1;
  const compare = (a: EventRecord, b: EventRecord): number => {
    const [one, other] = [value(a.row), value(b.row)];
    return one === other ? 0 : one < other ? -sign : sign;
  };
  return { id, title, says: title.toLowerCase(), value, compare };
}

/** Columns of the list of events in their order; the first cannot be hidden. */
export const EVENT_COLUMNS = [
  { id: 'status', title: 'STATUS' },
  { id: 'client', title: 'CLIENT' },
  { id: 'check', title: 'CHECK' },
  { id: 'count', title: 'COUNT' },
  { id: 'age', title: 'AGE' },
  { id: 'last', title: 'LAST' },
  { id: 'output', title: 'OUTPUT' },
] as const;
