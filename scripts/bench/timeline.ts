import { startBackend } from './backend-process.ts';
import { BenchAgent } from './bench-agent.ts';
import { formatNumber, reportFigure } from './report.ts';
import { measureCpuPerResult } from './side-by-side.ts';

const CONNECTION_COUNT = 50;
/** Target of results per second, for both backends together. */
const RESULTS_PER_SECOND = 30_000;
const WARM_UP_MS = 3000;

/**
 * Measures what the timeline costs per result. Two backends, one of them without a timeline, run side by side under the
 * same load, so that other load on the machine affects both equally. Three loads are measured: one in twenty results
 * fails permanently, as on real sites; one in a hundred opens or resolves an event; every result opens or resolves an
 * event.
 */
export async function measureTimeline(seconds: number): Promise<void> {
  await using off = await startBackend({ settings: { timeline: { days: 0 } } });
  await using on = await startBackend();
  const sides = await Promise.all(
    [off, on].map(async (backend) => ({ backend, agents: await BenchAgent.connectAll(backend.url, CONNECTION_COUNT) })),
  );
  const cost = async (ms: number): Promise<readonly number[]> => measureCpuPerResult(sides, ms, RESULTS_PER_SECOND);
  await cost(WARM_UP_MS);
  for (const [what, share, goal] of [
    ['nothing changes', 0, 'goal within 3'],
    ['one result of a hundred changes', 0.01, 'goal within 3'],
    ['every result changes', 1, 'no goal'],
  ] as const) {
    for (const { agents } of sides) for (const agent of agents) agent.change(share);
    await cost(WARM_UP_MS);
    const [without = NaN, with_ = NaN] = await cost(seconds * 1000);
    const more = ((with_ / without - 1) * 100).toFixed(1);
    reportFigure(
      `CPU per result with the timeline, ${what}`,
      with_,
      'us',
      `${more} %, without ${formatNumber(without)}; ${goal}`,
    );
  }
  for (const { agents } of sides) for (const agent of agents) agent.close();
}
