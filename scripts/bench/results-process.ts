// Agents at a steady rate in a process of their own, so that who reads beside them is not held up by sending. Its parent says
// when it is over.
import { BenchAgent, steadyLoop } from './bench-agent.ts';

/** What a process is told at its start. */
export interface ResultsOrder {
  readonly url: string;
  readonly agents: number;
  /** Results a second. */
  readonly rate: number;
}

/** At the end: results a second that were acknowledged. */
export interface ResultsReport {
  readonly reached: number;
}

const { url, agents: count, rate } = JSON.parse(process.argv[2] ?? '') as ResultsOrder;
let isOver = false;
process.once('message', () => (isOver = true));
process.once('disconnect', () => process.exit());

const agents = await BenchAgent.connectAll(url, count);
const { reached } = await steadyLoop(agents, rate, () => isOver);
for (const agent of agents) agent.close();
process.send?.({ reached } satisfies ResultsReport);
