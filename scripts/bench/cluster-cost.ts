import { sumOfAcknowledged, BenchAgent, openLoop } from './bench-agent.ts';
import type { BenchBackend } from './backend-process.ts';
import { startDatabase, startMembers } from './cluster-members.ts';
import { connectionsCpuMs, preciseCpuMs, cpuMsBetween } from './process-figures.ts';
import { formatNumber, meanOf, reportFigure } from './report.ts';
import { interleavedAgents } from './side-by-side.ts';

const CLUSTER_SIZES = [1, 2, 3];
/** Number of agents that are connected to each leader. */
const CONNECTION_COUNT = 50;
const WARM_UP_MS = 4000;

interface MeasuredCluster {
  readonly members: readonly BenchBackend[];
  readonly agents: readonly BenchAgent[];
  /** URL of the cluster's database. */
  readonly database: string;
}

/**
 * Measures how much each additional member costs the leader. Clusters of one, two and three members run side by side on
 * one machine and one PostgreSQL. Each leader gets the same load, which is below its maximum, so the CPU per result is
 * comparable. Other load on the machine affects all clusters equally.
 *
 * @param rate results per second at each leader
 */
export async function costOfMembers(seconds: number, rate: number): Promise<void> {
  await using server = await startDatabase();
  await using started = new AsyncDisposableStack();
  const clusters: MeasuredCluster[] = [];
  for (const size of CLUSTER_SIZES) {
    const database = await server.database();
    const { members } = started.use(await startMembers(size, database));
    clusters.push({ members, agents: await connectAgents(members[0]), database });
  }
  // The results alternate between the clusters.
  const agents = interleavedAgents(clusters);
  await openLoop(agents, CLUSTER_SIZES.length * rate, WARM_UP_MS);
  const before = clusters.map((cluster) => ({ cluster, figures: figuresOf(cluster) }));
  await openLoop(agents, CLUSTER_SIZES.length * rate, seconds * 1000);
  const perResult = before.map(({ cluster, figures }) => costOf(figures, figuresOf(cluster)));
  for (const agent of agents) agent.close();
  for (const [at, { database, writer, follower }] of perResult.entries()) {
    const size = CLUSTER_SIZES[at] ?? 0;
    const parts = size === 1 ? ['writer', 'database'] : ['writer', 'database', 'each other member'];
    const values = [writer, database, follower].slice(0, parts.length);
    reportFigure(
      `${formatNumber(rate)}/s, members: ${String(size)}, CPU per result of ${parts.join(' / ')}`,
      values,
      'us',
    );
  }
  reportFigure('each member more costs the writer', meanGrowth(perResult.map(({ writer }) => writer)), '%', 'goal 5');
  reportFigure('each member more costs the database', meanGrowth(perResult.map(({ database }) => database)), '%');
}

/** Returns the mean growth per additional member, in percent of the cost of a single member. */
function meanGrowth([single = NaN, ...more]: readonly number[]): number {
  return meanOf(more.map((cost, at) => (100 * (cost / single - 1)) / (at + 1)));
}

interface ClusterFigures {
  readonly acked: number;
  readonly database: ReadonlyMap<number, number>;
  /** CPU time of the leader, followed by that of each follower. */
  readonly cpuMs: readonly number[];
}

function figuresOf({ members, agents, database }: MeasuredCluster): ClusterFigures {
  return {
    acked: sumOfAcknowledged(agents),
    database: connectionsCpuMs(database),
    cpuMs: members.map(({ pid }) => preciseCpuMs(pid)),
  };
}

/** CPU time per result in microseconds; `follower` is the mean of all followers. */
interface ResultCost {
  readonly database: number;
  readonly writer: number;
  readonly follower: number;
}

function costOf(before: ClusterFigures, after: ClusterFigures): ResultCost {
  const perResult = (ms: number): number => (ms * 1000) / (after.acked - before.acked);
  const [writer = NaN, ...followers] = after.cpuMs.map((ms, at) => perResult(ms - (before.cpuMs[at] ?? NaN)));
  return { database: perResult(cpuMsBetween(before.database, after.database)), writer, follower: meanOf(followers) };
}

async function connectAgents(writer: BenchBackend | undefined): Promise<BenchAgent[]> {
  if (writer === undefined) return [];
  const agents = await BenchAgent.connectAll(writer.url, CONNECTION_COUNT);
  for (const agent of agents) agent.setHandlers([]);
  return agents;
}
