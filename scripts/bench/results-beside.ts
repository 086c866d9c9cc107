import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchBackend } from './backend-process.ts';
import type { ResultsOrder, ResultsReport } from './results-process.ts';

/** Results per second. */
export const RATE = 20_000;
const AGENTS = 100;
const WARM_UP_MS = 3000;

/** @returns results per second that were acknowledged meanwhile */
export async function whileResultsComeIn({ url }: BenchBackend, act: () => Promise<void>): Promise<number> {
  const order: ResultsOrder = { url, agents: AGENTS, rate: RATE };
  const load = fork(join(import.meta.dirname, 'results-process.ts'), [JSON.stringify(order)]);
  try {
    // Until all keys are known, and what takes their results is compiled: a start is another question.
    await sleep(WARM_UP_MS);
    await act();
    load.send('over');
    const [{ reached }] = (await once(load, 'message')) as [ResultsReport];
    return reached;
  } finally {
    load.kill();
  }
}
