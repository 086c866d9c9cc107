import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchBackend } from './backend-process.ts';
import type { LatencyReport, ResultsOrder, ResultsReport, ResultsRequest } from './results-process.ts';

/** Default number of results per second. */
export const RESULTS_PER_SECOND = 20_000;
const AGENT_COUNT = 100;
const WARM_UP_MS = 3000;

/**
 * Runs `act` while agents send results.
 *
 * @returns results per second that were acknowledged in that time
 */
export async function whileResultsComeIn(
  { url }: BenchBackend,
  act: (latencyP99: () => Promise<number>) => Promise<void>,
  rate = RESULTS_PER_SECOND,
): Promise<number> {
  const order: ResultsOrder = { url, agents: AGENT_COUNT, rate };
  const load = fork(join(import.meta.dirname, 'results-process.ts'), [JSON.stringify(order)]);
  const ask = async <Report>(request: ResultsRequest): Promise<Report> => {
    load.send(request);
    const [report] = (await once(load, 'message')) as [Report];
    return report;
  };
  try {
    // Wait until all keys exist and the code for results is compiled, so that the start is not measured.
    await sleep(WARM_UP_MS);
    await act(async () => (await ask<LatencyReport>('latency')).p99);
    return (await ask<ResultsReport>('over')).reached;
  } finally {
    load.kill();
  }
}
