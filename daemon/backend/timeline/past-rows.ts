import { silencedByIds } from '../../../shared/domain/silencing.ts';
import { pastEventRow } from '../../../shared/domain/timeline/past.ts';
import { CHECK_ATTRIBUTES, CLIENT_ATTRIBUTES } from '../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { PastClient as PastClientRow } from '../../../shared/schemas/timeline.ts';
import { clientRow } from '../model/clients/feed-rows.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { SilencedRegistry } from '../model/silences/state.ts';
import type { PastClientState } from './past.ts';
import { currentSubject, currentSubscriptions } from './queries.ts';

export function silencesById(entries: readonly SilencedEntry[]): SilencedRegistry {
  const index = new SilencedRegistry();
  for (const entry of entries) index.put(entry);
  return index;
}

/**
 * Returns a row for each event of a client at a past time. Transitions do not record the attributes of the client and
 * the check, so searches compare their current values.
 */
export function pastEventRows(
  { name, events }: PastClientState,
  namespace: Namespace,
  silences: SilencedRegistry,
  atMs: number,
): EventRow[] {
  if (events.size === 0) return [];
  const subscriptions = silences.size === 0 ? [] : currentSubscriptions(namespace, name);
  const selectedFor = (check: string, status: number): readonly SilencedEntry[] =>
    silences.hasSelectors ? silences.selectingOnce({ ...currentSubject(namespace, name, check), status }) : [];
  const client = namespace.clients.get(name);
  return Array.from(events, ([check, event]) => ({
    ...pastEventRow(
      event,
      { client: name, check },
      silences.size === 0 ? [] : silencedByIds(silences, subscriptions, check, atMs, selectedFor(check, event.status)),
    ),
    [CLIENT_ATTRIBUTES]: client?.attributes?.set,
    [CHECK_ATTRIBUTES]: client?.checks.get(check)?.attributes?.set,
  }));
}

/** Returns the row of a client at a past time. Attributes that transitions do not record have their current values. */
export function pastClientRow({ clients }: Namespace, { name, events }: PastClientState, atMs: number): PastClientRow {
  const today = clients.get(name);
  if (today === undefined) {
    return { name, address: '', subscriptions: [], timestamp: 0, version: '', events: events.size, deleted: true };
  }
  const row = clientRow(today);
  // The keepalive time at the past time is unknown. It is the last known keepalive time, but not later than the past
  // time.
  return {
    ...row,
    timestamp: Math.min(row.timestamp, Math.floor(atMs / 1000)),
    last_seen: row.timestamp,
    events: events.size,
  };
}
