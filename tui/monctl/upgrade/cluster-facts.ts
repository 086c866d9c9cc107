import { clusterMembers } from '../../../shared/client/cluster-client.ts';
import type { CoreClient, CoreObject } from '../../../shared/client/core-client.ts';
import { WRAPPED_KINDS, wrap, type CoreType, type Wrapped } from '../../../shared/domain/core/wrapped.ts';
import { DumpFacts } from '../../../shared/domain/upgrade/dump-facts.ts';
import { MonError } from '../../../shared/errors.ts';
import type { UpgradeFacts } from '../../../shared/schemas/upgrade.ts';
import type { Call } from '../command.ts';
import { clusterCore } from './cluster-login.ts';

/** What a dump is held against: what else there is comes and goes by the minute. */
const COUNTED: readonly CoreType[] = ['Namespace', 'CheckConfig', 'Handler', 'EventFilter', 'Mutator', 'Entity'];

/**
 * What the lists of a cluster of another make tell. What these credentials may not see is not known.
 *
 * @param limit entities that are allowed; null: no limit
 * @throws MonError `unavailable`, `unauthenticated`
 */
export async function clusterFacts(call: Call, limit: number | null): Promise<UpgradeFacts> {
  const core = await clusterCore(call);
  const seen = new DumpFacts();
  const hidden = new Set<string>();
  for (const kind of WRAPPED_KINDS.filter(({ type }) => COUNTED.includes(type))) {
    const isSeen = await addAll(core, kind.path, seen, (object) => wrap(kind, object));
    if (!isSeen) hidden.add(kind.type);
  }
  if (!(await addAll(core, 'pipelines', seen, pipeline))) hidden.add('Pipeline');
  const { namespaces, checks, entities, agents, pipelines } = seen.facts(limit);
  const hasChecks = namespaces !== undefined && !hidden.has('CheckConfig');
  const counts = Object.entries(seen.counts).filter(([type]) => COUNTED.some((counted) => counted === type));
  return {
    product: 'cluster',
    taken_at: Math.floor(call.nowMs / 1000),
    ...(hasChecks && { namespaces, checks }),
    ...(!hidden.has('Entity') && { entities: entities ?? { total: 0, newest: [], limit }, agents: agents ?? [] }),
    ...(!hidden.has('Pipeline') && { pipelines }),
    backends: await backendsOf(call),
    counts: Object.fromEntries(counts),
    attested: [],
  };
}

async function backendsOf(call: Call): Promise<NonNullable<UpgradeFacts['backends']>> {
  const { sensu_backend: version } = await call.core().versions();
  const members = await clusterMembers({ backend: call.backend, env: call.credentials });
  const url = new URL(call.core().url);
  // Each says only its own: with more than one of them the others' are not known.
  if (members === undefined || members.length <= 1) {
    const [member] = members ?? [];
    return [{ name: member?.name ?? url.host, version, healthy: member?.isHealthy ?? null }];
  }
  return members.map(({ name, isHealthy }) => ({ name, version: null, healthy: isHealthy }));
}

/** @returns false when it cannot be listed */
async function addAll(
  core: CoreClient,
  path: string,
  seen: DumpFacts,
  wrapped: (object: CoreObject) => Wrapped,
): Promise<boolean> {
  try {
    for await (const page of core.pages([path])) for (const object of page) seen.add(wrapped(object));
    return true;
  } catch (error) {
    if (!(error instanceof MonError) || !['forbidden', 'not_found', 'payment_required'].includes(error.code))
      throw error;
    // There were none before 6.5.0.
    return error.code === 'not_found' && path === 'pipelines';
  }
}

function pipeline(object: CoreObject): Wrapped {
  return { type: 'Pipeline', api_version: 'core/v2', metadata: {}, spec: object };
}
