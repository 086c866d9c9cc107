import { expect, vi } from 'vitest';
import type { EventRow } from '../../shared/schemas/feed.ts';
import type { PastState, TimelinePage } from '../../shared/schemas/timeline.ts';

/** Checks that the state that the timeline shows for the current moment equals the list of events. */
export async function expectTimelineMatchesEvents(url: string): Promise<void> {
  const ask = async (path: string): Promise<unknown> => (await fetch(`${url}/api/mon/v1${path}`)).json();
  // The check is retried, because a silence may end between the two requests.
  await vi.waitFor(async () => {
    const { events } = (await ask('/timeline/state?sort=client&limit=10000')) as Partial<PastState>;
    expect(comparableRows(events)).toEqual(comparableRows((await ask('/events?sort=client')) as EventRow[]));
  });
}

/** Maximum number of statuses in the history of a check. */
const HISTORY = 21;

/**
 * Checks that the timeline contains each status change of a check once and in order.
 *
 * @param statuses history of the check, the oldest status first; each must differ from the previous one
 */
export async function expectEachChange(
  url: string,
  {
    client,
    check,
    statuses,
  }: { readonly client: string; readonly check: string; readonly statuses: readonly unknown[] },
): Promise<void> {
  // The limit is one higher than expected, so that an extra transition would be visible.
  const query = `client=${client}&check=${check}&limit=${String(statuses.length + 1)}`;
  const { transitions } = (await (await fetch(`${url}/api/mon/v1/timeline?${query}`)).json()) as TimelinePage;
  const told = transitions.map(({ status }) => status).toReversed();
  const kept = statuses.length < HISTORY ? told : told.slice(-HISTORY);
  expect({ client, check, statuses: kept }).toEqual({ client, check, statuses });
}

function comparableRows(rows: readonly EventRow[] = []): unknown {
  return rows.map(({ client, check, status, action, silenced_by: ids }) => ({
    client,
    check,
    status,
    action,
    // Silences with a selector are listed behind the others; their order is not guaranteed.
    ids: [...ids.filter((id) => !isSearch(id)), ...ids.filter(isSearch).toSorted()],
  }));
}

const isSearch = (id: string): boolean => id.startsWith('selector-');
