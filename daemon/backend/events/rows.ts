import { inhibitorIn } from '../../../shared/domain/inhibition/rule.ts';
import { checkRedactKeysOf, hasOwnRedactKeys, redact } from '../../../shared/domain/redact.ts';
import { EVENT_SEARCH } from '../../../shared/domain/search.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { groupsOf } from '../groups/state.ts';
import { inhibitedNow } from '../inhibitions/state.ts';
import { idOfChange } from '../silences/state.ts';
import { namespacedTopic } from '../tables/topic.ts';
import type { Change } from '../ports.ts';
import { eventsSilencedBy } from '../registry/named-by.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';

export function eventRow(entry: CheckEntry, nowMs: number): EventRow | null {
  const { event } = entry.state;
  if (event === undefined) return null;
  const { name } = entry.client;
  return {
    client: name,
    check: entry.name,
    status: event.status,
    action: event.action,
    occurrences: event.occurrences,
    since: event.lastStateChange ?? event.timestamp,
    last: event.timestamp,
    silenced_by: entry.silencedBy(nowMs),
    output: shownOutput(entry.client, entry.summary),
    ...inhibitedBy(entry),
    ...groupsWith(entry),
    ...(event.recovery !== undefined && { recovering: event.recovery }),
  };
}

/** The rule, and the event because of which it keeps this one quiet. */
function inhibitedBy(entry: CheckEntry): Pick<EventRow, 'inhibited_by'> {
  const inhibited = inhibitedNow(entry);
  return inhibited === undefined ? {} : { inhibited_by: inhibitorIn(inhibited) };
}

/** Where handlers have groups, those that it is in. */
function groupsWith({ client, name }: CheckEntry): Pick<EventRow, 'groups'> {
  const groups = groupsOf(client.namespace);
  if (groups.size === 0) return {};
  const ids = groups.of(client.name, name).map(({ id }) => id);
  return ids.length === 0 ? {} : { groups: ids };
}

/** Only a client that names keys of its own may hide its outputs. */
export function shownOutput(client: ClientEntry, output: string): string {
  return hasOwnRedactKeys(client) ? redact({ output }, checkRedactKeysOf(client)).output : output;
}

export const EVENT_TOPIC = namespacedTopic({
  name: 'events',
  search: EVENT_SEARCH,
  *all(namespace) {
    for (const entry of namespace.events()) yield [eventKey(entry.client.name, entry.name), entry];
  },
  changed: changedEntries,
  row: eventRow,
});

/** Events that a silenced entry names change their silenced state with it, and those that another one keeps quiet with that. */
function changedEntries(
  namespace: Namespace | undefined,
  changes: readonly Change[],
): Map<string, CheckEntry | undefined> {
  const entries = new Map<string, CheckEntry | undefined>();
  const silenced = new Set<string>();
  let bySelector = 0;
  for (const change of changes) {
    if (change[0] === 'event') {
      const [, , client, check] = change;
      const key = eventKey(client, check);
      if (!entries.has(key)) entries.set(key, namespace?.check(client, check));
    } else if (change[0] === 'silenced') {
      const id = idOfChange(change);
      if (silenced.has(id)) continue;
      silenced.add(id);
      if (change[4] !== undefined && ++bySelector > SELECTORS_MAX) continue;
      for (const entry of namespace === undefined ? [] : eventsSilencedBy(namespace, change)) {
        entries.set(eventKey(entry.client.name, entry.name), entry);
      }
    } else if (change[0] === 'inhibitor') {
      const [, , rule, client, check] = change;
      for (const entry of namespace?.inhibited.of({ rule, client, check }) ?? []) {
        entries.set(eventKey(entry.client.name, entry.name), entry);
      }
    }
  }
  if (bySelector > SELECTORS_MAX) {
    for (const entry of namespace?.allEvents() ?? []) entries.set(eventKey(entry.client.name, entry.name), entry);
  }
  return entries;
}

/** Silences by selector whose events are looked for one after the other: with more, all events are told of again. */
const SELECTORS_MAX = 50;
