import { performance } from 'node:perf_hooks';
import type { BenchSizes } from './bench-sizes.ts';
import { HttpConnection, postLoop, type BenchServer } from './http-line.ts';
import { installedAlertmanager, MON, peerAt, type BenchPeer } from './peer.ts';
import { memoryMiB } from './process-figures.ts';
import { formatNumber, mean, quantile, report, timesOf } from './report.ts';

const ROUNDS = 3;
const CLIENTS = 1000;
const CHECKS = 10;
const SILENCES = 5000;
const REQUESTS = 10;

interface Running extends Pick<BenchPeer, 'name' | 'wire'> {
  readonly target: BenchServer;
}

/** Measures one monitoring system for one round, and returns the measured value. */
type Measure = (running: Running, ms: number) => Promise<number>;

/**
 * Measures the same HTTP load on `mon` and its peers in turn: 10,000 repeated problems, lists of them, and silences.
 * Each system runs with its default durability.
 *
 * @param named peers that already run, each as `KIND=URL`
 */
export async function measurePeers(seconds: number, { peers: named }: BenchSizes): Promise<void> {
  const alertmanager = installedAlertmanager();
  if (alertmanager === undefined) console.log('no Alertmanager on the PATH; Debian has it as prometheus-alertmanager');
  const peers = [MON, ...(alertmanager === undefined ? [] : [alertmanager]), ...named.map(peerAt)];
  await using started = new AsyncDisposableStack();
  const all: Running[] = [];
  for (const peer of peers) all.push({ ...peer, target: started.use(await peer.start()) });
  console.log(peers.map(({ name, durability }) => `${name}: ${durability}`).join('; '));

  const ms = (seconds * 1000) / ROUNDS;
  await interleaved(all, ms, 'problems/s, arrays of 50, 16 connections', '/s', measureProblems(16, 50));
  await interleaved(all, ms, 'problems/s, arrays of 500, 16 connections', '/s', measureProblems(16, 500));
  await interleaved(all, ms, 'problems/s, one each, 64 connections', '/s', measureProblems(64, 1));
  await interleaved(all, ms, `list of ${formatNumber(CLIENTS * CHECKS)} problems`, 'ms', measureList('problemList'));
  await interleaved(all, ms, 'silences/s, 32 connections', '/s', silencesMade());
  await interleaved(
    all,
    ms,
    `list of those silences, ${formatNumber(SILENCES)} for each round`,
    'ms',
    measureList('silenceList'),
  );
  await interleaved(all, ms, 'problems/s beside them, arrays of 50', '/s', measureProblems(16, 50));
  for (const { name, target } of all) {
    if (target.pid !== undefined) report(`memory of ${name}`, memoryMiB(target.pid), 'MiB');
  }
}

async function interleaved(
  all: readonly Running[],
  ms: number,
  what: string,
  unit: string,
  measure: Measure,
): Promise<void> {
  const values = new Map<Running, number[]>(all.map((running) => [running, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [running, measured] of values) measured.push(await measure(running, ms));
  }
  const ours = mean(values.values().next().value ?? []);
  for (const [{ name }, measured] of values) {
    const average = mean(measured);
    const ratio = unit === 'ms' ? average / ours : ours / average;
    report(`${what}: ${name}`, average, unit, name === MON.name ? '' : `mon is ${ratio.toFixed(2)} times as fast`);
  }
}

/**
 * Returns a measurement that posts all problems in rotation, in batches. A peer whose requests contain a single problem
 * gets one request per problem.
 */
function measureProblems(connections: number, batch: number): Measure {
  return async ({ wire, target }, ms) => {
    const each = wire.isSingle === true ? 1 : batch;
    const { rate } = await postLoop(target, { path: wire.problemsPath, connections, ms }, (connection, at) => {
      const start = (connection * 50 + at) * each;
      return JSON.stringify(wire.problems(Array.from({ length: each }, (_, one) => problemAt(start + one))));
    });
    return rate * each;
  };
}

function problemAt(at: number): { readonly client: string; readonly check: string } {
  const index = at % (CLIENTS * CHECKS);
  return { client: `web-${String(Math.floor(index / CHECKS))}`, check: `check-${String(index % CHECKS)}` };
}

function measureList(list: 'problemList' | 'silenceList'): Measure {
  return async ({ wire, target }) => {
    const line = new HttpConnection(target);
    const times = await timesOf(REQUESTS, () => line.send('GET', wire[list]));
    line.close();
    return quantile(times, 0.5);
  };
}

/** Returns a measurement that creates `SILENCES` new silences in each round. */
function silencesMade(): Measure {
  const made = new Map<Running, number>();
  return async (running) => {
    const { wire, target } = running;
    const first = made.get(running) ?? 0;
    made.set(running, first + SILENCES);
    let next = first;
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        const line = new HttpConnection(target);
        while (next < first + SILENCES)
          await line.send('POST', wire.silencesPath, JSON.stringify(wire.silence(next++)));
        line.close();
      }),
    );
    return (SILENCES * 1000) / (performance.now() - startedAt);
  };
}
