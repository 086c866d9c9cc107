import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionLimits } from '../../shared/domain/connection-limits.ts';
import { KEEPALIVE_SECONDS } from '../../shared/schemas/agent.ts';
import type { BenchBackend } from './backend-process.ts';
import { startDatabase, startMembers } from './cluster-members.ts';
import { startFleet, type Fleet } from './fleet.ts';
import { openFilesMax } from '../../daemon/backend/store/open-files.ts';
import { cpuMs, memoryMiB } from './process-figures.ts';
import { formatNumber, meanOf, reportFigure } from './report.ts';

/** Number of members with agents. One more member has none at first, and takes over agents of the lost member. */
const MEMBER_COUNT = 3;
/** The benchmark exceeds the default limits of entities and connections. */
const UNLIMITED_SETTINGS = { 'entity-limit': 'unlimited', 'connection-limit': 1_000_000 };
/** Number of file descriptors and connections of a backend that are not for agents. */
const SPARE_CONNECTIONS = 50;
const CONNECT_MS = 180_000;
const RECONNECT_MS_MAX = 300_000;

/**
 * Measures idle agents on three members: the memory per agent, and the time until all agents are reconnected after a
 * member is lost. A fourth member has no agents at first.
 *
 * @param requestedAgents number of agents of each member; lowered if the limit of file descriptors does not allow that
 * many
 */
export async function agentsOfMembers(requestedAgents: number): Promise<void> {
  const possible = connectionLimits(Infinity, undefined, openFilesMax()).all - SPARE_CONNECTIONS;
  const each = Math.min(requestedAgents, possible);
  await using server = await startDatabase();
  await using cluster = await startMembers(MEMBER_COUNT + 1, await server.database(), UNLIMITED_SETTINGS);
  const members = cluster.members.slice(0, MEMBER_COUNT);
  const [spare] = cluster.members.slice(MEMBER_COUNT);
  // Memory is the growth from the first half of the agents to all, so that the fixed cost of the first agents is
  // excluded.
  const half = Math.floor(each / 2);
  await using first = await connectFleets(members, spare, half, 0);
  const before = members.map(({ pid }) => memoryMiB(pid));
  await using second = await connectFleets(members, spare, half, 1);
  const grown = members.map(({ pid }, at) => ((memoryMiB(pid) - (before[at] ?? 0)) * 1024) / half);
  const limit =
    each < requestedAgents
      ? `, ${formatNumber(requestedAgents)} are too many for ${formatNumber(openFilesMax())} descriptors`
      : '';
  reportFigure(
    'idle agents, a third of them at each of three members',
    2 * half * MEMBER_COUNT,
    '',
    `goal 40,000${limit}`,
  );
  const [writer = NaN, ...others] = grown;
  const names = 'where it is connected / at the one that writes / at all three';
  reportFigure(
    `memory for each agent more, ${names}`,
    [meanOf(others), writer / MEMBER_COUNT, meanOf(grown)],
    'KiB',
    'goal 30',
  );
  const busy = await cpuOf(members, KEEPALIVE_SECONDS * 1000);
  reportFigure('CPU of writer / member / member beside them', busy, '%', 'of one core');
  await loseMember(
    members,
    [first, second].flatMap(({ fleets }) => fleets.at(-1) ?? []),
  );
}

/**
 * Connects idle agents to each member, and waits until all have sent keepalives and the backends have stored a
 * keepalive result for each.
 */
async function connectFleets(
  members: readonly BenchBackend[],
  spare: BenchBackend | undefined,
  agents: number,
  round: number,
): Promise<AsyncDisposable & { readonly fleets: readonly Fleet[] }> {
  await using started = new AsyncDisposableStack();
  const fleets = members.map((_, at) => {
    // If its own member is lost, an agent tries the other members in this order.
    const others = [...(spare === undefined ? [] : [spare]), ...members.slice(at + 1), ...members.slice(0, at)];
    const backends = [...members.slice(at, at + 1), ...others].map(({ url }) => url);
    const net = 1 + round * MEMBER_COUNT + at;
    return started.use(startFleet({ backends, agents, name: `idle-${String(net)}`, net }));
  });
  await Promise.all(fleets.map((fleet) => fleet.untilConnected(CONNECT_MS)));
  await sleep((KEEPALIVE_SECONDS + 15) * 1000);
  const running = started.move();
  return { fleets, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Kills the last member, and waits until its agents are connected to other members. */
async function loseMember(members: readonly BenchBackend[], fleets: readonly Fleet[]): Promise<void> {
  const lost = members.at(-1);
  if (lost === undefined) return;
  const connected = (): number => fleets.reduce((sum, fleet) => sum + fleet.connected, 0);
  const all = connected();
  const begun = performance.now();
  process.kill(lost.pid, 'SIGKILL');
  while (connected() === all) await sleep(10);
  await Promise.all(fleets.map((fleet) => fleet.untilConnected(RECONNECT_MS_MAX)));
  const seconds = (performance.now() - begun) / 1000;
  reportFigure(`the ${formatNumber(all)} agents of a lost member are connected again`, seconds, 's', 'goal 60');
}

async function cpuOf(members: readonly BenchBackend[], ms: number): Promise<number[]> {
  const before = members.map(({ pid }) => cpuMs(pid));
  const startedAt = performance.now();
  await sleep(ms);
  const elapsedMs = performance.now() - startedAt;
  return members.map(({ pid }, at) => ((cpuMs(pid) - (before[at] ?? NaN)) * 100) / elapsedMs);
}
