import { performance } from 'node:perf_hooks';
import { startBackend, type BenchBackend } from '../backend-process.ts';
import { BenchAgent, CHECKS_EACH, checkJson, closedLoop, openLoop } from '../bench-agent.ts';
import { HttpConnection, postLoop } from '../http-line.ts';
import { EVENTS, MEMBERS, postResults } from '../post-results.ts';
import { preciseCpuMs } from '../process-figures.ts';
import { formatNumber, quantile } from '../report.ts';
import { interleaved, type ComparedClone, type Sides } from './figures.ts';

const ROUNDS = 9;
const AGENTS = 100;
/** Results per second of the part `calm`, far below the maximum. */
const CALM_RATE = 10_000;
const WARM_UP_MS = 3000;
const SINGLE_CONNECTIONS = [1, 16, 64];
const SILENCES = 5000;
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

interface Loaded {
  readonly side: ComparedClone;
  readonly backend: BenchBackend;
  readonly agents: readonly BenchAgent[];
}

/** Compares the backends of both clones under results and requests. Each part of the load alternates between them. */
export async function underLoad([before, now]: Sides, seconds: number): Promise<void> {
  await using earlier = await startBackend({ clone: before.clone });
  await using later = await startBackend({ clone: now.clone });
  const both = [await connected(before, earlier), await connected(now, later)];
  const partMs = (seconds * 1000) / 4;
  for (const { agents, backend } of both) await closedLoop(agents, backend.pid, WARM_UP_MS);
  const singles = SINGLE_CONNECTIONS.map(singleOf);
  await interleaved(ROUNDS, both, [flood, calm, inArrays, ...singles].map(lasting(partMs)));
  closeAgents(both);
  const fullSenders = await Promise.all(both.map(withFullResults));
  await interleaved(ROUNDS, fullSenders, [floodFullResults].map(lasting(partMs / 2)));
  closeAgents(fullSenders);
  for (const { backend } of both) {
    await postResults(backend, EVENTS);
    await postSilences(backend);
  }
  await interleaved(ROUNDS, both, EVENT_PATHS.map(questionOf));
  for (const { backend } of both) await postResults(backend, MEMBERS);
  await interleaved(ROUNDS, both, AGGREGATE_PATHS.map(questionOf));
}

async function connected(side: ComparedClone, backend: BenchBackend): Promise<Loaded> {
  return { side, backend, agents: await BenchAgent.connectAll(backend.url, AGENTS) };
}

function lasting(ms: number) {
  return (part: (loaded: Loaded, ms: number) => Promise<void>) =>
    (loaded: Loaded): Promise<void> =>
      part(loaded, ms);
}

function closeAgents(both: readonly Loaded[]): void {
  for (const { agents } of both) for (const agent of agents) agent.close();
}

/** Returns the backend with new agents that have the same names but send no delta results. */
async function withFullResults(loaded: Loaded): Promise<Loaded> {
  return { ...loaded, agents: await BenchAgent.connectAll(loaded.backend.url, AGENTS, { sendsFull: true }) };
}

async function flood({ side, agents, backend }: Loaded, ms: number): Promise<void> {
  const { rate, cpuMicroseconds } = await closedLoop(agents, backend.pid, ms);
  side.record('results of agents, as fast as they go', rate, '/s');
  side.record('a result of them: CPU', cpuMicroseconds, 'us');
}

async function floodFullResults({ side, agents, backend }: Loaded, ms: number): Promise<void> {
  const { rate } = await closedLoop(agents, backend.pid, ms);
  side.record('agents whose results are told whole', rate, '/s');
}

async function calm({ side, agents, backend }: Loaded, ms: number): Promise<void> {
  const cpuBefore = preciseCpuMs(backend.pid);
  const { p50, p99, reached } = await openLoop(agents, CALM_RATE, ms);
  const cpu = preciseCpuMs(backend.pid) - cpuBefore;
  const what = `acknowledgement at ${formatNumber(CALM_RATE)} results/s`;
  side.record(`${what}, p50`, p50, 'ms');
  side.record(`${what}, p99`, p99, 'ms');
  side.record(`${what}: CPU`, (cpu * 1e6) / (reached * ms), 'us');
}

async function inArrays({ side, backend }: Loaded, ms: number): Promise<void> {
  const load = { path: '/api/mon/v1/results', connections: 16, ms };
  const { rate } = await postLoop(backend, load, (connection, at) => `[${posted(connection, 50 * at, 50).join()}]`);
  side.record('results in arrays of 50, 16 connections', rate * 50, '/s');
}

function singleOf(connections: number) {
  const what = `POST /results, ${String(connections)} connection${connections === 1 ? '' : 's'}`;
  return async ({ side, backend }: Loaded, ms: number): Promise<void> => {
    const { rate, cpuMicroseconds } = await postLoop(backend, { path: '/results', connections, ms }, (connection, at) =>
      posted(connection, at, 1).join(),
    );
    side.record(what, rate, '/s');
    side.record(`${what}: CPU`, cpuMicroseconds, 'us');
  };
}

function posted(connection: number, start: number, results: number): string[] {
  const more = { source: `poster-${String(connection)}` };
  return Array.from({ length: results }, (_, at) =>
    checkJson(`check-${String((start + at) % CHECKS_EACH)}`, start + at, ['default'], more),
  );
}

function questionOf(path: string) {
  return ({ side, backend }: Loaded): Promise<void> => ask(side, backend, path);
}

async function ask(side: ComparedClone, backend: BenchBackend, path: string): Promise<void> {
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
  side.record(`GET ${path}`, quantile(times, 0.5), 'ms');
  side.record(`GET ${path}: CPU`, (preciseCpuMs(backend.pid) - cpuBefore) / times.length, 'ms');
}

/** Creates silences that match no event. */
async function postSilences(backend: BenchBackend): Promise<void> {
  const line = new HttpConnection(backend);
  for (let at = 0; at < SILENCES; at++) {
    await line.send('POST', '/silenced', JSON.stringify({ subscription: 'nobody', check: `disk-${String(at)}` }));
  }
  line.close();
}
