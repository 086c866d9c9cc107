import { eventKey } from '../../shared/domain/event-key.ts';
import type { FeedRows } from '../../shared/schemas/feed.ts';
import type { PastState } from '../../shared/schemas/timeline.ts';
import { placedRows } from './follow-all.ts';

/**
 * The lists of a moment as a feed has them.
 *
 * @param isPlaced whether they are of all namespaces, and say of which
 */
export function rowsOfPast({ events, silenced = [], clients = [] }: PastState, isPlaced: boolean): FeedRows {
  const placeOf = (namespace: string | undefined, key: string): string =>
    isPlaced ? `${namespace ?? ''}/${key}` : key;
  const rows: FeedRows = {
    events: Object.fromEntries(
      events.map((row) => [
        placeOf(row.namespace, eventKey(row.client, row.check)),
        { ...row, silenced_by: [...row.silenced_by] },
      ]),
    ),
    silenced: Object.fromEntries(silenced.map((row) => [placeOf(row.namespace, row.id), row])),
    clients: Object.fromEntries(
      clients.map(({ events: _events, gone: _gone, ...row }) => [
        placeOf(row.namespace, row.name),
        { ...row, subscriptions: [...row.subscriptions] },
      ]),
    ),
  };
  if (!isPlaced) return rows;
  return placedRows(rows, (key) => {
    const slash = key.indexOf('/');
    return [key.slice(0, slash), key.slice(slash + 1)];
  });
}
