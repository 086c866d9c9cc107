import { compareAttributes, parseAttributeColumn } from '../../shared/domain/event-attributes.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { splitName } from './backend-names.ts';
import { classRankOf, rankOf, type EventRecord } from './event-record.ts';
import type { SortState } from './list-order.ts';
import type { RowOrder } from './list-rows.ts';
import { BACKEND_COLUMN, NAMESPACE_COLUMN } from './where-column.ts';

/** The default sort column of events. */
export const EVENT_COLUMN = 'status';

interface EventSortColumn {
  readonly id: string;
  /** Returns the value of a row that the column sorts by. All values of a column are text, or all are numbers. */
  readonly value: (row: EventRow) => string | number;
  readonly isText?: true;
  /** Compares two values in ascending order. Default: numbers by size, texts by their characters. */
  readonly compare?: (a: string | number, b: string | number) => number;
  /** Default direction: 1 sorts small values first, -1 large ones. */
  readonly direction: 1 | -1;
}

/**
 * The columns that events can be sorted by, in the order of the table. Times and counts sort the largest value first.
 */
export const EVENT_SORTS: readonly EventSortColumn[] = [
  { id: EVENT_COLUMN, value: rankOf, direction: 1 },
  {
    id: BACKEND_COLUMN,
    value: ({ client }) => splitName(client).context ?? '',
    isText: true,
    direction: 1,
  },
  {
    id: NAMESPACE_COLUMN,
    value: ({ client }) => splitName(client).context ?? '',
    isText: true,
    direction: 1,
  },
  { id: 'client', value: ({ client }) => client, isText: true, direction: 1 },
  { id: 'check', value: ({ check }) => check, isText: true, direction: 1 },
  { id: 'count', value: ({ occurrences }) => occurrences, direction: -1 },
  { id: 'age', value: ({ since }) => since, direction: -1 },
  { id: 'last', value: ({ last }) => last, direction: -1 },
];

/**
 * Returns the order of events for a sort column. Events with equal values are ordered by severity and age, then by
 * name.
 */
export function eventSort({ column: id, reversed }: SortState): RowOrder<EventRecord> {
  const { value, isText = false, direction, compare = compareValues } = sortColumn(id);
  const sign = reversed ? (-direction as 1 | -1) : direction;
  const rankBy = (): RowOrder<EventRecord>['rankOf'] => {
    if (isText) return () => 0;
    return value === rankOf ? ({ rank }) => sign * rank : ({ row }) => sign * Number(value(row));
  };
  const foldRank = foldRankFunction(id, sign);
  return {
    ...(foldRank && { foldRank }),
    compare:
      value === rankOf
        ? // The default order is compared hundreds of thousands of times a second, so each record stores its rank.
          (a, b) => sign * (a.rank - b.rank) || compareValues(a.key, b.key)
        : (a, b) => sign * compare(value(a.row), value(b.row)) || byRankAndName(a, b),
    rankOf: rankBy(),
    keepsPosition:
      value === rankOf
        ? (before, after) => rankOf(before) === rankOf(after)
        : (before, after) => value(before) === value(after) && rankOf(before) === rankOf(after),
    // This is several times as fast as sorting with `compare` if the records are in creation order: each value is read
    // only once, from adjacent memory.
    sortAll: <Some extends EventRecord>(records: readonly Some[]) => {
      const sortNumbers = sortNumbersOf(
        records.map(({ row }) => value(row)),
        compare,
      );
      const ranks = Float64Array.from(records, ({ rank }) => rank);
      const order = Uint32Array.from(records, (_, index) => index).toSorted((a, b) => {
        const byValue = (sortNumbers[a] ?? 0) - (sortNumbers[b] ?? 0);
        if (byValue !== 0) return sign * byValue;
        const byRank = (ranks[a] ?? 0) - (ranks[b] ?? 0);
        return byRank !== 0 ? byRank : compareValues(records[a]?.key ?? '', records[b]?.key ?? '');
      });
      return Array.from(order, (index) => records[index] as Some);
    },
  };
}

/**
 * Number by which the class of a fold is multiplied in its rank. It is larger than the number of events in any list.
 */
const CLASS_STEP = 1e9;

/**
 * Returns the rank of folds for the default order and for the order by count: of the folds of a class, or of all folds,
 * the largest comes first.
 */
function foldRankFunction(id: string, sign: 1 | -1): RowOrder<EventRecord>['foldRank'] {
  if (id === EVENT_COLUMN) {
    return ({ size, first }) => sign * ((first === undefined ? 0 : classRankOf(first)) * CLASS_STEP - size);
  }
  return id === 'count' ? ({ size }) => sign * size : undefined;
}

/** Returns numbers that sort in the same order as the values, because numbers are compared much faster than text. */
function sortNumbersOf(values: readonly (string | number)[], compare: typeof compareValues): Float64Array {
  if (typeof values[0] !== 'string') return Float64Array.from(values as readonly number[]);
  // Each value is looked up only once, because hashing and comparing text takes most of the time.
  const numbers = new Map<string | number, number>();
  const numberOf = (value: string | number): number => {
    const assigned = numbers.get(value) ?? numbers.size;
    if (assigned === numbers.size) numbers.set(value, assigned);
    return assigned;
  };
  const numbered = Uint32Array.from(values, numberOf);
  const positions = new Float64Array(numbers.size);
  const inOrder = [...numbers.keys()].toSorted(compare);
  for (const [position, value] of inOrder.entries()) positions[numbers.get(value) ?? 0] = position;
  return Float64Array.from(numbered, (number) => positions[number] ?? 0);
}

function compareValues(a: string | number, b: string | number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function byRankAndName(a: EventRecord, b: EventRecord): number {
  return a.rank - b.rank || compareValues(a.key, b.key);
}

function sortColumn(id: string): EventSortColumn {
  const [first] = EVENT_SORTS;
  const column = EVENT_SORTS.find((sort) => sort.id === id) ?? attributeSort(id) ?? first;
  if (column === undefined) throw new Error('events have no sort column');
  return column;
}

/** Returns the sort column of an attribute; `undefined` if the id is not that of an attribute. */
function attributeSort(id: string): EventSortColumn | undefined {
  const column = parseAttributeColumn(id);
  if (typeof column === 'string') return undefined;
  return {
    id,
    value: (row) => column.texts(row).join(', '),
    isText: true,
    direction: 1,
    compare: (a, b) => compareAttributes(String(a), String(b)),
  };
}
