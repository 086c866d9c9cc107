import { isExpired } from '../../../shared/domain/expiry.ts';
import { convertStash, silenceSupportProblem } from '../../../shared/domain/stash-silencing.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ObjectName, UpgradeFacts } from '../../../shared/schemas/plan.ts';
import { COMPATIBLE_V2_VERSION } from '../../../shared/schemas/version.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { Clock, Store } from '../ports.ts';
import type { ClientEntry, Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { stashesOf } from '../model/stashes/state.ts';

export interface UpgradeFactDependencies {
  readonly registry: Registry;
  readonly definitions: Definitions;
  readonly entityLimit: Pick<EntityLimit, 'usage'>;
  readonly clock: Clock;
  /** The host name of the backend, as shown to operators. */
  readonly name: string;
  readonly store: Pick<Store, 'schema'>;
  readonly stateDir: string;
}

/** Maximum number of entities in the list of the newest entities. */
const NEWEST_MAX = 10;
/** Maximum number of names in a list of stashes or clients. */
const LISTED_NAMES_MAX = 1000;

/**
 * Returns the facts that upgrade rules need: the state of this backend, as far as it knows it. The operator enters
 * other facts.
 */
export async function upgradeFactsOf(parts: UpgradeFactDependencies): Promise<UpgradeFacts> {
  const { registry, clock, name, stateDir, store } = parts;
  const clients = clientsOf(registry);
  const checks = checksOf(parts);
  const space = await store.schema.diskSpace();
  return {
    product: 'mon',
    taken_at: Math.floor(clock.now() / 1000),
    namespaces: [...registry.declared.names()],
    checks,
    entities: entitiesOf(parts, clients),
    agents: clients
      .filter(([, { profile }]) => profile.sendsKeepalives)
      .map(([namespace, { name: client, version }]) => ({ namespace, name: client, version: version || null })),
    // The number of pipelines is reported as zero. Otherwise a rule would warn about agents that do not support
    // pipelines.
    pipelines: 0,
    // The version is the API level, because an upgrade changes that level. This backend can respond, so it is healthy.
    backends: [{ name, version: COMPATIBLE_V2_VERSION, healthy: true }],
    key_value_store: space === undefined ? 'external' : 'embedded',
    event_store: space === undefined ? 'relational' : 'key-value',
    counts: countsOf(registry),
    // The store is in the configured directory. The default directory of earlier versions plays no role.
    state_dir: { configured: stateDir, old_has_data: false, new_has_data: true },
    silence_stashes: silenceStashesOf(registry.namespace(DEFAULT_NAMESPACE), clock.now()),
    ...(space !== undefined && { disk: { path: stateDir, free_bytes: space.free, needed_bytes: space.needed } }),
    attested: [],
  };
}

type NamespacedClient = readonly [namespace: string, client: ClientEntry];

function clientsOf(registry: Registry): readonly NamespacedClient[] {
  return [...registry.namespaces()].flatMap(({ name, clients }) =>
    [...clients.values()].map((client): NamespacedClient => [name, client]),
  );
}

/**
 * Returns the names of all checks. Checks from configuration files are in the namespace `default`. A stored check can
 * be in a namespace that no longer exists.
 */
function checksOf({ registry, definitions }: UpgradeFactDependencies): ObjectName[] {
  const stored = Array.from(registry.definitions.all('checks'), ({ object: { metadata } }) => ({
    namespace: metadata.namespace,
    name: metadata.name,
  }));
  const configured = [...definitions.configured('checks').keys()].map((name) => ({
    namespace: DEFAULT_NAMESPACE,
    name,
  }));
  return [...configured, ...stored];
}

function entitiesOf(
  { entityLimit }: UpgradeFactDependencies,
  clients: readonly NamespacedClient[],
): NonNullable<UpgradeFacts['entities']> {
  const { total, limit } = entityLimit.usage();
  const newest = clients
    .toSorted(([, a], [, b]) => b.timestamp - a.timestamp)
    .slice(0, NEWEST_MAX)
    .map(([namespace, { name }]) => ({ namespace, name }));
  return { total, newest, limit: limit === 'unlimited' ? null : limit };
}

/**
 * Returns the number of objects of each kind, to compare them with a dump. Events and silences are omitted, because
 * they change too often to match a dump.
 */
function countsOf({ declared, definitions }: Registry): Readonly<Record<string, number>> {
  return {
    Namespace: declared.names().length,
    CheckConfig: [...definitions.all('checks')].length,
    Handler: [...definitions.all('handlers')].length,
    EventFilter: [...definitions.all('filters')].length,
    Mutator: [...definitions.all('mutators')].length,
    Pipeline: [...definitions.all('pipelines')].length,
  };
}

function silenceStashesOf(namespace: Namespace, nowMs: number): NonNullable<UpgradeFacts['silence_stashes']> {
  const unclear = new Set<string>();
  const unready = new Set<string>();
  let total = 0;
  for (const stash of stashesOf(namespace).all()) {
    const migration = isExpired(stash, nowMs) ? undefined : convertStash({ path: stash.path, content: {}, expire: -1 });
    if (migration === undefined) continue;
    total++;
    if (migration.kind === 'unclear') unclear.add(migration.path);
    else if (migration.client !== undefined) {
      const client = namespace.clients.get(migration.client);
      const problem = client === undefined ? undefined : silenceSupportProblem(client);
      if (problem !== undefined) unready.add(problem);
    }
  }
  return { total, unclear: [...unclear].slice(0, LISTED_NAMES_MAX), unready: [...unready].slice(0, LISTED_NAMES_MAX) };
}
