import type { PastState } from '../schemas/timeline.ts';
import type { ApiClient } from './api-client.ts';

/** Events that come at once. */
const PAGE = 10_000;

/**
 * The lists as they were, a page of events after the other, the worst first. All else comes with the first.
 *
 * @param atMs epoch milliseconds
 * @throws MonError `not_found` when nothing is known of then
 */
export async function* pagesOfPast(api: Pick<ApiClient, 'pastState'>, atMs: number): AsyncGenerator<PastState, void> {
  let read = 0;
  for (;;) {
    const lists = read === 0 ? ({ silenced: '', clients: '' } as const) : { offset: read };
    const page = await api.pastState({ at: atMs, limit: PAGE, ...lists });
    read += page.events.length;
    yield page;
    // Erased in between.
    if (page.events.length === 0 || read >= page.total) return;
  }
}

/** The lists of a moment, whole. */
export async function readPastLists(api: Pick<ApiClient, 'pastState'>, atMs: number): Promise<PastState> {
  let first: PastState | undefined;
  const events: PastState['events'][number][] = [];
  for await (const page of pagesOfPast(api, atMs)) {
    first ??= page;
    for (const row of page.events) events.push(row);
  }
  if (first === undefined) throw new Error('there is always a page');
  return { ...first, events };
}
