import { clusterMembers } from '../../../shared/client/cluster-client.ts';
import type { V2Client, V2Object } from '../../../shared/client/v2-client.ts';
import {
  WRAPPED_KINDS,
  wrapObject,
  type DumpedType,
  type WrappedObject,
} from '../../../shared/domain/v2/wrapped-object.ts';
import { DumpFacts } from '../../../shared/domain/plan/dump-facts.ts';
import { MonError } from '../../../shared/errors.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';
import type { CommandCall } from '../command.ts';
import { clusterV2 } from './cluster-login.ts';

/**
 * Types of the objects whose number is compared with a dump; the number of objects of other types changes every minute.
 */
const COUNTED_TYPES: readonly DumpedType[] = [
  'Namespace',
  'CheckConfig',
  'Handler',
  'EventFilter',
  'Mutator',
  'Entity',
];

/**
 * Collects the facts about a cluster that is not mon from the lists of its v2 API. A fact is left out if the
 * credentials may not read its list.
 *
 * @param limit entity limit; null if there is none
 * @throws MonError `unavailable`, `unauthenticated`
 */
export async function clusterFacts(call: CommandCall, limit: number | null): Promise<UpgradeFacts> {
  const v2 = await clusterV2(call);
  const seen = new DumpFacts();
  const hidden = new Set<string>();
  for (const kind of WRAPPED_KINDS.filter(({ type }) => COUNTED_TYPES.includes(type))) {
    const isSeen = await addObjects(v2, kind.path, seen, (object) => wrapObject(kind, object));
    if (!isSeen) hidden.add(kind.type);
  }
  if (!(await addObjects(v2, 'pipelines', seen, wrapPipeline))) hidden.add('Pipeline');
  const { namespaces, checks, entities, agents, pipelines } = seen.facts(limit);
  const hasChecks = namespaces !== undefined && !hidden.has('CheckConfig');
  const counts = Object.entries(seen.counts).filter(([type]) => COUNTED_TYPES.some((counted) => counted === type));
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

async function backendsOf(call: CommandCall): Promise<NonNullable<UpgradeFacts['backends']>> {
  const { sensu_backend: version } = await call.v2().versions();
  const members = await clusterMembers({ backend: call.backend, env: call.credentials });
  const url = new URL(call.v2().url);
  // A backend reports only its own version, so the versions of several members are unknown.
  if (members === undefined || members.length <= 1) {
    const [member] = members ?? [];
    return [{ name: member?.name ?? url.host, version, healthy: member?.isHealthy ?? null }];
  }
  return members.map(({ name, isHealthy }) => ({ name, version: null, healthy: isHealthy }));
}

/**
 * Adds all objects of a list to the facts.
 *
 * @returns `false` if the list cannot be read; a missing list of pipelines counts as an empty list
 */
async function addObjects(
  v2: V2Client,
  path: string,
  seen: DumpFacts,
  wrapped: (object: V2Object) => WrappedObject,
): Promise<boolean> {
  try {
    for await (const page of v2.pages([path])) for (const object of page) seen.add(wrapped(object));
    return true;
  } catch (error) {
    if (!(error instanceof MonError) || !['forbidden', 'not_found', 'payment_required'].includes(error.code))
      throw error;
    // Sensu Go before 6.5.0 has no list of pipelines.
    return error.code === 'not_found' && path === 'pipelines';
  }
}

function wrapPipeline(object: V2Object): WrappedObject {
  return { type: 'Pipeline', api_version: 'core/v2', metadata: {}, spec: object };
}
