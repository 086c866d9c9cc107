import type { BenchSizes } from './bench-sizes.ts';
import { agentsOfMembers } from './cluster-agents.ts';
import { costOfMembers } from './cluster-cost.ts';
import { joinAndTakeOver } from './cluster-keys.ts';
import { runParts } from './run-parts.ts';

/**
 * Measures several backends on one PostgreSQL: how much each follower costs the leader, and how many agents and keys
 * the cluster supports.
 */
export async function measureCluster(seconds: number, { agents, keys, rate, parts }: BenchSizes): Promise<void> {
  await runParts(
    {
      cost: () => costOfMembers(seconds, rate),
      agents: () => agentsOfMembers(agents),
      keys: () => joinAndTakeOver(keys),
    },
    parts,
  );
}
