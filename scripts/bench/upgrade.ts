import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { backendAddress } from '../../shared/client/local-access.ts';
import type { StoreUpgradeStatus } from '../../shared/schemas/store-upgrade.ts';
import { storeBytes } from '../../daemon/backend/store/store-size.ts';
import { writeEarlierStore } from '../fixtures/earlier-store.ts';
import { makeStateDir } from './backend-process.ts';
import { BenchAgent, openLoop } from './bench-agent.ts';
import { peakMemoryMiB } from './process-figures.ts';
import { formatNumber, quantileOf, reportFigure } from './report.ts';

const REPOSITORY_ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLIENT_COUNT = 10_000;
const CHECKS_PER_CLIENT = 100;
const OUTPUT_LENGTH = 300;
const AGENT_COUNT = 20;
/** Number of results per second while a backend upgrades its store. */
const RESULTS_PER_SECOND = 2000;
const POLL_MS = 200;

interface StartedProgram extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The log records received so far, each with its time of arrival. */
  readonly records: { readonly message: string; readonly url?: string; readonly atMs: number }[];
  /** Waits for a log record with this message. */
  untilLogged(message: string): Promise<{ readonly url?: string; readonly atMs: number }>;
}

/**
 * Measures the upgrade of a store of schema 1 with 1,000,000 results, all in an older format. The store is first
 * upgraded offline, with a backup. Another store is then upgraded online: by a backend that serves it and accepts
 * results at the same time.
 */
export async function measureUpgrade(): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const stateDir = await makeStateDir();
  parts.defer(() => rm(stateDir, { recursive: true, force: true }));
  parts.defer(() => rm(`${stateDir}.json`, { force: true }));
  const fill = async (): Promise<void> => {
    await rm(stateDir, { recursive: true, force: true });
    const forms = ['lists', 'check-first'] as const;
    await writeEarlierStore(stateDir, {
      schema: 1,
      clients: CLIENT_COUNT,
      checksEach: CHECKS_PER_CLIENT,
      forms,
      outputLength: OUTPUT_LENGTH,
    });
  };

  await fill();
  const bytes = await storeBytes(stateDir);
  console.log(
    `${formatNumber(CLIENT_COUNT * CHECKS_PER_CLIENT)} results of schema 1, ${formatNumber(bytes / 1024 / 1024)} MiB of files`,
  );
  await measureOfflineUpgrade(stateDir);
  await fill();
  await measureServingUpgrade(stateDir);
}

async function measureOfflineUpgrade(stateDir: string): Promise<void> {
  await using program = startBackendProgram(['upgrade', '--skip-confirm', '--state-dir', stateDir]);
  const peak = watchPeak(program.pid);
  const begun = await program.untilLogged('migrating embedded database to a new version');
  const backup = await program.untilLogged('backup taken and verified');
  const done = await program.untilLogged('successfully upgraded database');
  reportFigure('offline: backup, taken and verified', (backup.atMs - begun.atMs) / 1000, 's');
  reportFigure(
    'offline: upgrade',
    (done.atMs - backup.atMs) / 1000,
    's',
    `${formatNumber((CLIENT_COUNT * CHECKS_PER_CLIENT * 1000) / (done.atMs - backup.atMs))} results /s`,
  );
  reportFigure('offline: peak memory', peak(), 'MiB');
  const signs = program.records.filter(({ message }) => message === 'upgrading database');
  reportFigure('offline: signs of life, one every 5 s', signs.length, '');
}

async function measureServingUpgrade(stateDir: string): Promise<void> {
  // The store has more clients than the default entity limit allows, and the benchmark adds agents.
  const config = `${stateDir}.json`;
  await writeFile(config, JSON.stringify({ 'entity-limit': 'unlimited' }));
  await using program = startBackendProgram(['start', '--port', '0', '--state-dir', stateDir, '--config', config]);
  const { url = '' } = await program.untilLogged('backend started');
  const before = peakMemoryMiB(program.pid);
  const peak = watchPeak(program.pid);
  const agents = await BenchAgent.connectAll(url, AGENT_COUNT);
  const baseline = await openLoop(agents, RESULTS_PER_SECOND, 5000);
  const beganMs = performance.now();
  await fetch(`${url}/api/mon/v1/store/upgrade`, {
    method: 'POST',
    headers: backendAddress(url, { env: {} }).headers,
    body: '{}',
  });
  let status = await statusOf(url);
  const loads: Awaited<ReturnType<typeof openLoop>>[] = [];
  while (status.run.state === 'running') {
    loads.push(await openLoop(agents, RESULTS_PER_SECOND, 1000));
    await sleep(POLL_MS);
    status = await statusOf(url);
  }
  const tookMs = performance.now() - beganMs;
  if (status.run.state !== 'done') throw new Error(`the upgrade failed: ${String(status.run.error)}`);
  const lost = agents.filter(({ unacknowledged: waiting }) => waiting > 0).length;
  for (const agent of agents) agent.close();
  reportFigure(
    'serving: backup and upgrade',
    tookMs / 1000,
    's',
    `at ${formatNumber(RESULTS_PER_SECOND)} results /s, all acknowledged but of ${String(lost)} agents`,
  );
  reportFigure('serving: ack p50 / p99 before', [baseline.p50, baseline.p99], 'ms');
  for (const [which, share] of [
    ['middle', 0.5],
    ['worst', 1],
  ] as const) {
    const figure = (of: (load: (typeof loads)[number]) => number): number => quantileOf(loads.map(of), share);
    reportFigure(
      `serving: ack p50 / p99 during, the ${which} second`,
      [figure(({ p50 }) => p50), figure(({ p99 }) => p99)],
      'ms',
    );
  }
  reportFigure('serving: memory before / peak', [before, peak()], 'MiB');
}

function startBackendProgram(args: readonly string[]): StartedProgram {
  const child = spawn(`${REPOSITORY_ROOT}scripts/mon-backend`, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const records: StartedProgram['records'] = [];
  const listeners = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    records.push({ ...(JSON.parse(line) as { message: string; url?: string }), atMs: performance.now() });
    for (const listener of listeners) listener();
  });
  const untilLogged: StartedProgram['untilLogged'] = (message) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const record = records.find((each) => each.message === message);
        if (record !== undefined) resolve(record);
      };
      listeners.add(look);
      look();
      exited.then(() => setTimeout(() => reject(new Error(`it ended before it said: ${message}`)), 100), reject);
    });
  return {
    child,
    pid: child.pid ?? 0,
    records,
    untilLogged,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * Polls the peak memory of a process.
 *
 * @returns a function that stops the polling and returns the maximum so far in MiB, even if the process has ended
 */
function watchPeak(pid: number): () => number {
  let peak = 0;
  const look = (): void => {
    try {
      peak = peakMemoryMiB(pid);
    } catch {
      clearInterval(timer);
    }
  };
  const timer = setInterval(look, 100);
  return () => {
    look();
    clearInterval(timer);
    return peak;
  };
}

async function statusOf(url: string): Promise<StoreUpgradeStatus> {
  return (await (await fetch(`${url}/api/mon/v1/store/upgrade`)).json()) as StoreUpgradeStatus;
}
