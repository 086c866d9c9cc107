import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnFreePort } from '../lib/free-port.ts';
import { startBackend } from './backend-process.ts';
import { BenchAgent, closedLoop, openLoop, type MeasuredLoad } from './bench-agent.ts';
import { postJson } from './http-line.ts';
import { cpuMs } from './process-figures.ts';
import { reportFigure, reportDifference } from './report.ts';

const LOCALHOST_ADDRESS = '127.0.0.1';
/** Number of queued handler runs, so that the handlers are always busy. */
const QUEUED_RUNS = 2000;
const BATCH_RESULTS = 200;
/** Number of clients with one check each, because runs for the same check are sequential. */
const CLIENT_COUNT = 5000;
const CONNECTION_COUNT = 100;
const WARM_UP_MS = 2000;
/** Time until the handler queue and the dead-letter queue are full. */
const QUEUE_FILLING_MS = 8000;
const ROUND_COUNT = 4;

/**
 * Measures handler runs per second, from the event to its delivery, with the receivers on the same machine. It also
 * measures how hanging handlers slow down the processing of results.
 */
export async function measureHandlers(seconds: number): Promise<void> {
  await using receivers = await openReceivers();
  await measureDeliveries(seconds, receivers.definitions);
  await measureHangingHandlers(seconds);
}

async function measureDeliveries(seconds: number, definitions: object): Promise<void> {
  const handlers = { ...definitions, pipe: { type: 'pipe', command: 'true' } };
  await using backend = await startBackend({ settings: { handlers } });
  for (const [handler, goal] of [
    ['line', 'tcp, goal 1,000'],
    ['hook', 'webhook, goal 1,000'],
    ['pipe', 'pipe, a process each'],
  ] as const) {
    const cpuBefore = cpuMs(backend.pid);
    const { rate, runs } = await measureSustainedRuns(backend.url, handler, seconds * 1000);
    const cpu = ((cpuMs(backend.pid) - cpuBefore) * 1000) / runs;
    reportFigure(`runs of a handler: ${goal}`, rate, '/s');
    reportFigure(`CPU per run of it, with the event: ${handler}`, cpu, 'us');
  }
}

/** Posts failing results so that the handler is always busy, and waits for its last run to end. */
async function measureSustainedRuns(url: string, handler: string, ms: number): Promise<{ rate: number; runs: number }> {
  let postedResults = 0;
  let delivered = 0;
  const startedAt = performance.now();
  while (performance.now() - startedAt < ms) {
    while (postedResults - delivered < QUEUED_RUNS) {
      await postFailures(url, handler, postedResults);
      postedResults += BATCH_RESULTS;
    }
    await sleep(10);
    delivered = await countDelivered(url, handler);
  }
  while (delivered < postedResults) {
    await sleep(10);
    delivered = await countDelivered(url, handler);
  }
  return { rate: (postedResults * 1000) / (performance.now() - startedAt), runs: postedResults };
}

async function postFailures(url: string, handler: string, start: number): Promise<void> {
  const results = Array.from({ length: BATCH_RESULTS }, (_, at) => ({
    source: `client-${String((start + at) % CLIENT_COUNT)}`,
    name: handler,
    output: 'DISK CRITICAL - free space: / 12 MiB (1% inode=88%); '.repeat(5),
    status: 2,
    handlers: [handler],
  }));
  await postJson(`${url}/api/mon/v1/results`, results);
}

async function countDelivered(url: string, handler: string): Promise<number> {
  const answer = await fetch(`${url}/api/mon/v1/handlers`);
  const all = (await answer.json()) as readonly { name: string; delivered: number; failed: number }[];
  const status = all.find(({ name }) => name === handler);
  if (status !== undefined && status.failed > 0) throw new Error(`${String(status.failed)} runs of ${handler} failed`);
  return status?.delivered ?? 0;
}

/**
 * Measures the processing of results while one in twenty results triggers a hanging handler, compared with the same
 * results without a handler.
 */
async function measureHangingHandlers(seconds: number): Promise<void> {
  const settings = { handlers: { hang: { type: 'pipe', command: 'sleep 60' } } };
  await using backend = await startBackend({ settings });
  const agents = await BenchAgent.connectAll(backend.url, CONNECTION_COUNT);
  const reportTo = (handlers: readonly string[]): void => {
    for (const agent of agents) agent.setHandlers(handlers);
  };
  reportTo([]);
  await closedLoop(agents, backend.pid, WARM_UP_MS);
  reportTo(['hang']);
  // The first seconds, in which the handler queue and the dead-letter queue fill up, are measured separately.
  const filling = await closedLoop(agents, backend.pid, QUEUE_FILLING_MS);
  reportFigure('results, while what waits for handlers piles up', filling.rate, '/s', 'no goal');

  const rounds = { without: [] as MeasuredLoad[], affected: [] as MeasuredLoad[] };
  // The two loads alternate, so that other load on the machine affects both equally.
  for (let round = 0; round < ROUND_COUNT; round++) {
    reportTo([]);
    rounds.without.push(await closedLoop(agents, backend.pid, (seconds * 1000) / ROUND_COUNT));
    reportTo(['hang']);
    rounds.affected.push(await closedLoop(agents, backend.pid, (seconds * 1000) / ROUND_COUNT));
  }
  const hung = 'while every handler hangs';
  const rate = reportDifference(`results, ${hung}`, '/s', rounds, (load) => load.rate, 'within 5');
  reportDifference(`CPU per result, ${hung}`, 'us', rounds, ({ cpuMicroseconds }) => cpuMicroseconds, 'within 5');

  type Latency = Awaited<ReturnType<typeof openLoop>>;
  const latencies = { without: [] as Latency[], affected: [] as Latency[] };
  for (let round = 0; round < ROUND_COUNT; round++) {
    reportTo([]);
    latencies.without.push(await openLoop(agents, rate / 3, (seconds * 1000) / ROUND_COUNT));
    reportTo(['hang']);
    latencies.affected.push(await openLoop(agents, rate / 3, (seconds * 1000) / ROUND_COUNT));
  }
  reportDifference(`ack p50 at a third of that, ${hung}`, 'ms', latencies, ({ p50 }) => p50, 'within 5');
  reportDifference(`ack p99 at a third of that, ${hung}`, 'ms', latencies, ({ p99 }) => p99, 'within 5');
  for (const agent of agents) agent.close();
}

/** Opens a TCP and an HTTP receiver that accept everything and send an empty response. */
async function openReceivers(): Promise<AsyncDisposable & { readonly definitions: object }> {
  const line = createServer((socket) => void socket.resume());
  const hook = createHttpServer((request, response) => {
    request.resume().once('end', () => response.end());
  });
  const [linePort, hookPort] = [await listenOnFreePort(line), await listenOnFreePort(hook)];
  return {
    definitions: {
      line: { type: 'tcp', socket: { host: LOCALHOST_ADDRESS, port: linePort } },
      hook: { type: 'webhook', url: `http://${LOCALHOST_ADDRESS}:${String(hookPort)}/` },
    },
    async [Symbol.asyncDispose]() {
      hook.closeAllConnections();
      for (const server of [line, hook]) {
        server.close();
        await once(server, 'close');
      }
    },
  };
}
