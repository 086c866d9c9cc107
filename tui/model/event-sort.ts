import type { EventRow } from '../../shared/schemas/feed.ts';
import { splitName } from './backend-names.ts';
import { rankOf, type EventRecord } from './event-record.ts';
import type { SortState } from './list-order.ts';

/** The column that events are sorted by until somebody chooses another. */
export const EVENT_COLUMN = 'status';

/** Only of a list of several backends. */
export const BACKEND_COLUMN = 'backend';
/** Only of a list of all namespaces. */
export const NAMESPACE_COLUMN = 'namespace';

/** The column that tells rows of the same name apart; undefined: the list is of one place. */
export type WhereColumn = typeof BACKEND_COLUMN | typeof NAMESPACE_COLUMN | undefined;

/**
 * Whether a list has this column.
 *
 * @param where `any`: before it is known what the list is of
 */
export function isColumnThere(id: string, where: WhereColumn | 'any'): boolean {
  return where === 'any' || id === where || (id !== BACKEND_COLUMN && id !== NAMESPACE_COLUMN);
}

/** An order of events. `compare` is total. */
export interface EventSort {
  readonly compare: (a: EventRecord, b: EventRecord) => number;
  /** What decides first, smaller before larger; the same for all where it cannot be told by a number. */
  readonly rankOf: (record: EventRecord) => number;
  /** Whether an event whose row changes so keeps its place: most results change nothing that is sorted by. */
  readonly keepsPlace: (before: EventRow, after: EventRow) => boolean;
  /**
   * All of `records` in this order. Several times as fast as sorting by `compare` when they come in the order in which
   * they were made: what is compared is read once, from neighbours in memory.
   */
  readonly sortAll: (records: readonly EventRecord[]) => EventRecord[];
}

interface EventSortColumn {
  readonly id: string;
  readonly title: string;
  /** In words, for the line under the list. */
  readonly says: string;
  /** What the column sorts by: all its values are text, or all are numbers. */
  readonly value: (row: EventRow) => string | number;
  readonly isText?: true;
  /** 1: small values first, -1: large ones. */
  readonly direction: 1 | -1;
}

/** Sort columns of the events, in the order of the list. Newest and most come first: those are looked for. */
export const EVENT_SORTS: readonly EventSortColumn[] = [
  { id: EVENT_COLUMN, title: 'STATUS', says: 'severity, age', value: rankOf, direction: 1 },
  {
    id: BACKEND_COLUMN,
    title: 'BACKEND',
    says: 'backend',
    value: ({ client }) => splitName(client).context ?? '',
    isText: true,
    direction: 1,
  },
  {
    id: NAMESPACE_COLUMN,
    title: 'NAMESPACE',
    says: 'namespace',
    value: ({ client }) => splitName(client).context ?? '',
    isText: true,
    direction: 1,
  },
  { id: 'client', title: 'CLIENT', says: 'client', value: ({ client }) => client, isText: true, direction: 1 },
  { id: 'check', title: 'CHECK', says: 'check', value: ({ check }) => check, isText: true, direction: 1 },
  { id: 'count', title: 'COUNT', says: 'count', value: ({ occurrences }) => occurrences, direction: -1 },
  { id: 'age', title: 'AGE', says: 'age', value: ({ since }) => since, direction: -1 },
  { id: 'last', title: 'LAST', says: 'last', value: ({ last }) => last, direction: -1 },
];

/** The order that a list of events is set to. Where a column decides nothing severity and age do, then the name. */
export function eventSort({ column: id, reversed }: SortState): EventSort {
  const { value, isText = false, direction } = sortColumn(id);
  const sign = reversed ? -direction : direction;
  const rankBy = (): EventSort['rankOf'] => {
    if (isText) return () => 0;
    return value === rankOf ? ({ rank }) => sign * rank : ({ row }) => sign * Number(value(row));
  };
  return {
    compare:
      value === rankOf
        ? // The usual order, hundreds of thousands of times a second: the rank is known to each record.
          (a, b) => sign * (a.rank - b.rank) || compareValues(a.key, b.key)
        : (a, b) => sign * compareValues(value(a.row), value(b.row)) || byRankAndName(a, b),
    rankOf: rankBy(),
    keepsPlace:
      value === rankOf
        ? (before, after) => rankOf(before) === rankOf(after)
        : (before, after) => value(before) === value(after) && rankOf(before) === rankOf(after),
    sortAll: (records) => {
      const places = placesOf(records.map(({ row }) => value(row)));
      const ranks = Float64Array.from(records, ({ rank }) => rank);
      const order = Uint32Array.from(records, (_, index) => index).toSorted((a, b) => {
        const byValue = (places[a] ?? 0) - (places[b] ?? 0);
        if (byValue !== 0) return sign * byValue;
        const byRank = (ranks[a] ?? 0) - (ranks[b] ?? 0);
        return byRank !== 0 ? byRank : compareValues(records[a]?.key ?? '', records[b]?.key ?? '');
      });
      return Array.from(order, (index) => records[index] as EventRecord);
    },
  };
}

/** For each value a number that sorts as it does: numbers compare many times as fast as text. */
function placesOf(values: readonly (string | number)[]): Float64Array {
  if (typeof values[0] !== 'string') return Float64Array.from(values as readonly number[]);
  // One look-up for each value: hashing and comparing text is what takes the time.
  const numbers = new Map<string | number, number>();
  const numberOf = (value: string | number): number => {
    const known = numbers.get(value) ?? numbers.size;
    if (known === numbers.size) numbers.set(value, known);
    return known;
  };
  const numbered = Uint32Array.from(values, numberOf);
  const places = new Float64Array(numbers.size);
  const inOrder = [...numbers.keys()].toSorted(compareValues);
  for (const [place, value] of inOrder.entries()) places[numbers.get(value) ?? 0] = place;
  return Float64Array.from(numbered, (number) => places[number] ?? 0);
}

function compareValues(a: string | number, b: string | number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function byRankAndName(a: EventRecord, b: EventRecord): number {
  return a.rank - b.rank || compareValues(a.key, b.key);
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

/** Columns of the list of events in their order; the first cannot be hidden. */
export const EVENT_COLUMNS = [
  { id: 'status', title: 'STATUS' },
  { id: BACKEND_COLUMN, title: 'BACKEND' },
  { id: NAMESPACE_COLUMN, title: 'NAMESPACE' },
  { id: 'client', title: 'CLIENT' },
  { id: 'check', title: 'CHECK' },
  { id: 'count', title: 'COUNT' },
  { id: 'age', title: 'AGE' },
  { id: 'last', title: 'LAST' },
  { id: 'output', title: 'OUTPUT' },
] as const;
