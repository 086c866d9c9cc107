import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBackend, type BenchBackend } from './backend-process.ts';
import { postResults, resultsUnderAttack } from './post-results.ts';
import { formatNumber, reportFigure } from './report.ts';
import { whileResultsComeIn } from './background-results.ts';
import { ADDED_ATTACKS, REVIEWED_ATTACKS, type Attack, type AttackTarget } from './stalls/attacks.ts';

/** Number of regular results per second during each attack. */
const RESULTS_PER_SECOND = 5000;

/**
 * Measures requests whose cost the sender chooses: the maximum CPU of one event loop iteration during each attack, and
 * the latency of regular results at the same time.
 */
export async function measureStalls(seconds: number): Promise<void> {
  await using backend = await startBackend({
    isLoopWatched: true,
    settings: { 'agent-listener': { port: 0 }, 'entity-limit': 'unlimited', 'buffer-limit': 1024 },
  });
  const target: AttackTarget = { url: backend.url, agentUrl: backend.agentUrl };
  await postResults(backend, resultsUnderAttack(100));
  await whileResultsComeIn(
    backend,
    async (latencyP99) => {
      await latencyP99();
      await sleep(seconds * 1000);
      const plain = await latencyP99();
      reportFigure(
        `p99 of acknowledgements at ${formatNumber(RESULTS_PER_SECOND)} results/s without an attack`,
        plain,
        'ms',
      );
      for (const attack of [...ADDED_ATTACKS, ...REVIEWED_ATTACKS]) {
        const longest = await longestTask(backend, attack, target, seconds);
        reportFigure(`${attack.name}: CPU of one round of the loop, max`, longest, 'ms', 'goal 50');
        reportFigure(`${attack.name}: p99 of acknowledgements, times that without`, (await latencyP99()) / plain, '');
      }
    },
    RESULTS_PER_SECOND,
  );
}

/** Returns the maximum CPU of one event loop iteration while an attack is repeated, in milliseconds. */
async function longestTask(
  backend: BenchBackend,
  attack: Attack,
  target: AttackTarget,
  seconds: number,
): Promise<number> {
  await attack.prepare?.(target);
  await backend.loopDelay();
  const endsAt = performance.now() + seconds * 1000;
  do await attack.send(target);
  while (performance.now() < endsAt);
  return (await backend.loopDelay()).work.max;
}
