import { startBackend, type BenchBackend } from './backend-process.ts';
import {
  BenchAgent,
  CHECKS_PER_AGENT,
  checkJson,
  closedLoop,
  openLoop,
  RESULT_BYTES,
  type MeasuredLoad,
} from './bench-agent.ts';
import { postJson, postLoop, type BenchServer } from './http-line.ts';
import { memoryMiB } from './process-figures.ts';
import { formatNumber, meanOf, reportFigure, reportDifference } from './report.ts';

const CONNECTION_COUNT = 100;
const WARM_UP_MS = 2000;
const SILENCE_COUNT = 10_000;
const ROUND_COUNT = 4;
/** Target of results per second. */
const GOAL_RATE = 70_000;

/**
 * Measures how many results per second each interface accepts, acknowledged after the fsync, with the load generator on
 * the same machine. There are 20,000 keys; the results have 600 bytes each, and one in twenty fails.
 */
export async function measureIngest(seconds: number): Promise<void> {
  console.log(
    `${String(CONNECTION_COUNT)} agents, ${String(CONNECTION_COUNT * CHECKS_PER_AGENT)} keys, ${String(RESULT_BYTES)}-byte results, fsync before each ack`,
  );
  await using backend = await startBackend();
  const agents = await BenchAgent.connectAll(backend.url, CONNECTION_COUNT);
  await closedLoop(agents, backend.pid, WARM_UP_MS);

  const plain: MeasuredLoad[] = [];
  const silenced: MeasuredLoad[] = [];
  // The two loads alternate, so that other load on the machine affects both equally.
  for (let round = 0; round < ROUND_COUNT; round++) {
    plain.push(await closedLoop(agents, backend.pid, (seconds * 1000) / ROUND_COUNT));
    await postSilences(backend.url, '/silenced', (at) => ({ subscription: `nobody-${String(at)}` }));
    silenced.push(await closedLoop(agents, backend.pid, (seconds * 1000) / ROUND_COUNT));
    await postSilences(backend.url, '/silenced/clear', (at) => ({ id: `nobody-${String(at)}:*` }));
  }
  const rate = meanOf(plain.map((load) => load.rate));
  const best = Math.max(...plain.map((load) => load.rate));
  reportFigure(
    'agents, one result a message',
    rate,
    '/s',
    `best round ${formatNumber(best)}, goal ${formatNumber(GOAL_RATE)}, memory ${formatNumber(memoryMiB(backend.pid))} MiB`,
  );
  const rounds = { without: plain, affected: silenced };
  const silences = `with ${formatNumber(SILENCE_COUNT)} silences that match nothing`;
  reportDifference(`rate ${silences}`, '/s', rounds, (load) => load.rate, 'within 3');
  reportDifference(`CPU per result ${silences}`, 'us', rounds, ({ cpuMicroseconds }) => cpuMicroseconds, 'within 3');
  for (const [offered, label, goal] of [
    [GOAL_RATE / 2, 'half of the goal', 'goal p99 under 30'],
    [rate / 2, 'half of what it can do', 'no goal'],
  ] as const) {
    const { p50, p99, reached } = await openLoop(agents, offered, seconds * 1000);
    reportFigure(`ack p50 / p99 at ${label}`, [p50, p99], 'ms', `${formatNumber(reached)}/s; ${goal}`);
  }
  for (const agent of agents) agent.close();

  const fullRate = await fullResultsRate(backend, (seconds * 1000) / 2);
  reportFigure('agents whose results are told whole', fullRate, '/s');
  const inArrays = await measurePosts(backend, 16, 50, seconds);
  reportFigure('POST /api/mon/v1/results, arrays of 50, 16 connections', inArrays, '/s', 'goal 60,000');
  const single = await measurePosts(backend, 64, 1, seconds);
  reportFigure('POST /results, one each, 64 connections', single, '/s', 'goal 25,000');
  reportFigure('memory of the backend', memoryMiB(backend.pid), 'MiB');
}

/** Returns the results per second of the same agents without delta results. */
async function fullResultsRate({ url, pid }: BenchBackend, ms: number): Promise<number> {
  const agents = await BenchAgent.connectAll(url, CONNECTION_COUNT, { sendsFull: true });
  const { rate } = await closedLoop(agents, pid, ms);
  for (const agent of agents) agent.close();
  return rate;
}

/** Returns the results per second over keep-alive connections, with one pending request on each connection. */
async function measurePosts(
  backend: BenchServer,
  connections: number,
  batch: number,
  seconds: number,
): Promise<number> {
  const path = batch === 1 ? '/results' : '/api/mon/v1/results';
  const load = await postLoop(backend, { path, connections, ms: seconds * 1000 }, (connection, start) => {
    const results = Array.from({ length: batch }, (_, at) => {
      const check = JSON.parse(checkJson(`check-${String((start * batch + at) % CHECKS_PER_AGENT)}`, at)) as object;
      return { ...check, source: `poster-${String(connection)}` };
    });
    return JSON.stringify(batch === 1 ? results[0] : results);
  });
  return load.rate * batch;
}

async function postSilences(url: string, path: string, body: (at: number) => object): Promise<void> {
  for (let start = 0; start < SILENCE_COUNT; start += 200) {
    await Promise.all(Array.from({ length: 200 }, (_, at) => postJson(url + path, body(start + at))));
  }
}
