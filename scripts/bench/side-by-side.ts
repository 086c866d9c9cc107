import type { BenchBackend } from './backend-process.ts';
import { ackedBy, steadyLoop, type BenchAgent } from './bench-agent.ts';
import { preciseCpuMs } from './process-figures.ts';

/** One of several backends that differ in one thing alone, with as many agents as each of the others. */
export interface Side {
  readonly backend: BenchBackend;
  readonly agents: readonly BenchAgent[];
}

/** The agents in turns over all sides, result by result, so that whatever else the machine does is the same for all. */
export function turnsOf(sides: readonly Pick<Side, 'agents'>[]): readonly BenchAgent[] {
  const most = Math.max(...sides.map(({ agents }) => agents.length));
  return Array.from({ length: most }, (_, at) => sides.flatMap(({ agents }) => agents[at] ?? [])).flat();
}

/**
 * Microseconds of CPU per result of each side, at the same time.
 *
 * @param rate results per second at all together
 */
export async function costOf(sides: readonly Side[], ms: number, rate: number): Promise<readonly number[]> {
  const figures = (): readonly (readonly [number, number])[] =>
    sides.map(({ backend, agents }) => [preciseCpuMs(backend.pid), ackedBy(agents)]);
  const before = figures();
  const endsAt = performance.now() + ms;
  await steadyLoop(turnsOf(sides), rate, () => performance.now() >= endsAt);
  return figures().map(([cpu, acked], at) => {
    const [cpuBefore = 0, ackedBefore = 0] = before[at] ?? [];
    return ((cpu - cpuBefore) * 1000) / (acked - ackedBefore);
  });
}
