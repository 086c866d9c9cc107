import type { EventRow } from '../schemas/feed.ts';
import { compareText } from './compare-text.ts';
import { statusRank, WORST_FIRST } from './severity.ts';

/** Columns that a list of events is sorted by. */
export const EVENT_SORT_COLUMNS = ['status', 'client', 'check', 'count', 'age', 'last'] as const;
export type EventSortColumn = (typeof EVENT_SORT_COLUMNS)[number];

/** In the column's own direction: names up, the worst, the newest and the most first. */
const COLUMNS: Readonly<Record<EventSortColumn, (a: EventRow, b: EventRow) => number>> = {
  status: (a, b) => rank(a) - rank(b) || b.since - a.since,
  client: (a, b) => compareText(a.client, b.client),
  check: (a, b) => compareText(a.check, b.check),
  count: (a, b) => b.occurrences - a.occurrences,
  age: (a, b) => b.since - a.since,
  last: (a, b) => b.last - a.last,
};

/** A total order of rows with different names: where the column decides nothing, client and check do. */
export function eventOrder(column: EventSortColumn, isReversed = false): (a: EventRow, b: EventRow) => number {
  const compare = COLUMNS[column];
  const sign = isReversed ? -1 : 1;
  return (a, b) => sign * compare(a, b) || compareText(a.client, b.client) || compareText(a.check, b.check);
}

/** Silenced ones come after all others. */
function rank(row: EventRow): number {
  return row.silenced_by.length > 0 ? WORST_FIRST.length : statusRank(row.status);
}
