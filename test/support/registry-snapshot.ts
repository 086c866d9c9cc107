import { checksNamedBy, eventsNamedBy } from '../../daemon/backend/model/registry/silenced-events.ts';
import type {
  CheckAggregate,
  CheckEntry,
  ClientEntry,
  Namespace,
} from '../../daemon/backend/model/registry/namespace.ts';
import type { Registry } from '../../daemon/backend/model/registry/registry.ts';
import { DEFINITION_KINDS } from '../../daemon/backend/model/definitions/state.ts';
import { groupsOf, type Group } from '../../daemon/backend/model/notify/groups/state.ts';
import { pendingResolutionsOf } from '../../daemon/backend/model/notify/silence-ends/state.ts';
import { inhibitorsOf, createEvaluatedInhibitionRules } from '../../daemon/backend/model/notify/inhibitions/state.ts';
import { plansOf } from '../../daemon/backend/model/plans/state.ts';
import { ttlDefinitionsOf } from '../../daemon/backend/model/results/ttl-definitions.ts';
import { overridesIn } from '../../daemon/backend/model/on-call/state.ts';
import { stashesOf } from '../../daemon/backend/model/stashes/state.ts';

/**
 * Returns the visible state of a registry, read through each of its indexes. Registries with the same content have
 * equal snapshots. Excluded are the remains of empty namespaces, and the times when checks were last not OK, which are
 * only known since the registry was loaded.
 */
export function snapshotOf(registry: Registry, nowMs: number): object {
  const { audit, bytes, corrections, credentials, declared, definitions, timeline } = registry;
  return {
    bytes,
    corrections,
    head: audit.head,
    timeline: timeline.head,
    declared: declared.names(),
    users: sorted(credentials.users),
    apiKeys: sorted(credentials.apiKeys),
    sessions: sorted(credentials.sessions),
    tokenKey: credentials.tokenKey,
    definitions: DEFINITION_KINDS.map((kind) =>
      [...definitions.all(kind)].toSorted((a, b) => (placeOf(a.object) < placeOf(b.object) ? -1 : 1)),
    ),
    plans: plansOf(registry).all(),
    settledRules: registry.state(createEvaluatedInhibitionRules).fingerprints,
    ttlDefinitions: [...ttlDefinitionsOf(registry).checks],
    namespaces: [...registry.namespaces()]
      .filter((namespace) => !namespace.isEmpty)
      .toSorted(byName)
      .map((namespace) => namespaceSnapshot(namespace, nowMs)),
  };
}

/**
 * Returns the names of the results whose TTL has expired at `now` (epoch seconds), and removes them from the TTL index.
 */
export function staleAt(registry: Registry, now: number): string[] {
  return [...registry.namespaces()].flatMap(({ name, ttls }) =>
    [...ttls.due(now)].map((entry) => `${name}/${nameOf(entry)}`).toSorted(),
  );
}

function groupSnapshot({ members, ...group }: Group): { readonly key: string } {
  const own = [...members.values()].map((member) => Object.assign({}, member, { group: member.group.key }));
  return Object.assign(group, { members: own.toSorted((a, b) => (a.client < b.client ? -1 : 1)) });
}

function namespaceSnapshot(namespace: Namespace, nowMs: number): object {
  const { aggregates, counted, openEvents, resultsByCheck, silenced } = namespace;
  const clients = namespace.sortedClients();
  const checks = [...new Set(clients.flatMap((client) => [...client.checks.keys()]))].toSorted();
  const subscriptions = [...new Set(clients.flatMap((client) => Array.from(client.subscriptions)))].toSorted();
  const entries = [...silenced.all()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const inhibitors = [...inhibitorsOf(namespace).all()].map((inhibitor) => JSON.stringify(inhibitor)).toSorted();
  return {
    name: namespace.name,
    inhibitors,
    inhibited: [...namespace.inhibited.all()].map(({ client, name }) => `${client.name}/${name}`).toSorted(),
    pendingResolutions: [...pendingResolutionsOf(namespace).all()].map((one) => JSON.stringify(one)).toSorted(),
    groups: [...groupsOf(namespace).all()].map(groupSnapshot).toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    clients: clients.map(clientSnapshot),
    results: namespace.results,
    byCheck: checks.map((check) => [
      check,
      resultsByCheck.countsOfCheck(check),
      names(openEvents.eventsOfCheck(check)),
    ]),
    openEvents: openEvents.counts(),
    events: [...namespace.events()].map(nameOf),
    counted: [counted.total, counted.proxies, ...clients.map(({ name }) => counted.proxiesOf(name))],
    bySubscription: subscriptions.map((subscription) => [
      subscription,
      names([...checksNamedBy(namespace, subscription, null)].filter((entry) => entry !== undefined)),
      names(eventsNamedBy(namespace, subscription, null)),
    ]),
    aggregates: aggregates.sorted().map((aggregate) => aggregateSnapshot(namespace, aggregate, nowMs)),
    deletions: AGGREGATES.map((name) => [name, aggregates.deletion(name)]),
    deletionCount: aggregates.deletionCount,
    silences: entries.map((entry) => [entry, silenced.use(entry.id)]),
    silencesOfCheck: checks.map((check) => [
      silenced.byCheck(check)?.id,
      [...silenced.namingCheck(check)].map(({ id }) => id).toSorted(),
    ]),
    silencesOfSubscription: subscriptions.map((subscription) => [
      silenced.bySubscription(subscription)?.all?.id,
      [...(silenced.bySubscription(subscription)?.byCheck.keys() ?? [])].toSorted(),
    ]),
    stashes: stashesOf(namespace).sorted(),
    overrides: overridesIn(namespace).sorted(),
    spools: sorted(namespace.spools),
    invalidated: sorted(namespace.invalidated),
    tombstones: sorted(namespace.tombstones),
  };
}

/** Names of the aggregates that the tests use. */
const AGGREGATES = ['fleet', 'shop', 'web'];

function clientSnapshot(client: ClientEntry): object {
  const { namespace: _namespace, ...own } = Object.assign({}, client);
  return {
    ...own,
    bytes: client.bytes,
    isDown: client.isDown,
    lastResult: client.lastResult,
    checks: client.sortedChecks().map(checkSnapshot),
  };
}

function checkSnapshot(entry: CheckEntry): object {
  const { client, aggregates, lastProblem: _lastProblem, ttlRepeat, ttlAt: _ttlAt, ...own } = Object.assign({}, entry);
  return {
    ...own,
    client: client.name,
    series: entry.series?.encode(),
    aggregates: aggregates.map(({ name }) => name),
    ttlRepeat: entry.ttl > 0 ? ttlRepeat : 0,
  };
}

function aggregateSnapshot(namespace: Namespace, aggregate: CheckAggregate, nowMs: number): object {
  const { name, counts, down, size, clientCount, checkCount } = aggregate;
  return {
    name,
    counts,
    down,
    size,
    clientCount,
    checkCount,
    members: names(aggregate.members()),
    clients: namespace
      .sortedClients()
      .filter((client) => aggregate.hasClient(client))
      .map((client) => client.name),
    silenced: names(namespace.aggregates.silenced(aggregate, nowMs)),
  };
}

function names(entries: Iterable<CheckEntry>): string[] {
  return [...entries].map(nameOf).toSorted();
}

function nameOf({ client, name }: CheckEntry): string {
  return `${client.name}/${name}`;
}

function placeOf({ metadata }: { readonly metadata: { readonly namespace: string; readonly name: string } }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
