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
  /** The worst events, at most `LISTED_EVENTS_MAX` of them. */
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
const LISTED_EVENTS_MAX = 3;

/** Events count as begun together if they opened at most this long apart, in seconds. */
const TOGETHER_SECONDS = 120;

/** Maximum number of subscriptions whose events are listed: those with the fewest events, which say the most. */
const SUBSCRIPTIONS_MAX = 2;

/** Number of events that are examined in one frame, so that a frame is not delayed by more than a few milliseconds. */
const EVENTS_PER_FRAME = 20_000;

/** Time for which the related events of an event are not searched again, in milliseconds. */
const FRESH_MS = 1000;

interface CachedRelations {
  readonly key: string;
  /** The relations that were found last; `undefined` during the first search. */
  readonly relations: readonly Relation[] | undefined;
  /** The search that is under way; `undefined` if it is complete. */
  readonly search: RelationSearch | undefined;
  /** Time of the last frame in which the search went on, in epoch milliseconds. */
  readonly atMs: number;
}

const relationsCache = new WeakMap<EventRegistry, CachedRelations>();

const NO_SUBSCRIPTIONS: readonly string[] = [];

/**
 * Returns the open events of the console that are related to an event, by relation, the most telling relation first.
 * Many events are searched over several frames; until the first search is complete, returns `undefined`.
 */
export function shownRelations(
  { events, clients, nowMs }: Pick<LiveData, 'events' | 'clients' | 'nowMs'>,
  key: string,
  row: EventRow,
): readonly Relation[] | undefined {
  const cached = relationsCache.get(events);
  const current = cached?.key === key ? cached : undefined;
  if (current !== undefined) {
    const isUnderWay = current.search !== undefined;
    if (isUnderWay ? current.atMs === nowMs : Math.abs(nowMs - current.atMs) < FRESH_MS) return current.relations;
  }
  const source = {
    records: events.records(),
    find: (other: string) => events.get(other),
    subscriptionsOf: (client: string) => clients.get(client)?.subscriptions ?? NO_SUBSCRIPTIONS,
  };
  const search = current?.search ?? new RelationSearch(source, key, row);
  const isComplete = search.examine(EVENTS_PER_FRAME);
  const relations = isComplete ? search.relations() : current?.relations;
  relationsCache.set(events, { key, relations, search: isComplete ? undefined : search, atMs: nowMs });
  return relations;
}

/** Returns the events that are related to an event, by relation. Relations without events are left out. */
export function relationsOf(source: RelationSource, key: string, row: EventRow): readonly Relation[] {
  const search = new RelationSearch(source, key, row);
  search.examine(Infinity);
  return search.relations();
}

/** A search for the events that are related to an event. It can be interrupted after any number of events. */
class RelationSearch {
  readonly #source: RelationSource;
  readonly #key: string;
  readonly #row: EventRow;
  /** Name of the client at its backend. */
  readonly #name: string;
  readonly #records: Iterator<RankedEvent>;
  readonly #inhibited = new RelatedRows();
  readonly #sameClient = new RelatedRows();
  readonly #sameCheck = new RelatedRows();
  readonly #together = new RelatedRows();
  readonly #bySubscription = new Map<string, RelatedRows>();

  constructor(source: RelationSource, key: string, row: EventRow) {
    this.#source = source;
    this.#key = key;
    this.#row = row;
    this.#name = splitName(row.client).name;
    this.#records = source.records[Symbol.iterator]();
    for (const name of source.subscriptionsOf(row.client)) {
      if (!name.startsWith('client:')) this.#bySubscription.set(name, new RelatedRows());
    }
  }

  /** Examines the next events, at most `most` of them, and returns whether all events are examined. */
  examine(most: number): boolean {
    for (let count = 0; count < most; count += 1) {
      const next = this.#records.next();
      if (next.done === true) return true;
      if (next.value.key !== this.#key) this.#examine(next.value);
    }
    return false;
  }

  #examine(record: RankedEvent): void {
    const { client, check, since, inhibited_by: by } = record.row;
    const own = this.#row;
    if (client === own.client) this.#sameClient.add(record);
    if (check === own.check) this.#sameCheck.add(record);
    if (Math.abs(since - own.since) <= TOGETHER_SECONDS) this.#together.add(record);
    if (by?.check === own.check && by.client === this.#name) this.#inhibited.add(record);
    if (this.#bySubscription.size === 0) return;
    for (const name of this.#source.subscriptionsOf(client)) this.#bySubscription.get(name)?.add(record);
  }

  /** Returns the relations of the examined events. */
  relations(): readonly Relation[] {
    const row = this.#row;
    const subscriptions = [...this.#bySubscription]
      .toSorted(([, a], [, b]) => a.count - b.count)
      .filter(([, { count }]) => count > 0)
      .slice(0, SUBSCRIPTIONS_MAX);
    const from = momentText(row.since - TOGETHER_SECONDS);
    const to = momentText(row.since + TOGETHER_SECONDS);
    const own = searchValue(`${this.#name}/${row.check}`);
    return [
      ...inhibitorOf(this.#source, row),
      this.#inhibited.relation('inhibited', 'inhibited by it', `inhibited_by=${own}`),
      this.#sameClient.relation('client', `on ${this.#name}`, clientFilter(splitName(row.client), row)),
      this.#sameCheck.relation('check', `of the check ${row.check}`, `check=${searchValue(row.check)}`),
      ...subscriptions.map(([name, rows]) =>
        rows.relation('subscription', `of the subscription ${name}`, `subscriptions=${searchValue(name)}`),
      ),
      this.#together.relation('began', 'that began within 2 minutes of it', `since>=${from} since<=${to}`),
    ].filter(({ count }) => count > 0);
  }
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
    if (this.#first.length === LISTED_EVENTS_MAX && last !== undefined && last.rank <= record.rank) return;
    const index = this.#first.findIndex(({ rank }) => record.rank < rank);
    this.#first.splice(index === -1 ? this.#first.length : index, 0, record);
    this.#first.length = Math.min(this.#first.length, LISTED_EVENTS_MAX);
  }

  relation(kind: RelationKind, which: string, filter: string): Relation {
    return { kind, which, count: this.count, first: this.#first, filter };
  }
}
