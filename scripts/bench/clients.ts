import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeClient } from '../../daemon/backend/model/clients/client-record.ts';
import { clientKey } from '../../daemon/backend/model/clients/storage.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { storeBytes } from '../../daemon/backend/store/store-size.ts';
import type { BenchSizes } from './bench-sizes.ts';
import { buildPrograms, makeStateDir, startBackend } from './backend-process.ts';
import { BenchAgent } from './bench-agent.ts';
import { postJson } from './http-line.ts';
import { cpuMs, memoryMiB, memoryPartsMiB, peakMemoryMiB } from './process-figures.ts';
import { formatNumber, quantileOf, reportFigure, timesOf } from './report.ts';

const BATCH_CLIENTS = 2000;
/** Size of the incompressible text in each client, in bytes. */
const TEXT_BYTES = 4096;
const EXISTING_AGENTS = 200;
const REQUEST_COUNT = 500;
/** Heap limit in MiB that Node.js would have on a machine with 2 GiB. */
const HEAP_MIB = 1024;

/**
 * Measures a store of many clients with 4 KiB each: the start of a backend on it, its memory, and its response times.
 * The heap is limited as on a machine with 2 GiB.
 */
export async function measureClients(_seconds: number, { clients }: BenchSizes): Promise<void> {
  const stateDir = await makeStateDir();
  await writeClients(stateDir, clients);
  reportFigure('clients', clients, '', `${formatNumber(TEXT_BYTES)} bytes each`);

  await buildPrograms();
  const begun = performance.now();
  await using backend = await startBackend({
    stateDir,
    env: { NODE_OPTIONS: `--max-old-space-size=${String(HEAP_MIB)}` },
  });
  const startSeconds = (performance.now() - begun) / 1000;
  reportFigure('start to serving', startSeconds, 's', `CPU ${(cpuMs(backend.pid) / 1000).toFixed(1)} s`);
  const { own, files } = memoryPartsMiB(backend.pid);
  reportFigure(
    'memory after the start',
    memoryMiB(backend.pid),
    'MiB',
    `own ${formatNumber(own)}, files ${formatNumber(files)}`,
  );
  reportFigure('peak of the start', peakMemoryMiB(backend.pid), 'MiB', 'goal 2,048');
  const metrics = await (await fetch(`${backend.url}/metrics`)).text();
  for (const name of ['mon_memory_used_bytes', 'mon_memory_limit_bytes']) {
    const bytes = Number(new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1]);
    reportFigure(name, bytes / 1024 / 1024, 'MiB');
  }

  const ask = async (path: string): Promise<void> => {
    const answer = await fetch(backend.url + path);
    if (!answer.ok) throw new Error(`GET ${path}: ${String(answer.status)}`);
    await answer.arrayBuffer();
  };
  const nameAt = (at: number): string => `agent-${String((at * 7919) % clients)}`;
  await reportTimes('GET /clients/:client', REQUEST_COUNT, (at) => ask(`/clients/${nameAt(at)}`));
  await reportTimes('GET /clients?limit=100', REQUEST_COUNT / 10, (at) =>
    ask(`/clients?limit=100&offset=${String((at * 7919) % clients)}`),
  );
  await reportTimes('GET /api/mon/v1/clients?q=', 5, (at) =>
    ask(`/api/mon/v1/clients?limit=10&q=client%3D${nameAt(at)}`),
  );
  const agents: BenchAgent[] = [];
  await reportTimes('an agent connects, its client is known', EXISTING_AGENTS, async (at) => {
    agents.push(await BenchAgent.connect(backend.url, at));
  });
  await reportTimes('POST /results of a known client', REQUEST_COUNT, (at) =>
    postJson(`${backend.url}/results`, { source: nameAt(at), name: 'disk', output: 'full', status: 2 }),
  );
  await reportTimes('GET /events, with their clients', 10, () => ask('/events'));
  for (const agent of agents) agent.close();
  const after = memoryPartsMiB(backend.pid);
  reportFigure(
    'memory after that',
    memoryMiB(backend.pid),
    'MiB',
    `own ${formatNumber(after.own)}, files ${formatNumber(after.files)}`,
  );
  reportFigure('peak of all', peakMemoryMiB(backend.pid), 'MiB', 'goal 2,048');
}

async function writeClients(dir: string, clients: number): Promise<void> {
  const store = await openLevelStore(dir);
  const lease = await store.acquire('main', 30_000);
  for (let start = 0; start < clients; start += BATCH_CLIENTS) {
    const ops = Array.from({ length: Math.min(BATCH_CLIENTS, clients - start) }, (_, at) => {
      const name = `agent-${String(start + at)}`;
      const identity = { name, address: '10.0.0.1', subscriptions: ['bench', 'linux', `client:${name}`] };
      const client = { ...identity, keepalives: false, version: '1.9.0', timestamp: Math.floor(Date.now() / 1000) };
      const text = randomBytes((TEXT_BYTES * 3) / 4).toString('base64');
      const value = encodeClient({ client: { ...client, text }, signature: '' });
      return { type: 'put', key: clientKey('default', name), value } as const;
    });
    await store.write(lease, ops, [], 'process');
  }
  // LevelDB is still compacting the written data; wait until the size of the store stays the same.
  for (let before = -1, now = 0; now !== before;) {
    before = now;
    await sleep(5000);
    now = await storeBytes(dir);
  }
  await store.close();
}

async function reportTimes(what: string, times: number, act: (at: number) => Promise<unknown>): Promise<void> {
  const taken = await timesOf(times, act);
  reportFigure(what, [quantileOf(taken, 0.5), quantileOf(taken, 0.99)], 'ms', `p50 / p99 of ${formatNumber(times)}`);
}
