import type { EventRow } from '../schemas/feed.ts';
import { compareText } from './compare-text.ts';
import { statusRank, WORST_FIRST } from './severity.ts';

/** Columns by which a list of events can be sorted. */
export const EVENT_SORT_COLUMNS = ['status', 'client', 'check', 'count', 'age', 'last'] as const;
export type EventSortColumn = (typeof EVENT_SORT_COLUMNS)[number];

/**
 * Comparators for the default direction of each column: names in ascending order; the worst, newest and highest first.
 */
const COLUMNS: Readonly<Record<EventSortColumn, (a: EventRow, b: EventRow) => number>> = {
  status: (a, b) => rank(a) - rank(b) || b.since - a.since,
  client: (a, b) => compareText(a.client, b.client),
  check: (a, b) => compareText(a.check, b.check),
  count: (a, b) => b.occurrences - a.occurrences,
  age: (a, b) => b.since - a.since,
  last: (a, b) => b.last - a.last,
};

/** Returns a comparator for a list of events. Rows that are equal in the column are ordered by client and check. */
export function eventOrder(column: EventSortColumn, isReversed = false): (a: EventRow, b: EventRow) => number {
  const compare = COLUMNS[column];
  const sign = isReversed ? -1 : 1;
  return (a, b) => sign * compare(a, b) || compareText(a.client, b.client) || compareText(a.check, b.check);
}

/** Returns the rank of an event in the column `status`: by severity, and silenced events after all others. */
function rank(row: EventRow): number {
  return row.silenced_by.length > 0 ? WORST_FIRST.length : statusRank(row.status);
}
