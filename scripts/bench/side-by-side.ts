import type { BenchBackend } from './backend-process.ts';
import { sumOfAcknowledged, steadyLoop, type BenchAgent } from './bench-agent.ts';
import { preciseCpuMs } from './process-figures.ts';

/** One of several compared backends, which differ in one respect and have the same number of agents. */
export interface ComparedBackend {
  readonly backend: BenchBackend;
  readonly agents: readonly BenchAgent[];
}

/**
 * Interleaves the agents of all backends, so that their results alternate and other load on the machine affects all
 * backends equally.
 */
export function interleavedAgents(sides: readonly Pick<ComparedBackend, 'agents'>[]): readonly BenchAgent[] {
  const most = Math.max(...sides.map(({ agents }) => agents.length));
  return Array.from({ length: most }, (_, at) => sides.flatMap(({ agents }) => agents[at] ?? [])).flat();
}

/**
 * Returns the microseconds of CPU per result of each backend, measured at the same time.
 *
 * @param rate results per second of all backends together
 */
export async function measureCpuPerResult(
  sides: readonly ComparedBackend[],
  ms: number,
  rate: number,
): Promise<readonly number[]> {
  const figures = (): readonly (readonly [number, number])[] =>
    sides.map(({ backend, agents }) => [preciseCpuMs(backend.pid), sumOfAcknowledged(agents)]);
  const before = figures();
  const endsAt = performance.now() + ms;
  await steadyLoop(interleavedAgents(sides), rate, () => performance.now() >= endsAt);
  return figures().map(([cpu, acked], at) => {
    const [cpuBefore = 0, ackedBefore = 0] = before[at] ?? [];
    return ((cpu - cpuBefore) * 1000) / (acked - ackedBefore);
  });
}
