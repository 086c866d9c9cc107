import { startBackend } from './backend-process.ts';
import { BenchAgent } from './bench-agent.ts';
import { count, report } from './report.ts';
import { costOf } from './side-by-side.ts';

const CONNECTIONS = 50;
/** Results per second at both together, where the machine comes up to that. */
const RATE = 30_000;
const WARM_UP_MS = 3000;

/**
 * What the timeline costs per result: two backends side by side with the same load, one of which keeps none, so that whatever else
 * the machine does is the same for both. As sites are, with one in twenty failing all the time; with one of a hundred
 * results that opens or ends an event; and with every one doing so.
 */
export async function run(seconds: number): Promise<void> {
  await using off = await startBackend({ settings: { timeline: { days: 0 } } });
  await using on = await startBackend();
  const sides = await Promise.all(
    [off, on].map(async (backend) => ({ backend, agents: await BenchAgent.connectAll(backend.url, CONNECTIONS) })),
  );
  const cost = async (ms: number): Promise<readonly number[]> => costOf(sides, ms, RATE);
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
    report(`CPU per result with the timeline, ${what}`, with_, 'us', `${more} %, without ${count(without)}; ${goal}`);
  }
  for (const { agents } of sides) for (const agent of agents) agent.close();
}
