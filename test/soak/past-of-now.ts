import { expect, vi } from 'vitest';
import type { EventRow } from '../../shared/schemas/feed.ts';
import type { PastState } from '../../shared/schemas/timeline.ts';

/** What the timeline tells of this moment is what the list of events shows. */
export async function expectPastOfNow(url: string): Promise<void> {
  const ask = async (path: string): Promise<unknown> => (await fetch(`${url}/api/mon/v1${path}`)).json();
  // A silence may end between the two.
  await vi.waitFor(async () => {
    const { events } = (await ask('/timeline/state?sort=client&limit=10000')) as Partial<PastState>;
    expect(shown(events)).toEqual(shown((await ask('/events?sort=client')) as EventRow[]));
  });
}

function shown(rows: readonly EventRow[] = []): unknown {
  return rows.map(({ client, check, status, action, silenced_by: ids }) => ({
    client,
    check,
    status,
    action,
    // Those by search come behind the others; in which order nobody promises.
    ids: [...ids.filter((id) => !isSearch(id)), ...ids.filter(isSearch).toSorted()],
  }));
}

const isSearch = (id: string): boolean => id.startsWith('selector-');
