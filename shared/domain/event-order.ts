import type { EventRow } from '../schemas/feed.ts';
import { compareText } from './compare-text.ts';
import { compareAttributes, parseAttributeColumn, type AttributeColumn } from './event-attributes.ts';
import { statusRank, SEVERITIES_WORST_FIRST } from './severity.ts';

/** Columns by which a list of events can be sorted. */
export const EVENT_SORT_COLUMNS = ['status', 'client', 'check', 'count', 'age', 'last'] as const;
export type EventSortColumn = (typeof EVENT_SORT_COLUMNS)[number];

/**
 * Comparators for the default direction of each column: names in ascending order; the worst, newest and highest first.
 */
const COLUMN_COMPARATORS: Readonly<Record<EventSortColumn, (a: EventRow, b: EventRow) => number>> = {
  status: (a, b) => rankOfEvent(a) - rankOfEvent(b) || b.since - a.since,
  client: (a, b) => compareText(a.client, b.client),
  check: (a, b) => compareText(a.check, b.check),
  count: (a, b) => b.occurrences - a.occurrences,
  age: (a, b) => b.since - a.since,
  last: (a, b) => b.last - a.last,
};

/** Compares two events of a list. */
export type EventComparator = (a: EventRow, b: EventRow) => number;

/**
 * Returns a comparator for a list of events. Rows that are equal in the column are ordered by client and check.
 *
 * @param column a column of `EVENT_SORT_COLUMNS`, or an attribute of the client or the check
 */
export function eventOrder(column: EventSortColumn | AttributeColumn, isReversed = false): EventComparator {
  const compare = typeof column === 'string' ? COLUMN_COMPARATORS[column] : attributeComparator(column);
  const sign = isReversed ? -1 : 1;
  return (a, b) => sign * compare(a, b) || compareText(a.client, b.client) || compareText(a.check, b.check);
}

/**
 * Parses a sort order of events, such as `age`, `-age` (reversed) or `client.rack`.
 *
 * @returns a comparator, or an error message that says what is allowed
 */
export function parseEventOrder(text: string): EventComparator | string {
  const isReversed = text.startsWith('-');
  const name = isReversed ? text.slice(1) : text;
  const builtIn = EVENT_SORT_COLUMNS.find((candidate) => candidate === name);
  if (builtIn !== undefined) return eventOrder(builtIn, isReversed);
  const column = parseAttributeColumn(name);
  if (typeof column !== 'string') return eventOrder(column, isReversed);
  return `sort must be ${EVENT_SORT_COLUMNS.join(', ')}, subscriptions, client.NAME or check.NAME; a leading "-" reverses the order`;
}

function attributeComparator({ texts }: AttributeColumn): EventComparator {
  return (a, b) => compareAttributes(texts(a).join(', '), texts(b).join(', '));
}

/** Returns the rank of an event in the column `status`: by severity, and silenced events after all others. */
function rankOfEvent(row: EventRow): number {
  return row.silenced_by.length > 0 ? SEVERITIES_WORST_FIRST.length : statusRank(row.status);
}
