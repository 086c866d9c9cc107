import { statusesOf } from '../../../shared/domain/history.ts';
import { redact, redactKeysOf } from '../../../shared/domain/redact.ts';
import { silencedBy } from '../../../shared/domain/silencing.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { Store } from '../ports.ts';
import type { CheckRecord } from '../registry/check-record.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import { readRecords } from './records.ts';

/** The committed events of these checks, redacted; one that is resolved by now is left out. */
export async function readEvents(store: Store, entries: readonly CheckEntry[], nowMs: number): Promise<Event[]> {
  return (await readRecords(store, entries)).flatMap(([entry, record]) => {
    const event = eventOf(entry, record, nowMs);
    return event === undefined ? [] : [redact(event, redactKeysOf(entry.client.record))];
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
  const { namespace, record: client } = entry.client;
  const silencedByIds = silencedBy(namespace.silenced, client.subscriptions, entry.name, nowMs);
  return {
    id: event.id,
    client,
    check: {
      ...check,
      history: statusesOf(record.eventHistory ?? record.history).map(String),
      total_state_change: event.totalStateChange,
    },
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
