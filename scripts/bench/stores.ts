import { startBackend } from './backend-process.ts';
import { BenchAgent, closedLoop, openLoop, type MeasuredLoad } from './bench-agent.ts';
import { startDatabase } from './cluster-members.ts';
import { connectionsCpuMs, memoryMiB, cpuMsBetween } from './process-figures.ts';
import { formatNumber, meanOf, reportFigure } from './report.ts';

const CONNECTION_COUNT = 100;
const WARM_UP_MS = 2000;
const ROUND_COUNT = 4;
/** Target of results per second with PostgreSQL, when the load generator and the database use the same two cores. */
const GOAL_RATE = 50_000;

interface MeasuredStore {
  readonly name: string;
  readonly pid: number;
  readonly agents: readonly BenchAgent[];
  readonly loads: MeasuredLoad[];
}

/**
 * Measures how many results per second agents can send, acknowledged after the commit, with LevelDB and with
 * PostgreSQL. Two backends alternate, with the load generator and the database on the same machine.
 */
export async function measureStores(seconds: number): Promise<void> {
  await using server = await startDatabase();
  await using embedded = await startBackend();
  const database = await server.database();
  await using shared = await startBackend({ env: { MON_STORE: database } });
  const stores = [await openMeasuredStore('LevelDB', embedded), await openMeasuredStore('PostgreSQL', shared)];
  for (const { agents, pid } of stores) await closedLoop(agents, pid, WARM_UP_MS);
  const databaseBefore = connectionsCpuMs(database);
  for (let round = 0; round < ROUND_COUNT; round++) {
    for (const { agents, pid, loads } of stores)
      loads.push(await closedLoop(agents, pid, (seconds * 1000) / ROUND_COUNT));
  }
  const databaseMs = cpuMsBetween(databaseBefore, connectionsCpuMs(database));
  for (const { name, pid, loads } of stores) {
    const rate = meanOf(loads.map((load) => load.rate));
    const cpu = meanOf(loads.map((load) => load.cpuMicroseconds));
    const goal = name === 'PostgreSQL' ? `, goal ${formatNumber(GOAL_RATE)}` : '';
    reportFigure(`results into ${name}`, rate, '/s', `memory ${formatNumber(memoryMiB(pid))} MiB${goal}`);
    const own = meanOf(loads.map((load) => load.ownCpuMicroseconds));
    const stored = (databaseMs * 1000) / (rate * seconds);
    if (name === 'LevelDB') reportFigure(`CPU per result into ${name}, of backend / load`, [cpu, own], 'us');
    else reportFigure(`CPU per result into ${name}, of backend / load / database`, [cpu, own, stored], 'us');
  }
  for (const { name, agents } of stores) {
    const { p50, p99, reached } = await openLoop(agents, GOAL_RATE / 4, seconds * 1000);
    reportFigure(
      `ack p50 / p99 into ${name} at ${formatNumber(GOAL_RATE / 4)}/s`,
      [p50, p99],
      'ms',
      `reached ${formatNumber(reached)}/s`,
    );
  }
  for (const { agents } of stores) for (const agent of agents) agent.close();
}

async function openMeasuredStore(
  name: string,
  { url, pid }: { readonly url: string; readonly pid: number },
): Promise<MeasuredStore> {
  return { name, pid, agents: await BenchAgent.connectAll(url, CONNECTION_COUNT), loads: [] };
}
