import { ackedBy, BenchAgent, openLoop } from './bench-agent.ts';
import type { BenchBackend } from './backend-process.ts';
import { startDatabase, startMembers } from './cluster-members.ts';
import { connectionsCpuMs, preciseCpuMs, cpuMsBetween } from './process-figures.ts';
import { formatNumber, mean, report } from './report.ts';
import { interleavedAgents } from './side-by-side.ts';

const CLUSTERS = [1, 2, 3];
/** Number of agents that are connected to each leader. */
const CONNECTIONS = 50;
const WARM_UP_MS = 4000;

interface Measured {
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
  const clusters: Measured[] = [];
  for (const size of CLUSTERS) {
    const database = await server.database();
    const { members } = started.use(await startMembers(size, database));
    clusters.push({ members, agents: await connected(members[0]), database });
  }
  // The results alternate between the clusters.
  const agents = interleavedAgents(clusters);
  await openLoop(agents, CLUSTERS.length * rate, WARM_UP_MS);
  const before = clusters.map((cluster) => ({ cluster, figures: figuresOf(cluster) }));
  await openLoop(agents, CLUSTERS.length * rate, seconds * 1000);
  const perResult = before.map(({ cluster, figures }) => costOf(figures, figuresOf(cluster)));
  for (const agent of agents) agent.close();
  for (const [at, { database, writer, follower }] of perResult.entries()) {
    const size = CLUSTERS[at] ?? 0;
    const parts = size === 1 ? ['writer', 'database'] : ['writer', 'database', 'each other member'];
    const values = [writer, database, follower].slice(0, parts.length);
    report(`${formatNumber(rate)}/s, members: ${String(size)}, CPU per result of ${parts.join(' / ')}`, values, 'us');
  }
  report('each member more costs the writer', growth(perResult.map(({ writer }) => writer)), '%', 'goal 5');
  report('each member more costs the database', growth(perResult.map(({ database }) => database)), '%');
}

/** Returns the mean growth per additional member, in percent of the cost of a single member. */
function growth([single = NaN, ...more]: readonly number[]): number {
  return mean(more.map((cost, at) => (100 * (cost / single - 1)) / (at + 1)));
}

interface Figures {
  readonly acked: number;
  readonly database: ReadonlyMap<number, number>;
  /** CPU time of the leader, followed by that of each follower. */
  readonly cpuMs: readonly number[];
}

function figuresOf({ members, agents, database }: Measured): Figures {
  return {
    acked: ackedBy(agents),
    database: connectionsCpuMs(database),
    cpuMs: members.map(({ pid }) => preciseCpuMs(pid)),
  };
}

/** CPU time per result in microseconds; `follower` is the mean of all followers. */
interface Cost {
  readonly database: number;
  readonly writer: number;
  readonly follower: number;
}

function costOf(before: Figures, after: Figures): Cost {
  const perResult = (ms: number): number => (ms * 1000) / (after.acked - before.acked);
  const [writer = NaN, ...followers] = after.cpuMs.map((ms, at) => perResult(ms - (before.cpuMs[at] ?? NaN)));
  return { database: perResult(cpuMsBetween(before.database, after.database)), writer, follower: mean(followers) };
}

async function connected(writer: BenchBackend | undefined): Promise<BenchAgent[]> {
  if (writer === undefined) return [];
  const agents = await BenchAgent.connectAll(writer.url, CONNECTIONS);
  for (const agent of agents) agent.setHandlers([]);
  return agents;
}
