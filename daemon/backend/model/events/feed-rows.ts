import { shownAcknowledgement } from '../../../../shared/domain/acknowledgement.ts';
import { shownEscalation } from '../../../../shared/domain/notify/escalation.ts';
import { inhibitorForDisplay } from '../../../../shared/domain/notify/inhibit.ts';
import { checkRedactKeysOf, hasOwnRedactKeys, redact } from '../../../../shared/domain/redact.ts';
import { EVENT_SEARCH } from '../../../../shared/domain/search.ts';
import { CHECK_ATTRIBUTES, CLIENT_ATTRIBUTES } from '../../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import { eventKey } from '../../../../shared/domain/event-key.ts';
import { groupsOf } from '../notify/groups/state.ts';
import { loggedInhibitorIfActive } from '../notify/inhibitions/state.ts';
import { idOfChange } from '../silences/state.ts';
import { namespacedTopic } from '../tables/feed-topic.ts';
import type { Change } from '../../ports.ts';
import { eventsSilencedBy } from '../registry/silenced-events.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';

export function feedEventRow(entry: CheckEntry, nowMs: number): EventRow | null {
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
    [CLIENT_ATTRIBUTES]: entry.client.attributes?.set,
    [CHECK_ATTRIBUTES]: entry.attributes?.set,
    ...inhibitorAttribute(entry),
    ...groupsAttribute(entry),
    ...(event.recovery !== undefined && { recovering: event.recovery }),
    ...(event.acknowledgement !== undefined && { acknowledged: shownAcknowledgement(event.acknowledgement) }),
    ...(event.escalations !== undefined && { escalations: event.escalations.map(shownEscalation) }),
  };
}

/**
 * Returns the attribute of a feed row with the inhibition rule and the inhibitor of an event; empty if it is not
 * inhibited.
 */
function inhibitorAttribute(entry: CheckEntry): Pick<EventRow, 'inhibited_by'> {
  const inhibitor = loggedInhibitorIfActive(entry);
  return inhibitor === undefined ? {} : { inhibited_by: inhibitorForDisplay(inhibitor) };
}

/**
 * Returns the attribute of a feed row with the ids of the groups that contain an event; empty if no group contains it.
 */
function groupsAttribute({ client, name }: CheckEntry): Pick<EventRow, 'groups'> {
  const groups = groupsOf(client.namespace);
  if (groups.size === 0) return {};
  const ids = groups.groupsContaining(client.name, name).map(({ id }) => id);
  return ids.length === 0 ? {} : { groups: ids };
}

/** Returns an output with secrets redacted. An output is redacted only if the client defines redact keys itself. */
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
  row: feedEventRow,
});

/**
 * Returns the entries whose feed rows change, by event key: changed events, events that a changed silence matches, and
 * events that a changed inhibitor inhibits. An entry is undefined if it was removed.
 */
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
      for (const entry of namespace?.inhibited.eventsInhibitedBy({ rule, client, check }) ?? []) {
        entries.set(eventKey(entry.client.name, entry.name), entry);
      }
    }
  }
  if (bySelector > SELECTORS_MAX) {
    for (const entry of namespace?.allEvents() ?? []) entries.set(eventKey(entry.client.name, entry.name), entry);
  }
  return entries;
}

/**
 * Maximum number of changed silences with a selector for which the matching events are searched. If there are more, the
 * rows of all events of the namespace are sent again.
 */
const SELECTORS_MAX = 50;
