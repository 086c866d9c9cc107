import { isStale } from '../../../shared/domain/aggregate.ts';
import { severityOf, type Severity } from '../../../shared/domain/severity.ts';
import type {
  AggregateCheck,
  AggregateClient,
  AggregateResults,
  AggregateSummary,
} from '../../../shared/schemas/aggregate.ts';
import type { Store } from '../ports.ts';
import type { CheckAggregate, CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';
import { readResults } from '../results/read.ts';

/** Results that are read at once; between them others get their turn. */
const CHUNK = 250;

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

/**
 * What the fresh members of one severity say, redacted: by check, the outputs that most clients have first, the clients
 * by name. It is the committed results that count.
 */
export async function readOutputs(
  store: Store,
  namespace: Namespace,
  aggregate: CheckAggregate,
  severity: Severity,
  { maxAge, nowMs }: Freshness,
): Promise<AggregateResults[]> {
  const now = Math.floor(nowMs / 1000);
  const counts = ({ status, executed }: { readonly status: number | undefined; readonly executed: number }): boolean =>
    status !== undefined && severityOf(status) === severity && !isStale(executed, maxAge, now);

  const entries = clientsOf(namespace, aggregate).flatMap((client) => membersOf(aggregate, client).filter(counts));
  const outputs = new Map<string, Map<string, string[]>>();
  for (let at = 0; at < entries.length; at += CHUNK) {
    for (const { client, check } of await readResults(store, entries.slice(at, at + CHUNK))) {
      if (counts(check)) noteOutput(outputs, client, check);
    }
  }
  return [...outputs]
    .map(([check, clients]) => ({ check, summary: [...clients].map(summaryOfOutput).toSorted(mostFirst) }))
    .toSorted(by(({ check }) => check));
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
