import type { PastState } from '../schemas/timeline.ts';
import type { ApiClient } from './api-client.ts';
import { ReceivedAttributes } from './received-attributes.ts';

/** Number of events in one page. */
const PAGE_SIZE = 10_000;

/**
 * Yields the events at a past moment in pages, the worst events first. The first page also contains the silences and
 * clients.
 *
 * @param atMs epoch milliseconds
 * @throws MonError `not_found` if the history does not reach back to that time
 */
export async function* pagesOfPast(api: Pick<ApiClient, 'pastState'>, atMs: number): AsyncGenerator<PastState, void> {
  let read = 0;
  for (;;) {
    const lists = read === 0 ? ({ silenced: '', clients: '' } as const) : { offset: read };
    const page = await api.pastState({ at: atMs, limit: PAGE_SIZE, ...lists });
    read += page.events.length;
    yield page;
    // An empty page means that history was deleted since the first page.
    if (page.events.length === 0 || read >= page.total) return;
  }
}

/** Returns all events with their attributes, silences and clients at a past moment. */
export async function readPastLists(api: Pick<ApiClient, 'pastState'>, atMs: number): Promise<PastState> {
  let first: PastState | undefined;
  const events: PastState['events'][number][] = [];
  const sets = new ReceivedAttributes();
  for await (const page of pagesOfPast(api, atMs)) {
    first ??= page;
    sets.apply({ attributes: page.attributes ?? {} });
    for (const row of page.events) {
      sets.addTo(row);
      events.push(row);
    }
  }
  if (first === undefined) throw new Error('invalid response from the backend: expected a page of the event list');
  return { ...first, events };
}
