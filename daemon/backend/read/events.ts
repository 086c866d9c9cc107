import type { EventState } from '../../../shared/domain/event.ts';
import { statusesOf, type History } from '../../../shared/domain/history.ts';
import {
  checkRedactKeysOf,
  hasHiddenKey,
  hasOwnRedactKeys,
  redact,
  redactKeysOf,
} from '../../../shared/domain/redact.ts';
import { silencedBy } from '../../../shared/domain/silencing.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { Store } from '../ports.ts';
import { decodeCheckRecord, splitCheckRecord, type CheckRecord } from '../registry/check-record.ts';
import type { CheckEntry, ClientEntry } from '../registry/namespace.ts';
import { readRecords, readRecordTexts } from './records.ts';

/** The committed events of these checks, redacted; one that is resolved by now is left out. */
export async function readEvents(store: Store, entries: readonly CheckEntry[], nowMs: number): Promise<Event[]> {
  return (await readRecords(store, entries)).flatMap(([entry, record]) => shownEvent(entry, record, nowMs) ?? []);
}

/** The same as JSON, in a fraction of the time: a check without secrets goes from the store to the answer unread. */
export async function readEventTexts(store: Store, entries: readonly CheckEntry[], nowMs: number): Promise<string[]> {
  const clients = new Map<ClientEntry, string>();
  return (await readRecordTexts(store, entries)).flatMap(([entry, text]) => {
    const unread = unreadEvent(entry, text, nowMs, clients);
    if (unread !== undefined) return unread;
    const event = shownEvent(entry, decodeCheckRecord(text), nowMs);
    return event === undefined ? [] : JSON.stringify(event);
  });
}

/**
 * The event of a record, with the client as it is known now and the silences that match now (completion 1.3.7).
 * Undefined when none is open.
 */
export function eventOf(entry: CheckEntry, record: CheckRecord, nowMs: number): Event | undefined {
  const { event } = record;
  const check = record.eventCheck ?? record.check;
  if (event === undefined || check === null) return undefined;
  return {
    id: event.id,
    client: entry.client.record,
    check: { ...check, ...additions(event, record.eventHistory ?? record.history) },
    ...circumstances(entry, event, nowMs),
  };
}

function shownEvent(entry: CheckEntry, record: CheckRecord, nowMs: number): Event | undefined {
  const event = eventOf(entry, record, nowMs);
  if (event === undefined) return undefined;
  const { record: client } = entry.client;
  return {
    ...event,
    client: redact(event.client, redactKeysOf(client)),
    check: redact(event.check, checkRedactKeysOf(client)),
  };
}

/**
 * `eventOf`, redacted, as JSON around the text of the check.
 *
 * @param clients the JSON of each client, which has many events
 * @returns undefined when the check has to be read: something in it is to be hidden or replaced; or when there is no event
 */
function unreadEvent(
  entry: CheckEntry,
  text: string,
  nowMs: number,
  clients: Map<ClientEntry, string>,
): string | undefined {
  if (hasOwnRedactKeys(entry.client.record)) return undefined;
  const record = splitCheckRecord(text);
  if (record?.state.event === undefined) return undefined;
  if (hasHiddenKey(record.check) || ADDED_KEY.test(record.check)) return undefined;
  let client = clients.get(entry.client);
  if (client === undefined) clients.set(entry.client, (client = JSON.stringify(redact(entry.client.record))));
  const { event } = record.state;
  const { history, total_state_change: change } = additions(event, record.state.eventHistory ?? record.state.history);
  const added = `"history":${JSON.stringify(history)},"total_state_change":${String(change)}`;
  const check = `${record.check.slice(0, -1)},${added}}`;
  const rest = JSON.stringify(circumstances(entry, event, nowMs)).slice(1);
  return `{"id":"${event.id}","client":${client},"check":${check},${rest}`;
}

/** What an event adds to its check. */
function additions(event: EventState, history: History): Pick<Event['check'], 'history' | 'total_state_change'> {
  return { history: statusesOf(history).map(String), total_state_change: event.totalStateChange };
}

const ADDED_KEY = /"(?:history|total_state_change)":/;

/** The attributes of an event that follow its check. */
function circumstances(entry: CheckEntry, event: EventState, nowMs: number): Omit<Event, 'id' | 'client' | 'check'> {
  const { namespace, record: client } = entry.client;
  const silencedByIds = silencedBy(namespace.silenced, client.subscriptions, entry.name, nowMs);
  return {
    occurrences: event.occurrences,
    occurrences_watermark: event.watermark,
    last_ok: event.lastOk,
    action: event.action,
    timestamp: event.timestamp,
    ...(event.lastStateChange === undefined ? {} : { last_state_change: event.lastStateChange }),
    silenced: silencedByIds.length > 0,
    silenced_by: silencedByIds,
  };
}
