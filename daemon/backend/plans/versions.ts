import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { COMPATIBLE_V2_VERSION, COMPATIBLE_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { AgentVersion, Versions } from '../../../shared/schemas/versions.ts';
import type { Store } from '../ports.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { readAuditHead } from '../audit/queries.ts';
import { stashesOf } from '../model/stashes/state.ts';

export interface VersionDependencies {
  readonly registry: Registry;
  readonly store: Store;
  /** Returns the total size of the files of the store, in bytes; absent if the store has no files. */
  readonly storeBytes?: () => Promise<number>;
}

/** Maximum number of agent versions in the list, because a client can report any text as its version. */
const VERSIONS_MAX = 50;

export async function versionsOf({ registry, store, storeBytes }: VersionDependencies): Promise<Versions> {
  const namespace = registry.namespace(DEFAULT_NAMESPACE);
  const { first, last } = await readAuditHead(store);
  return {
    backend: {
      version: VERSION,
      compatible: COMPATIBLE_VERSION,
      core: COMPATIBLE_V2_VERSION,
      node: process.versions.node,
    },
    agents: agentVersions(namespace),
    store: {
      id: store.id,
      schema: store.schema.version,
      bytes: storeBytes === undefined ? null : await storeBytes(),
    },
    records: {
      clients: namespace.clients.size,
      results: sumOf(namespace.results),
      events: sumOf(namespace.openEvents.counts()),
      silenced: namespace.silenced.size,
      stashes: stashesOf(namespace).size,
      audit: last - first + 1,
    },
  };
}

function agentVersions({ clients }: Namespace): AgentVersion[] {
  const counts = new Map<string, number>();
  for (const { profile } of clients.values()) {
    // Clients without an agent are counted under an empty version, because the `version` of such a client is not that
    // of an agent.
    const version = profile.sendsKeepalives ? profile.version : '';
    counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  return [...counts]
    .map(([version, count]) => ({ version, clients: count }))
    .toSorted((a, b) => b.clients - a.clients || (a.version < b.version ? -1 : 1))
    .slice(0, VERSIONS_MAX);
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
