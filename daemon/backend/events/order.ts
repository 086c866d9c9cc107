import { parseEventOrder, type EventComparator } from '../../../shared/domain/event-order.ts';
import { MonError } from '../../../shared/errors.ts';

/**
 * Returns the comparison function that the query parameter `sort` of an event list selects.
 *
 * @param text value of `sort`: a column or an attribute, with a leading "-" for the reverse order
 * @throws MonError `invalid` if there is no such column
 */
export function requestedOrder(text = 'status'): EventComparator {
  const order = parseEventOrder(text);
  if (typeof order === 'string') throw new MonError('invalid', order);
  return order;
}
