import { EVENT_SORT_COLUMNS, eventOrder } from '../../../shared/domain/event-order.ts';
import { MonError } from '../../../shared/errors.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';

/**
 * Returns the comparison function that the query parameter `sort` of an event list selects.
 *
 * @param text value of `sort`: a column, with a leading "-" for the reverse order
 * @throws MonError `invalid` if there is no such column
 */
export function requestedOrder(text = 'status'): (a: EventRow, b: EventRow) => number {
  const isReversed = text.startsWith('-');
  const name = isReversed ? text.slice(1) : text;
  const column = EVENT_SORT_COLUMNS.find((candidate) => candidate === name);
  if (column === undefined) {
    throw new MonError('invalid', `sort must be ${EVENT_SORT_COLUMNS.join(', ')}; a leading "-" reverses the order`);
  }
  return eventOrder(column, isReversed);
}
