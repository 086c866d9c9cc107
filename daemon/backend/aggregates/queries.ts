import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isResultStale } from '../../../shared/domain/aggregate.ts';
import { checkRedactKeysOf, redact } from '../../../shared/domain/redact.ts';
import { severityOf, type Severity } from '../../../shared/domain/severity.ts';
import type {
  AggregateCheck,
  AggregateClient,
  AggregateResults,
  AggregateSummary,
} from '../../../shared/schemas/aggregate.ts';
import type { Store } from '../ports.ts';
import type { CheckAggregate, CheckEntry, ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { bytesOfText, type EventCache } from '../model/events/event-cache.ts';
import { readRecords } from '../model/events/read-records.ts';
import { TimeSlice } from '../store/time-slice.ts';

/** Number of selected members that are collected before their results are read from the store. */
const CHUNK_MEMBERS = 250;
/** Number of clients that are examined, or of outputs that are sorted, before yielding to the event loop. */
const YIELD_INTERVAL = 1000;
/** Number of members that are counted or listed before `TimeSlice` decides whether to yield to the event loop. */
const LOOKED_AT_ONCE = 1000;

/** The maximum age of results, and the time at which their age is determined. */
export interface Freshness {
  /** Maximum age in seconds; undefined to include results of any age. */
  readonly maxAge: number | undefined;
  readonly nowMs: number;
}

/**
 * Returns the summary of an aggregate from counters that are updated with each result. It reports no result as stale.
 */
export function summaryOf(namespace: Namespace, aggregate: CheckAggregate, nowMs: number): AggregateSummary {
  const { size: total, clientCount: clients, checkCount: checks, counts, down } = aggregate;
  const { size: silenced } = namespace.aggregates.silenced(aggregate, nowMs);
  return { clients, checks, results: { ...counts, total, stale: 0, silenced, down } };
}

/**
 * Returns the summary of an aggregate by counting all members. Results older than `maxAge` count only as stale. Members
 * that change during the count are counted in either their old or their new state.
 *
 * @param maxAge maximum age of a result in seconds
 */
export async function freshSummaryOf(
  namespace: Namespace,
  aggregate: CheckAggregate,
  maxAge: number,
  nowMs: number,
): Promise<AggregateSummary> {
  const results = { ok: 0, warning: 0, critical: 0, unknown: 0, total: 0, stale: 0, silenced: 0, down: 0 };
  const silenced = namespace.aggregates.silenced(aggregate, nowMs);
  const oldest = Math.floor(nowMs / 1000) - maxAge;
  const members = aggregate.members()[Symbol.iterator]();
  const { size } = aggregate;
  const timeSlice = new TimeSlice();
  for (let counted = 0; counted < size; counted += LOOKED_AT_ONCE) {
    await timeSlice.share();
    countNextMembers(results, members, { oldest, silenced });
  }
  return { clients: aggregate.clientCount, checks: aggregate.checkCount, results };
}

/**
 * Counts the next `LOOKED_AT_ONCE` members of an iterator. It is a separate synchronous function, because the
 * JavaScript engine optimizes that better.
 */
function countNextMembers(
  results: Record<keyof AggregateSummary['results'], number>,
  members: Iterator<CheckEntry>,
  { oldest, silenced }: { readonly oldest: number; readonly silenced: ReadonlySet<CheckEntry> },
): void {
  for (let count = 0; count < LOOKED_AT_ONCE; count++) {
    const { done, value: entry } = members.next();
    if (done === true) return;
    if (entry.status === undefined || entry.executed < oldest) {
      results.stale++;
      continue;
    }
    results[severityOf(entry.status)]++;
    results.total++;
    if (silenced.has(entry)) results.silenced++;
    if (entry.client.isDown) results.down++;
  }
}

/** Returns the clients that have a member in an aggregate, sorted by name. */
export async function clientsOf(namespace: Namespace, aggregate: CheckAggregate): Promise<ClientEntry[]> {
  const clients: ClientEntry[] = [];
  await visitInChunks(namespace.sortedClients(), (client) => {
    if (aggregate.hasClient(client)) clients.push(client);
  });
  return clients;
}

/** Returns the name of a client and of its checks that are members of an aggregate; the checks are sorted by name. */
export function checksOfClient(aggregate: CheckAggregate, client: ClientEntry): AggregateClient {
  return { name: client.name, checks: membersOf(aggregate, client).map(({ name }) => name) };
}

/** Returns the names of the checks in an aggregate, each with the names of its clients; both are sorted. */
export async function checksOf(namespace: Namespace, aggregate: CheckAggregate): Promise<AggregateCheck[]> {
  const checks = new Map<string, string[]>();
  const note = (client: ClientEntry): void => {
    for (const { name } of membersOf(aggregate, client)) {
      const clients = checks.get(name);
      if (clients === undefined) checks.set(name, [client.name]);
      else clients.push(client.name);
    }
  };
  await visitInChunks(await clientsOf(namespace, aggregate), note, ({ checks: { size } }) => size);
  return [...checks].map(([name, clients]) => ({ name, clients })).toSorted(compareBy(({ name }) => name));
}

/** The attributes of a member's committed result that the API shows, with secrets redacted. */
export interface MemberOutput {
  readonly name: string;
  readonly status: number;
  /** Time of the check run in epoch seconds. */
  readonly executed: number;
  readonly output: string;
}

/**
 * Returns the outputs of the members that have this severity and are not older than `maxAge`, with secrets redacted.
 * They are grouped by check; the most frequent output of a check comes first, with the sorted names of its clients.
 * Only committed results are included.
 *
 * @param cache cache of the outputs of members with an open event
 */
export async function readOutputs(
  store: Store,
  namespace: Namespace,
  aggregate: CheckAggregate,
  severity: Severity,
  { maxAge, nowMs }: Freshness,
  cache: EventCache<MemberOutput>,
): Promise<AggregateResults[]> {
  const now = Math.floor(nowMs / 1000);
  const counts = ({ status, executed }: { readonly status: number | undefined; readonly executed: number }): boolean =>
    status !== undefined && severityOf(status) === severity && !isResultStale(executed, maxAge, now);

  const outputs = new Map<string, Map<string, string[]>>();
  for await (const entries of selectMembersInChunks(namespace, aggregate, counts)) {
    // The cache finds outputs by the state object of an event. If `auto_resolve: false` keeps an event open after an OK
    // result, this object does not change. So the outputs of OK members are not cached.
    const read =
      severity === 'ok'
        ? await readMembers(store, entries)
        : await cache.valuesOf(entries, (missing) => readMembers(store, missing));
    for (const [at, { client }] of entries.entries()) {
      const member = read[at];
      if (member !== undefined && counts(member)) addOutput(outputs, client.name, member);
    }
  }
  const results: AggregateResults[] = [];
  for (const [check, clients] of outputs) {
    results.push({ check, summary: [...clients].map(summaryOfOutput).toSorted(compareByTotal) });
    if (clients.size > YIELD_INTERVAL) await yieldToEventLoop();
  }
  return results.toSorted(compareBy(({ check }) => check));
}

/**
 * Calls `look` for all entries, and yields to the event loop in between.
 *
 * @param weightOf callback that returns the amount of work for an entry; default: 1 for each
 */
async function visitInChunks<Entry>(
  entries: readonly Entry[],
  look: (entry: Entry) => void,
  weightOf: (entry: Entry) => number = () => 1,
): Promise<void> {
  const timeSlice = new TimeSlice();
  for (let at = 0; at < entries.length; await timeSlice.share()) at = processEntriesFrom(entries, at, look, weightOf);
}

/**
 * Calls `look` for entries from index `start` until their total weight reaches `LOOKED_AT_ONCE`. It is a separate
 * synchronous function, because the JavaScript engine optimizes that better.
 *
 * @returns index of the first entry that was not processed
 */
function processEntriesFrom<Entry>(
  entries: readonly Entry[],
  start: number,
  look: (entry: Entry) => void,
  weightOf: (entry: Entry) => number,
): number {
  let at = start;
  for (let weight = 0; at < entries.length && weight < LOOKED_AT_ONCE; at++) {
    const entry = entries[at];
    if (entry === undefined) continue;
    look(entry);
    weight += weightOf(entry);
  }
  return at;
}

/**
 * Yields the selected members of an aggregate in chunks, sorted by client, then by check.
 *
 * @param counts callback that returns true for a member to be selected
 */
async function* selectMembersInChunks(
  namespace: Namespace,
  aggregate: CheckAggregate,
  counts: (entry: CheckEntry) => boolean,
): AsyncGenerator<readonly CheckEntry[], void, undefined> {
  let chunk: CheckEntry[] = [];
  for (const [at, client] of namespace.sortedClients().entries()) {
    if (aggregate.hasClient(client)) chunk.push(...membersOf(aggregate, client).filter(counts));
    if (chunk.length < CHUNK_MEMBERS && at % YIELD_INTERVAL < YIELD_INTERVAL - 1) continue;
    yield chunk;
    chunk = [];
    await yieldToEventLoop();
  }
  yield chunk;
}

async function readMembers(store: Store, entries: readonly CheckEntry[]): Promise<(MemberOutput | undefined)[]> {
  const records = new Map(await readRecords(store, entries));
  return entries.map((entry) => {
    const check = records.get(entry)?.check ?? undefined;
    if (check === undefined) return undefined;
    const { name, status, executed, output } = check;
    return redact({ name, status, executed, output }, checkRedactKeysOf(entry.client));
  });
}

/**
 * Returns the number of bytes that a cached output uses in memory; undefined for an OK output. An OK output is not
 * cached, because it can change while its event does not.
 */
export function bytesOfOutput({ status, output }: MemberOutput): number | undefined {
  return status === 0 ? undefined : bytesOfText(output);
}

function membersOf(aggregate: CheckAggregate, client: ClientEntry): CheckEntry[] {
  return client.sortedChecks().filter((entry) => aggregate.has(entry));
}

function addOutput(
  outputs: Map<string, Map<string, string[]>>,
  client: string,
  { name, output }: { readonly name: string; readonly output: string },
): void {
  let clients = outputs.get(name);
  if (clients === undefined) outputs.set(name, (clients = new Map()));
  const names = clients.get(output);
  if (names === undefined) clients.set(output, [client]);
  else names.push(client);
}

type OutputSummary = AggregateResults['summary'][number];

function summaryOfOutput([output, clients]: readonly [string, readonly string[]]): OutputSummary {
  return { output, total: clients.length, clients };
}

function compareByTotal(a: OutputSummary, b: OutputSummary): number {
  return b.total - a.total || (a.output < b.output ? -1 : 1);
}

function compareBy<T>(key: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}
