import { setImmediate as nextTurn } from 'node:timers/promises';
import { isStale } from '../../../shared/domain/aggregate.ts';
import { checkRedactKeysOf, redact } from '../../../shared/domain/redact.ts';
import { severityOf, type Severity } from '../../../shared/domain/severity.ts';
import type {
  AggregateCheck,
  AggregateClient,
  AggregateResults,
  AggregateSummary,
} from '../../../shared/schemas/aggregate.ts';
import type { Store } from '../ports.ts';
import type { CheckAggregate, CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';
import { bytesOfText, type KeptByEvent } from '../events/kept-by-event.ts';
import { readRecords } from '../events/read-records.ts';

/** Results that are read at once. */
const CHUNK = 250;
/** Clients that are looked at, and outputs that are sorted, before others get their turn. */
const TURN = 1000;

/** Which results count. */
export interface Freshness {
  /** Seconds; undefined: all of them. */
  readonly maxAge: number | undefined;
  readonly nowMs: number;
}

/** The counters of an aggregate: kept all the time, and counted anew only to tell the stale results apart. */
export function summaryOf(
  namespace: Namespace,
  aggregate: CheckAggregate,
  { maxAge, nowMs }: Freshness,
): AggregateSummary {
  const { size, clientCount: clients, checkCount: checks } = aggregate;
  const silenced = namespace.aggregates.silenced(aggregate, nowMs);
  if (maxAge === undefined) {
    const { counts, down } = aggregate;
    return { clients, checks, results: { ...counts, total: size, stale: 0, silenced: silenced.size, down } };
  }
  const now = Math.floor(nowMs / 1000);
  const results = { ok: 0, warning: 0, critical: 0, unknown: 0, total: 0, stale: 0, silenced: 0, down: 0 };
  for (const entry of aggregate.members()) {
    if (entry.status === undefined || isStale(entry.executed, maxAge, now)) continue;
    results[severityOf(entry.status)]++;
    results.total++;
    if (silenced.has(entry)) results.silenced++;
    if (entry.client.isDown) results.down++;
  }
  return { clients, checks, results: { ...results, stale: size - results.total } };
}

/** The clients of an aggregate, by name. */
export function clientsOf(namespace: Namespace, aggregate: CheckAggregate): ClientEntry[] {
  return namespace.sortedClients().filter((client) => aggregate.hasClient(client));
}

/** A client with the checks that are members, by name. */
export function checksOfClient(aggregate: CheckAggregate, client: ClientEntry): AggregateClient {
  return { name: client.name, checks: membersOf(aggregate, client).map(({ name }) => name) };
}

/** The checks of an aggregate with the clients of each, both by name. */
export function checksOf(namespace: Namespace, aggregate: CheckAggregate): AggregateCheck[] {
  const clients = new Map<string, string[]>();
  for (const client of clientsOf(namespace, aggregate)) {
    for (const { name } of membersOf(aggregate, client)) {
      const names = clients.get(name);
      if (names === undefined) clients.set(name, [client.name]);
      else names.push(client.name);
    }
  }
  return [...clients].map(([name, names]) => ({ name, clients: names })).toSorted(by(({ name }) => name));
}

/** What counts of the committed result of a member, redacted. */
export interface MemberOutput {
  readonly name: string;
  readonly status: number;
  /** Epoch seconds. */
  readonly executed: number;
  readonly output: string;
}

/**
 * What the fresh members of one severity say, redacted: by check, the outputs that most clients have first, the clients
 * by name. It is the committed results that count.
 *
 * @param known those of the last times
 */
export async function readOutputs(
  store: Store,
  namespace: Namespace,
  aggregate: CheckAggregate,
  severity: Severity,
  { maxAge, nowMs }: Freshness,
  known: KeptByEvent<MemberOutput>,
): Promise<AggregateResults[]> {
  const now = Math.floor(nowMs / 1000);
  const counts = ({ status, executed }: { readonly status: number | undefined; readonly executed: number }): boolean =>
    status !== undefined && severityOf(status) === severity && !isStale(executed, maxAge, now);

  const outputs = new Map<string, Map<string, string[]>>();
  for await (const entries of inChunks(namespace, aggregate, counts)) {
    // An event that outlives an OK (`auto_resolve: false`) is the same before and after it: of what is well none is known.
    const read =
      severity === 'ok'
        ? await readMembers(store, entries)
        : await known.of(entries, (missing) => readMembers(store, missing));
    for (const [at, { client }] of entries.entries()) {
      const member = read[at];
      if (member !== undefined && counts(member)) noteOutput(outputs, client.name, member);
    }
  }
  const results: AggregateResults[] = [];
  for (const [check, clients] of outputs) {
    results.push({ check, summary: [...clients].map(summaryOfOutput).toSorted(mostFirst) });
    if (clients.size > TURN) await nextTurn();
  }
  return results.toSorted(by(({ check }) => check));
}

/** The members that count, by client, then check. */
async function* inChunks(
  namespace: Namespace,
  aggregate: CheckAggregate,
  counts: (entry: CheckEntry) => boolean,
): AsyncGenerator<readonly CheckEntry[], void, undefined> {
  let chunk: CheckEntry[] = [];
  for (const [at, client] of namespace.sortedClients().entries()) {
    if (aggregate.hasClient(client)) chunk.push(...membersOf(aggregate, client).filter(counts));
    if (chunk.length < CHUNK && at % TURN < TURN - 1) continue;
    yield chunk;
    chunk = [];
    await nextTurn();
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

/** Of a member with an open event: a commit that changes what it says changes the event, unless it says that all is well. */
export function bytesOfOutput({ status, output }: MemberOutput): number | undefined {
  return status === 0 ? undefined : bytesOfText(output);
}

function membersOf(aggregate: CheckAggregate, client: ClientEntry): CheckEntry[] {
  return client.sortedChecks().filter((entry) => aggregate.has(entry));
}

function noteOutput(
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

function mostFirst(a: OutputSummary, b: OutputSummary): number {
  return b.total - a.total || (a.output < b.output ? -1 : 1);
}

function by<T>(key: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}
