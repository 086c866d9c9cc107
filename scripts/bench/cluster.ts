import type { BenchSizes } from './bench-sizes.ts';
import { agentsOfMembers } from './cluster-agents.ts';
import { costOfMembers } from './cluster-cost.ts';
import { joinAndTakeOver } from './cluster-keys.ts';

/** Several backends on one PostgreSQL: what each costs the one that writes, and how many agents and keys they serve. */
export async function run(seconds: number, { agents, keys, rate, parts }: BenchSizes): Promise<void> {
  const all: Readonly<Record<string, () => Promise<void>>> = {
    cost: () => costOfMembers(seconds, rate),
    agents: () => agentsOfMembers(agents),
    keys: () => joinAndTakeOver(keys),
  };
  for (const part of parts.length === 0 ? Object.keys(all) : parts) {
    const measure = all[part];
    if (measure === undefined) throw new Error(`--part is one of ${Object.keys(all).join(', ')}`);
    await measure();
  }
}
