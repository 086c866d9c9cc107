import { buildSingleEventGroup } from '../../../shared/domain/notify/group-document.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { HandledEvent, HandlerJob } from '../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../shared/schemas/handler.ts';
import { readClient } from '../model/clients/queries.ts';
import { readRecords } from '../model/events/read-records.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Store } from '../ports.ts';
import { eventOf } from './queries.ts';

/** Reads the committed event of a check with its secrets; undefined if no event is open. */
export async function readEvent(store: Store, entry: CheckEntry, nowMs: number): Promise<Event | undefined> {
  const [[entryWithRecord], owner] = await Promise.all([readRecords(store, [entry]), readClient(store, entry.client)]);
  return entryWithRecord === undefined || owner === undefined
    ? undefined
    : eventOf(entry, entryWithRecord[1], owner, nowMs);
}

/**
 * Returns a handler job that is never stored. Its id is the negated time in milliseconds, which differs from the ids of
 * stored jobs, so that no receiver discards it as a duplicate.
 */
export function unstoredJob(
  event: HandledEvent,
  { name, handler }: { readonly name: string; readonly handler: RunningHandler },
  namespace: string,
  nowMs: number,
): HandlerJob {
  const { client, check } = event;
  const job = { id: -nowMs, namespace, client: client.name, check: check.name, handler: name, queued_at: nowMs, event };
  const { group_by: names } = handler;
  return names === undefined ? job : { ...job, group: buildSingleEventGroup(job, names, event) };
}
