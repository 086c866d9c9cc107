import type { PastState } from '../schemas/timeline.ts';
import type { ApiClient } from './api-client.ts';

/** Events that come at once. */
const PAGE = 10_000;

/**
 * The lists as they were, whole: the worst events first.
 *
 * @param atMs epoch milliseconds
 * @throws MonError `not_found` when nothing is known of then
 */
export async function readPastLists(api: Pick<ApiClient, 'pastState'>, atMs: number): Promise<PastState> {
  const first = await api.pastState({ at: atMs, limit: PAGE, silenced: '', clients: '' });
  const events = [...first.events];
  while (events.length < first.total) {
    const more = await api.pastState({ at: atMs, limit: PAGE, offset: events.length });
    // Erased in between.
    if (more.events.length === 0) break;
    events.push(...more.events);
  }
  return { ...first, events };
}
