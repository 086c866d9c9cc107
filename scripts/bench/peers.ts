import { performance } from 'node:perf_hooks';
import type { BenchSizes } from './bench-sizes.ts';
import { HttpConnection, postLoop, type BenchServer } from './http-line.ts';
import { installedAlertmanager, MON_PEER, parsePeer, type BenchPeer } from './peer.ts';
import { memoryMiB } from './process-figures.ts';
import { formatNumber, meanOf, quantileOf, reportFigure, timesOf } from './report.ts';

const ROUND_COUNT = 3;
const CLIENT_COUNT = 1000;
const CHECK_COUNT = 10;
const SILENCE_COUNT = 5000;
const REQUEST_COUNT = 10;

interface RunningPeer extends Pick<BenchPeer, 'name' | 'wire'> {
  readonly target: BenchServer;
}

/** Measures one monitoring system for one round, and returns the measured value. */
type MeasurePeer = (running: RunningPeer, ms: number) => Promise<number>;

/**
 * Measures the same HTTP load on `mon` and its peers in turn: 10,000 repeated problems, lists of them, and silences.
 * Each system runs with its default durability.
 *
 * @param named peers that already run, each as `KIND=URL`
 */
export async function measurePeers(seconds: number, { peers: named }: BenchSizes): Promise<void> {
  const alertmanager = installedAlertmanager();
  if (alertmanager === undefined) console.log('no Alertmanager on the PATH; Debian has it as prometheus-alertmanager');
  const peers = [MON_PEER, ...(alertmanager === undefined ? [] : [alertmanager]), ...named.map(parsePeer)];
  await using started = new AsyncDisposableStack();
  const all: RunningPeer[] = [];
  for (const peer of peers) all.push({ ...peer, target: started.use(await peer.start()) });
  console.log(peers.map(({ name, durability }) => `${name}: ${durability}`).join('; '));

  const ms = (seconds * 1000) / ROUND_COUNT;
  await measureAlternately(all, ms, 'problems/s, arrays of 50, 16 connections', '/s', measureProblems(16, 50));
  await measureAlternately(all, ms, 'problems/s, arrays of 500, 16 connections', '/s', measureProblems(16, 500));
  await measureAlternately(all, ms, 'problems/s, one each, 64 connections', '/s', measureProblems(64, 1));
  await measureAlternately(
    all,
    ms,
    `list of ${formatNumber(CLIENT_COUNT * CHECK_COUNT)} problems`,
    'ms',
    measureList('problemList'),
  );
  await measureAlternately(all, ms, 'silences/s, 32 connections', '/s', silencesMade());
  await measureAlternately(
    all,
    ms,
    `list of those silences, ${formatNumber(SILENCE_COUNT)} for each round`,
    'ms',
    measureList('silenceList'),
  );
  await measureAlternately(all, ms, 'problems/s beside them, arrays of 50', '/s', measureProblems(16, 50));
  for (const { name, target } of all) {
    if (target.pid !== undefined) reportFigure(`memory of ${name}`, memoryMiB(target.pid), 'MiB');
  }
}

async function measureAlternately(
  all: readonly RunningPeer[],
  ms: number,
  what: string,
  unit: string,
  measure: MeasurePeer,
): Promise<void> {
  const values = new Map<RunningPeer, number[]>(all.map((running) => [running, []]));
  for (let round = 0; round < ROUND_COUNT; round++) {
    for (const [running, measured] of values) measured.push(await measure(running, ms));
  }
  const ours = meanOf(values.values().next().value ?? []);
  for (const [{ name }, measured] of values) {
    const average = meanOf(measured);
    const ratio = unit === 'ms' ? average / ours : ours / average;
    reportFigure(
      `${what}: ${name}`,
      average,
      unit,
      name === MON_PEER.name ? '' : `mon is ${ratio.toFixed(2)} times as fast`,
    );
  }
}

/**
 * Returns a measurement that posts all problems in rotation, in batches. A peer whose requests contain a single problem
 * gets one request per problem.
 */
function measureProblems(connections: number, batch: number): MeasurePeer {
  return async ({ wire, target }, ms) => {
    const each = wire.isSingle === true ? 1 : batch;
    const { rate } = await postLoop(target, { path: wire.problemsPath, connections, ms }, (connection, at) => {
      const start = (connection * 50 + at) * each;
      return JSON.stringify(wire.problems(Array.from({ length: each }, (_, one) => problemKey(start + one))));
    });
    return rate * each;
  };
}

function problemKey(at: number): { readonly client: string; readonly check: string } {
  const index = at % (CLIENT_COUNT * CHECK_COUNT);
  return { client: `web-${String(Math.floor(index / CHECK_COUNT))}`, check: `check-${String(index % CHECK_COUNT)}` };
}

function measureList(list: 'problemList' | 'silenceList'): MeasurePeer {
  return async ({ wire, target }) => {
    const line = new HttpConnection(target);
    const times = await timesOf(REQUEST_COUNT, () => line.send('GET', wire[list]));
    line.close();
    return quantileOf(times, 0.5);
  };
}

/** Returns a measurement that creates `SILENCE_COUNT` new silences in each round. */
function silencesMade(): MeasurePeer {
  const made = new Map<RunningPeer, number>();
  return async (running) => {
    const { wire, target } = running;
    const first = made.get(running) ?? 0;
    made.set(running, first + SILENCE_COUNT);
    let next = first;
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        const line = new HttpConnection(target);
        while (next < first + SILENCE_COUNT)
          await line.send('POST', wire.silencesPath, JSON.stringify(wire.silence(next++)));
        line.close();
      }),
    );
    return (SILENCE_COUNT * 1000) / (performance.now() - startedAt);
  };
}
