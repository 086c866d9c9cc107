import { eventKey } from '../../shared/domain/event-key.ts';
import { searchValue } from '../../shared/domain/search-syntax.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { nameAtSameBackend, splitName } from './backend-names.ts';
import type { EventRecord } from './event-record.ts';
import type { EventRegistry } from './event-registry.ts';
import type { LiveData } from './live-data.ts';

/** An open event with its sort rank; a lower rank is worse. */
export type RankedEvent = Pick<EventRecord, 'key' | 'row' | 'rank'>;

/** How other events are related to an event: their cause, their client, their check, and so on. */
export type RelationKind = 'inhibitor' | 'inhibited' | 'client' | 'check' | 'subscription' | 'began';

/** The open events that are related to an event in one way. */
export interface Relation {
  readonly kind: RelationKind;
  /** The words after the number of events, such as `of the check http`. Its names are not safe for a terminal. */
  readonly which: string;
  readonly count: number;
  /** The worst events, at most `FIRST_MAX` of them. */
  readonly first: readonly RankedEvent[];
  /** The filter that shows all of them in the list of events. */
  readonly filter: string;
}

/** The open events among which related events are searched. */
export interface RelationSource {
  readonly records: Iterable<RankedEvent>;
  readonly find: (key: string) => RankedEvent | undefined;
  /** Returns the subscriptions of a client; empty if they are not known. */
  readonly subscriptionsOf: (client: string) => readonly string[];
}

/** Maximum number of events of one relation that are listed; the others are only counted. */
const FIRST_MAX = 3;

/** Events count as begun together if they opened at most this long apart, in seconds. */
const TOGETHER_SECONDS = 120;

/** Maximum number of subscriptions whose events are listed: those with the fewest events, which say the most. */
const SUBSCRIPTIONS_MAX = 2;

/**
 * Relations are computed from all events, so they are kept for a while: at least `FRESH_MS` milliseconds, and one
 * millisecond for each `EVENTS_PER_MS` events.
 */
const FRESH_MS = 1000;
const EVENTS_PER_MS = 20;

interface CachedRelations {
  readonly key: string;
  readonly relations: readonly Relation[];
  readonly atMs: number;
}

const cache = new WeakMap<EventRegistry, CachedRelations>();

const NONE: readonly string[] = [];

/** Returns the open events of the console that are related to an event, by relation, the most telling relation first. */
export function shownRelations(
  { events, clients, nowMs }: Pick<LiveData, 'events' | 'clients' | 'nowMs'>,
  key: string,
  row: EventRow,
): readonly Relation[] {
  const cached = cache.get(events);
  const freshMs = Math.max(FRESH_MS, events.size / EVENTS_PER_MS);
  if (cached?.key === key && Math.abs(nowMs - cached.atMs) < freshMs) return cached.relations;
  const source = {
    records: events.records(),
    find: (other: string) => events.get(other),
    subscriptionsOf: (client: string) => clients.get(client)?.subscriptions ?? NONE,
  };
  const relations = relationsOf(source, key, row);
  cache.set(events, { key, relations, atMs: nowMs });
  return relations;
}

/** Returns the events that are related to an event, by relation. Relations without events are left out. */
export function relationsOf(source: RelationSource, key: string, row: EventRow): readonly Relation[] {
  const { subscriptionsOf } = source;
  const own = splitName(row.client);
  const inhibited = new RelatedRows();
  const ofClient = new RelatedRows();
  const ofCheck = new RelatedRows();
  const together = new RelatedRows();
  const bySubscription = new Map<string, RelatedRows>();
  for (const name of subscriptionsOf(row.client)) {
    if (!name.startsWith('client:')) bySubscription.set(name, new RelatedRows());
  }
  for (const record of source.records) {
    if (record.key === key) continue;
    const other = record.row;
    if (other.client === row.client) ofClient.add(record);
    if (other.check === row.check) ofCheck.add(record);
    if (Math.abs(other.since - row.since) <= TOGETHER_SECONDS) together.add(record);
    const by = other.inhibited_by;
    if (by?.check === row.check && by.client === own.name) inhibited.add(record);
    if (bySubscription.size === 0) continue;
    for (const name of subscriptionsOf(other.client)) bySubscription.get(name)?.add(record);
  }
  const subscriptions = [...bySubscription]
    .toSorted(([, a], [, b]) => a.count - b.count)
    .filter(([, { count }]) => count > 0)
    .slice(0, SUBSCRIPTIONS_MAX);
  const from = momentText(row.since - TOGETHER_SECONDS);
  const to = momentText(row.since + TOGETHER_SECONDS);
  return [
    ...inhibitorOf(source, row),
    inhibited.relation('inhibited', 'inhibited by it', `inhibited_by=${searchValue(`${own.name}/${row.check}`)}`),
    ofClient.relation('client', `on ${own.name}`, clientFilter(own, row)),
    ofCheck.relation('check', `of the check ${row.check}`, `check=${searchValue(row.check)}`),
    ...subscriptions.map(([name, rows]) =>
      rows.relation('subscription', `of the subscription ${name}`, `subscriptions=${searchValue(name)}`),
    ),
    together.relation('began', 'that began within 2 minutes of it', `since>=${from} since<=${to}`),
  ].filter(({ count }) => count > 0);
}

/** Returns the relation to the event that inhibits this one; empty if there is none or it is not in the list. */
function inhibitorOf({ find }: RelationSource, { client, inhibited_by: by }: EventRow): readonly Relation[] {
  const record = by && find(eventKey(nameAtSameBackend(client, by.client), by.check));
  if (by === undefined || record === undefined) return [];
  const filter = `client=${searchValue(by.client)} check=${searchValue(by.check)}`;
  return [{ kind: 'inhibitor', which: `that inhibits it by ${by.rule}`, count: 1, first: [record], filter }];
}

/** Returns the filter for the events of a client. In a merged list it also names the backend or the namespace. */
function clientFilter({ name, context }: ReturnType<typeof splitName>, { namespace }: EventRow): string {
  const client = `client=${searchValue(name)}`;
  if (context === undefined) return client;
  return `${client} ${namespace === undefined ? 'backend' : 'namespace'}=${searchValue(context)}`;
}

/** Returns a moment as the search field `since` reads it: `2026-11-28T20:14:00Z`. */
function momentText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Counts the events of a relation, and keeps the worst of them. */
class RelatedRows {
  count = 0;
  readonly #first: RankedEvent[] = [];

  add(record: RankedEvent): void {
    this.count += 1;
    const last = this.#first.at(-1);
    if (this.#first.length === FIRST_MAX && last !== undefined && last.rank <= record.rank) return;
    const index = this.#first.findIndex(({ rank }) => record.rank < rank);
    this.#first.splice(index === -1 ? this.#first.length : index, 0, record);
    this.#first.length = Math.min(this.#first.length, FIRST_MAX);
  }

  relation(kind: RelationKind, which: string, filter: string): Relation {
    return { kind, which, count: this.count, first: this.#first, filter };
  }
}
