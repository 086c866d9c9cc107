import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { startBackend } from './backend-process.ts';
import { BenchAgent, CHECKS_EACH, checkJson, closedLoop, openLoop, RESULT_BYTES, type Load } from './bench-agent.ts';
import { memoryMiB } from './process-figures.ts';
import { count, mean, report, sleep } from './report.ts';

const CONNECTIONS = 100;
const WARM_UP_MS = 2000;
const SILENCES = 10_000;
const ROUNDS = 4;
/** Results per second. */
const GOAL_RATE = 70_000;

/**
 * Results per second through each way in, acknowledged after the fsync, with the generator on the same machine; 20,000
 * keys, results of 600 bytes, one in twenty failing.
 */
export async function run(seconds: number): Promise<void> {
  console.log(
    `${String(CONNECTIONS)} agents, ${String(CONNECTIONS * CHECKS_EACH)} keys, ${String(RESULT_BYTES)}-byte results, fsync before each ack`,
  );
  await using backend = await startBackend();
  const agents = await Promise.all(Array.from({ length: CONNECTIONS }, (_, at) => BenchAgent.connect(backend.url, at)));
  await closedLoop(agents, backend.pid, WARM_UP_MS);

  const plain: Load[] = [];
  const silenced: Load[] = [];
  // In turns, so that whatever else the machine does falls on both.
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(await closedLoop(agents, backend.pid, (seconds * 1000) / ROUNDS));
    await forSilences(backend.url, '/silenced', (at) => ({ subscription: `nobody-${String(at)}` }));
    silenced.push(await closedLoop(agents, backend.pid, (seconds * 1000) / ROUNDS));
    await forSilences(backend.url, '/silenced/clear', (at) => ({ id: `nobody-${String(at)}:*` }));
  }
  const rate = mean(plain.map((load) => load.rate));
  const best = Math.max(...plain.map((load) => load.rate));
  report(
    'agents, one result a message',
    `${count(rate)} /s`,
    `best round ${count(best)}, goal ${count(GOAL_RATE)}, memory ${count(memoryMiB(backend.pid))} MiB`,
  );
  reportSilenced('rate', plain, silenced, ({ rate: each }) => each, '/s');
  reportSilenced('CPU per result', plain, silenced, ({ cpuMicroseconds }) => cpuMicroseconds, 'us');
  for (const [offered, place, goal] of [
    [GOAL_RATE / 2, 'half of the goal', 'goal p99 under 30'],
    [rate / 2, 'half of what it can do', 'no goal'],
  ] as const) {
    const { p50, p99, reached } = await openLoop(agents, offered, seconds * 1000);
    report(`ack p50 / p99 at ${place}, ${count(reached)}/s`, `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`, goal);
  }
  for (const agent of agents) agent.close();

  const inArrays = (await postLoop(backend.url, 16, 50, seconds)) * 50;
  report('POST /api/mon/v1/results, arrays of 50, 16 connections', `${count(inArrays)} /s`, 'goal 60,000');
  const single = await postLoop(backend.url, 64, 1, seconds);
  report('POST /results, one each, 64 connections', `${count(single)} /s`, 'goal 12,000');
  report('memory of the backend', `${count(memoryMiB(backend.pid))} MiB`);
}

function reportSilenced(
  what: string,
  plain: readonly Load[],
  silenced: readonly Load[],
  figure: (load: Load) => number,
  unit: string,
): void {
  const [before, after] = [mean(plain.map(figure)), mean(silenced.map(figure))];
  const change = ((after / before - 1) * 100).toFixed(1);
  report(
    `${what} with ${count(SILENCES)} silences that match nothing`,
    `${count(after)} ${unit}`,
    `${change} %, without ${count(before)}; goal within 3`,
  );
}

/** Requests per second on keep-alive connections, one at a time on each. */
async function postLoop(url: string, connections: number, batch: number, seconds: number): Promise<number> {
  const { hostname, port } = new URL(url);
  const path = batch === 1 ? '/results' : '/api/mon/v1/results';
  let answered = 0;
  let isRunning = true;
  const loops = Array.from({ length: connections }, async (_, at) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    const requests = Array.from({ length: 50 }, (__, start) => requestText(path, at, start, batch));
    await new Promise<void>((resolve, reject) => {
      const next = (): void => void socket.write(requests[answered % requests.length] ?? '');
      socket.on('data', (data) => {
        const status = data.subarray(9, 12).toString();
        if (status !== '202') return reject(new Error(`answer ${data.toString()}`));
        answered++;
        if (isRunning) next();
        else resolve();
      });
      socket.on('error', reject);
      next();
    });
    socket.destroy();
  });
  await sleep(1000);
  const before = answered;
  const startedAt = performance.now();
  await Promise.race([sleep(seconds * 1000), ...loops]);
  const rate = ((answered - before) * 1000) / (performance.now() - startedAt);
  isRunning = false;
  await Promise.all(loops);
  return rate;
}

function requestText(path: string, connection: number, start: number, batch: number): string {
  const results = Array.from({ length: batch }, (_, at) => {
    const check = JSON.parse(checkJson(`check-${String((start * batch + at) % CHECKS_EACH)}`, at)) as object;
    return { ...check, source: `poster-${String(connection)}` };
  });
  const body = JSON.stringify(batch === 1 ? results[0] : results);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
}

async function forSilences(url: string, path: string, body: (at: number) => object): Promise<void> {
  for (let start = 0; start < SILENCES; start += 200) {
    await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify(body(start + at)) });
        if (!answer.ok) throw new Error(`POST ${path}: ${String(answer.status)}`);
      }),
    );
  }
}
