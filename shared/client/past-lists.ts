import type { PastState } from '../schemas/timeline.ts';
import type { ApiClient } from './api-client.ts';

/** Number of events in one page. */
const PAGE = 10_000;

/**
 * Yields the lists at a past moment, in pages of events with the worst first. The first page contains all other lists.
 *
 * @param atMs epoch milliseconds
 * @throws MonError `not_found` if nothing is retained from then
 */
export async function* pagesOfPast(api: Pick<ApiClient, 'pastState'>, atMs: number): AsyncGenerator<PastState, void> {
  let read = 0;
  for (;;) {
    const lists = read === 0 ? ({ silenced: '', clients: '' } as const) : { offset: read };
    const page = await api.pastState({ at: atMs, limit: PAGE, ...lists });
    read += page.events.length;
    yield page;
    // Data was deleted between two pages.
    if (page.events.length === 0 || read >= page.total) return;
  }
}

/** Returns the complete lists at a past moment. */
export async function readPastLists(api: Pick<ApiClient, 'pastState'>, atMs: number): Promise<PastState> {
  let first: PastState | undefined;
  const events: PastState['events'][number][] = [];
  for await (const page of pagesOfPast(api, atMs)) {
    first ??= page;
    for (const row of page.events) events.push(row);
  }
  if (first === undefined) throw new Error('invalid response from the backend: expected a page of the event list');
  return { ...first, events };
}
