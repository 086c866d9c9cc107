import { performance } from 'node:perf_hooks';
import { startBackend, type BenchBackend } from '../backend-process.ts';
import { BenchAgent, CHECKS_PER_AGENT, checkJson, closedLoop, openLoop } from '../bench-agent.ts';
import { HttpConnection, postLoop } from '../http-line.ts';
import { EVENT_GRID, MEMBER_GRID, postResults } from '../post-results.ts';
import { preciseCpuMs } from '../process-figures.ts';
import { formatNumber, quantileOf } from '../report.ts';
import { runAlternately, type ComparedClone, type ComparedClones } from './figures.ts';

const ROUND_COUNT = 9;
const AGENT_COUNT = 100;
/** Results per second of the part `calm`, far below the maximum. */
const CALM_RATE = 10_000;
const WARM_UP_MS = 3000;
const SINGLE_CONNECTIONS = [1, 16, 64];
const SILENCE_COUNT = 5000;
const QUESTION_MS = 400;
const EVENT_PATHS = [
  '/events',
  '/events?limit=100',
  '/events/web-500/check-5',
  '/results?limit=1000',
  '/silenced',
  '/silenced/checks/disk-500',
];
const AGGREGATE_PATHS = [
  '/aggregates/all',
  '/aggregates/all?max_age=3600',
  '/aggregates/all/clients',
  '/aggregates/all/checks',
  '/aggregates/all/results/critical',
];

interface LoadedClone {
  readonly side: ComparedClone;
  readonly backend: BenchBackend;
  readonly agents: readonly BenchAgent[];
}

/** Compares the backends of both clones under results and requests. Each part of the load alternates between them. */
export async function compareUnderLoad([before, now]: ComparedClones, seconds: number): Promise<void> {
  await using earlier = await startBackend({ clone: before.clone });
  await using later = await startBackend({ clone: now.clone });
  const both = [await connectAgents(before, earlier), await connectAgents(now, later)];
  const partMs = (seconds * 1000) / 4;
  for (const { agents, backend } of both) await closedLoop(agents, backend.pid, WARM_UP_MS);
  const singles = SINGLE_CONNECTIONS.map(singleOf);
  await runAlternately(
    ROUND_COUNT,
    both,
    [measureFlood, measureCalm, measureArrays, ...singles].map(withDuration(partMs)),
  );
  closeAgents(both);
  const fullSenders = await Promise.all(both.map(connectFullSenders));
  await runAlternately(ROUND_COUNT, fullSenders, [floodFullResults].map(withDuration(partMs / 2)));
  closeAgents(fullSenders);
  for (const { backend } of both) {
    await postResults(backend, EVENT_GRID);
    await postSilences(backend);
  }
  await runAlternately(ROUND_COUNT, both, EVENT_PATHS.map(questionOf));
  for (const { backend } of both) await postResults(backend, MEMBER_GRID);
  await runAlternately(ROUND_COUNT, both, AGGREGATE_PATHS.map(questionOf));
}

async function connectAgents(side: ComparedClone, backend: BenchBackend): Promise<LoadedClone> {
  return { side, backend, agents: await BenchAgent.connectAll(backend.url, AGENT_COUNT) };
}

function withDuration(ms: number) {
  return (part: (loaded: LoadedClone, ms: number) => Promise<void>) =>
    (loaded: LoadedClone): Promise<void> =>
      part(loaded, ms);
}

function closeAgents(both: readonly LoadedClone[]): void {
  for (const { agents } of both) for (const agent of agents) agent.close();
}

/** Returns the backend with new agents that have the same names but send no delta results. */
async function connectFullSenders(loaded: LoadedClone): Promise<LoadedClone> {
  return { ...loaded, agents: await BenchAgent.connectAll(loaded.backend.url, AGENT_COUNT, { sendsFull: true }) };
}

async function measureFlood({ side, agents, backend }: LoadedClone, ms: number): Promise<void> {
  const { rate, cpuMicroseconds } = await closedLoop(agents, backend.pid, ms);
  side.record('results of agents, as fast as they go', rate, '/s');
  side.record('a result of them: CPU', cpuMicroseconds, 'us');
}

async function floodFullResults({ side, agents, backend }: LoadedClone, ms: number): Promise<void> {
  const { rate } = await closedLoop(agents, backend.pid, ms);
  side.record('agents whose results are told whole', rate, '/s');
}

async function measureCalm({ side, agents, backend }: LoadedClone, ms: number): Promise<void> {
  const cpuBefore = preciseCpuMs(backend.pid);
  const { p50, p99, reached } = await openLoop(agents, CALM_RATE, ms);
  const cpu = preciseCpuMs(backend.pid) - cpuBefore;
  const what = `acknowledgement at ${formatNumber(CALM_RATE)} results/s`;
  side.record(`${what}, p50`, p50, 'ms');
  side.record(`${what}, p99`, p99, 'ms');
  side.record(`${what}: CPU`, (cpu * 1e6) / (reached * ms), 'us');
}

async function measureArrays({ side, backend }: LoadedClone, ms: number): Promise<void> {
  const load = { path: '/api/mon/v1/results', connections: 16, ms };
  const { rate } = await postLoop(
    backend,
    load,
    (connection, at) => `[${buildResults(connection, 50 * at, 50).join()}]`,
  );
  side.record('results in arrays of 50, 16 connections', rate * 50, '/s');
}

function singleOf(connections: number) {
  const what = `POST /results, ${String(connections)} connection${connections === 1 ? '' : 's'}`;
  return async ({ side, backend }: LoadedClone, ms: number): Promise<void> => {
    const { rate, cpuMicroseconds } = await postLoop(backend, { path: '/results', connections, ms }, (connection, at) =>
      buildResults(connection, at, 1).join(),
    );
    side.record(what, rate, '/s');
    side.record(`${what}: CPU`, cpuMicroseconds, 'us');
  };
}

function buildResults(connection: number, start: number, results: number): string[] {
  const more = { source: `poster-${String(connection)}` };
  return Array.from({ length: results }, (_, at) =>
    checkJson(`check-${String((start + at) % CHECKS_PER_AGENT)}`, start + at, ['default'], more),
  );
}

function questionOf(path: string) {
  return ({ side, backend }: LoadedClone): Promise<void> => measureResponse(side, backend, path);
}

async function measureResponse(side: ComparedClone, backend: BenchBackend, path: string): Promise<void> {
  const line = new HttpConnection(backend);
  const times: number[] = [];
  // The first five requests are not measured, because the code that runs for the first time is not compiled yet.
  for (let round = 0; round < 5; round++) await line.send('GET', path);
  const cpuBefore = preciseCpuMs(backend.pid);
  const endsAt = performance.now() + QUESTION_MS;
  while (times.length < 5 || performance.now() < endsAt) {
    const startedAt = performance.now();
    await line.send('GET', path);
    times.push(performance.now() - startedAt);
  }
  line.close();
  side.record(`GET ${path}`, quantileOf(times, 0.5), 'ms');
  side.record(`GET ${path}: CPU`, (preciseCpuMs(backend.pid) - cpuBefore) / times.length, 'ms');
}

/** Creates silences that match no event. */
async function postSilences(backend: BenchBackend): Promise<void> {
  const line = new HttpConnection(backend);
  for (let at = 0; at < SILENCE_COUNT; at++) {
    await line.send('POST', '/silenced', JSON.stringify({ subscription: 'nobody', check: `disk-${String(at)}` }));
  }
  line.close();
}
