import { buildEvent, checkAdditions, eventCircumstances } from '../../../shared/domain/build-event.ts';
import { shownEscalation } from '../../../shared/domain/notify/escalation.ts';
import { hasKeyRedactedByDefault, hasOwnRedactKeys, redactEvent } from '../../../shared/domain/redact.ts';
import { matchesSearch, type Search } from '../../../shared/domain/search.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { prepareSilences } from '../silences/event-preparation.ts';
import type { Store } from '../ports.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { readOwners, type StoredOwner } from '../model/clients/queries.ts';
import { splitCheckRecord, type CheckRecord } from '../model/events/check-record.ts';
import type { EventCache } from '../model/events/event-cache.ts';
import { feedEventRow } from '../model/events/feed-rows.ts';
import { readRecords, readRecordTexts } from '../model/events/read-records.ts';
import { TimeSlice } from '../store/time-slice.ts';

/**
 * Reads the committed events of these checks, redacted; a check without an open event is omitted.
 *
 * @param shown callback that converts an event to the format of the API in use
 */
export async function readEvents(
  store: Store,
  entries: readonly CheckEntry[],
  nowMs: number,
  shown = (event: Event, _entry: CheckEntry): Event => event,
): Promise<Event[]> {
  const events = await readEventsByEntry(store, entries, nowMs);
  return [...events].map(([entry, event]) => shown(event, entry));
}

/**
 * Returns an event in the format of the mon API. It also contains the state of its recovery and of its escalations.
 */
export function eventOnMon(event: Event, { state }: CheckEntry): Event {
  const { recovery, escalations } = state.event ?? {};
  return {
    ...event,
    ...(recovery !== undefined && { recovering: recovery }),
    ...(escalations !== undefined && { escalations: escalations.map(shownEscalation) }),
  };
}

/**
 * The part of an event's JSON before its silenced state. The check is copied from the store unparsed, so there is a
 * head only if no attribute of the check must be redacted.
 */
export type EventHead = string;

/**
 * Reads the same events as `readEvents`, as JSON texts. It is much faster, because it leaves most checks unparsed.
 *
 * @param heads cache of event heads
 */
export async function readEventTexts(
  store: Store,
  entries: readonly CheckEntry[],
  nowMs: number,
  heads: EventCache<EventHead>,
): Promise<string[]> {
  await prepareSilences(entries);
  const headTexts = await heads.valuesOf(entries, (missing) => readHeads(store, missing));
  const entriesWithoutHead = entries.filter((_, at) => headTexts[at] === undefined);
  const others =
    entriesWithoutHead.length === 0 ? NO_EVENTS : await readEventsByEntry(store, entriesWithoutHead, nowMs);
  return entries.flatMap((entry, at) => {
    const head = headTexts[at];
    if (head !== undefined) return head + tailOf(entry, nowMs);
    const event = others.get(entry);
    return event === undefined ? [] : JSON.stringify(event);
  });
}

const NO_EVENTS: ReadonlyMap<CheckEntry, Event> = new Map();

/** Reads the committed events of these checks by entry, redacted; a check without an open event is omitted. */
export async function readEventsByEntry(
  store: Store,
  entries: readonly CheckEntry[],
  nowMs: number,
): Promise<ReadonlyMap<CheckEntry, Event>> {
  await prepareSilences(entries);
  const [records, clients] = await Promise.all([readRecords(store, entries), readOwners(store, entries)]);
  const events = new Map<CheckEntry, Event>();
  for (const [entry, record] of records) {
    const client = clients.get(entry.client)?.record();
    const event = client === undefined ? undefined : eventOf(entry, record, client, nowMs);
    if (event !== undefined) events.set(entry, redactEvent(event));
  }
  return events;
}

async function readHeads(store: Store, entries: readonly CheckEntry[]): Promise<(EventHead | undefined)[]> {
  const [records, clients] = await Promise.all([readRecordTexts(store, entries), readOwners(store, entries)]);
  const texts = new Map(records);
  return entries.map((entry) => {
    const [text, client] = [texts.get(entry), clients.get(entry.client)];
    return text === undefined || client === undefined ? undefined : headOf(entry, text, client);
  });
}

/**
 * Builds the event of a check record, with the given client and the silences active at `nowMs` (completion 1.3.7).
 *
 * @returns the event; undefined if no event is open
 */
export function eventOf(entry: CheckEntry, record: CheckRecord, client: Client, nowMs: number): Event | undefined {
  const { event } = record;
  const check = record.eventCheck ?? record.check;
  if (event === undefined || check === null) return undefined;
  return buildEvent({
    state: event,
    client,
    check,
    history: record.eventHistory ?? record.history,
    silencedBy: silencedNow(entry, nowMs),
  });
}

/**
 * Builds the head of an event's JSON around the stored text of its check; see `EventHead`.
 *
 * @returns the head; undefined if no event is open, or if the record must be parsed. It must be parsed if a value in it
 *   may need redaction, or if the check contains an attribute that the event adds. It must also be parsed if the event
 *   has its own check or an inhibitor
 */
function headOf(entry: CheckEntry, text: string, client: StoredOwner): EventHead | undefined {
  if (hasOwnRedactKeys(entry.client)) return undefined;
  const record = splitCheckRecord(text);
  if (record?.state.event === undefined) return undefined;
  if (hasKeyRedactedByDefault(record.check) || ADDED_KEY.test(record.check)) return undefined;
  const { event } = record.state;
  const { history, total_state_change: change } = checkAdditions(
    event,
    record.state.eventHistory ?? record.state.history,
  );
  const added = `"history":${JSON.stringify(history)},"total_state_change":${String(change)}`;
  const check = `${record.check.slice(0, -1)},${added}}`;
  const tail = JSON.stringify(eventCircumstances(event, [])).slice(1, -NOT_SILENCED_JSON.length);
  // Copied through a buffer, because a concatenated string would keep all its parts in memory.
  return Buffer.from(`{"id":"${event.id}","client":${client.shownText()},"check":${check},${tail}`).toString();
}

const ADDED_KEY = /"(?:history|total_state_change)":/;

/** Returns the end of an event's JSON: its silenced state and the closing brace. */
function tailOf(entry: CheckEntry, nowMs: number): string {
  const ids = silencedNow(entry, nowMs);
  return ids.length === 0 ? NOT_SILENCED_JSON : `"silenced":true,"silenced_by":${JSON.stringify(ids)}}`;
}

const NOT_SILENCED_JSON = '"silenced":false,"silenced_by":[]}';
const NO_IDS: string[] = [];

function silencedNow(entry: CheckEntry, nowMs: number): string[] {
  return entry.client.namespace.silenced.size === 0 ? NO_IDS : entry.silencedBy(nowMs);
}

/** An open event that matches a search, with its row. */
interface MatchingEvent {
  readonly entry: CheckEntry;
  readonly row: EventRow;
}

/** Returns those of the open events that match a search. */
export async function searchOpenEvents(
  entries: readonly CheckEntry[],
  search: Search,
  nowMs: number,
): Promise<MatchingEvent[]> {
  await prepareSilences(entries);
  const nowSeconds = Math.floor(nowMs / 1000);
  const matches: MatchingEvent[] = [];
  const timeSlice = new TimeSlice();
  for (const entry of entries) {
    if (timeSlice.isDue) await timeSlice.share();
    // The row is null if the event resolved while this loop yielded to other work.
    const row = feedEventRow(entry, nowMs);
    if (row !== null && matchesSearch(search, row, nowSeconds)) matches.push({ entry, row });
  }
  return matches;
}
