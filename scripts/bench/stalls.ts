import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBackend, type BenchBackend } from './backend-process.ts';
import { postResults, type KnownResults } from './post-results.ts';
import { count, report } from './report.ts';
import { whileResultsComeIn } from './results-beside.ts';
import { OWN_ATTACKS, REVIEWED_ATTACKS, type Attack, type AttackTarget } from './stalls/attacks.ts';

/** Results per second beside each attack. */
const RATE = 5000;

/** 100,000 keys; every tenth is an open event. */
const SEEDED: KnownResults = {
  clients: 1000,
  checks: 100,
  result: (client, check) => ({
    source: `web-${String(client)}`,
    name: `check-${String(check)}`,
    status: (client + check) % 10 === 0 ? 2 : 0,
    aggregate: 'all',
    handlers: [],
  }),
};

/**
 * Requests whose size their sender chooses: the most CPU that one round of the event loop takes for each, and how long
 * results wait for their acknowledgement beside it.
 */
export async function run(seconds: number): Promise<void> {
  await using backend = await startBackend({
    isLoopWatched: true,
    settings: { 'agent-listener': { port: 0 }, 'entity-limit': 'unlimited', 'buffer-limit': 1024 },
  });
  const target: AttackTarget = { url: backend.url, agentUrl: backend.agentUrl };
  await postResults(backend, SEEDED);
  await whileResultsComeIn(
    backend,
    async (latencyP99) => {
      await latencyP99();
      await sleep(seconds * 1000);
      const plain = await latencyP99();
      report(`p99 of acknowledgements at ${count(RATE)} results/s without an attack`, plain, 'ms');
      for (const attack of [...OWN_ATTACKS, ...REVIEWED_ATTACKS]) {
        const longest = await longestTask(backend, attack, target, seconds);
        report(`${attack.name}: CPU of one round of the loop, max`, longest, 'ms', 'goal 50');
        report(`${attack.name}: p99 of acknowledgements, times that without`, (await latencyP99()) / plain, '');
      }
    },
    RATE,
  );
}

/** The most CPU of one round of the event loop while an attack is repeated, in milliseconds. */
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
