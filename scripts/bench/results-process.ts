// Simulates agents that send results at a steady rate. It is a separate process, so that sending does not delay the
// process that measures. The parent process ends it.
import { performance } from 'node:perf_hooks';
import { BenchAgent, steadyLoop } from './bench-agent.ts';
import { quantileOf } from './report.ts';

/** The options that the process gets at its start. */
export interface ResultsOrder {
  readonly url: string;
  readonly agents: number;
  /** Total results per second of all agents. */
  readonly rate: number;
}

/**
 * A message from the parent process: `latency` requests the figures since the previous request, and `over` ends the
 * load.
 */
export type ResultsRequest = 'latency' | 'over';

/** The latency of acknowledgments, in milliseconds. */
export interface LatencyReport {
  readonly p99: number;
}

/** The acknowledged results per second; sent once, when the load has ended. */
export interface ResultsReport {
  readonly reached: number;
}

const { url, agents: count, rate } = JSON.parse(process.argv[2] ?? '') as ResultsOrder;
let hasEnded = false;
let latenciesMs: number[] = [];
process.on('message', (request: ResultsRequest) => {
  if (request === 'over') {
    hasEnded = true;
    return;
  }
  process.send?.({ p99: quantileOf(latenciesMs, 0.99) } satisfies LatencyReport);
  latenciesMs = [];
});
process.once('disconnect', () => process.exit());

const benchAgents = await BenchAgent.connectAll(url, count);
for (const agent of benchAgents) agent.onAcknowledged = (sentAt) => latenciesMs.push(performance.now() - sentAt);
const { reached } = await steadyLoop(benchAgents, rate, () => hasEnded);
for (const agent of benchAgents) agent.close();
process.send?.({ reached } satisfies ResultsReport);
process.disconnect();
