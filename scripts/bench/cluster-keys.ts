import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkJson } from './bench-agent.ts';
import type { ClusterView } from '../../shared/schemas/cluster.ts';
import { startDatabase, startMembers } from './cluster-members.ts';
import { startBackend } from './backend-process.ts';
import { cpuMs, memoryMiB } from './process-figures.ts';
import { formatNumber, reportFigure } from './report.ts';

const CHECKS_PER_CLIENT = 100;
/** Number of results in one request. */
const BATCH_RESULTS = 1000;
/** Number of concurrent requests. */
const CONCURRENT_REQUESTS = 4;
const AGAIN_MS = 5;
/** The benchmark has more clients than a backend accepts by default. */
const UNLIMITED_SETTINGS = { 'entity-limit': 'unlimited' };

/**
 * Measures how long a member takes to join a cluster with many keys, and how long a failover takes after the leader was
 * killed.
 */
export async function joinAndTakeOver(keys: number): Promise<void> {
  await using server = await startDatabase();
  const store = await server.database();
  await using first = await startMembers(1, store, UNLIMITED_SETTINGS);
  const [writer] = first.members;
  if (writer === undefined) return;
  await postResults(writer.url, keys);

  const joining = performance.now();
  await using member = await startBackend({ settings: UNLIMITED_SETTINGS, env: { MON_STORE: store } });
  await waitUntilFollowing(member.url);
  const cpu = `CPU ${(cpuMs(member.pid) / 1000).toFixed(1)} s, memory ${formatNumber(memoryMiB(member.pid))} MiB`;
  reportFigure(
    `a member joins, ${formatNumber(keys)} keys`,
    (performance.now() - joining) / 1000,
    's',
    `goal 15, ${cpu}`,
  );

  const killed = performance.now();
  process.kill(writer.pid, 'SIGKILL');
  await takesWrites(member.url);
  reportFigure(`it takes over from a writer that was killed`, (performance.now() - killed) / 1000, 's', 'goal 5');
}

/** Posts a result for each key. The names are like those of real agents: each client has `CHECKS_PER_CLIENT` checks. */
async function postResults(url: string, keys: number): Promise<void> {
  let next = 0;
  const post = async (): Promise<void> => {
    while (next < keys) {
      const first = next;
      next += BATCH_RESULTS;
      const results = Array.from({ length: Math.min(BATCH_RESULTS, keys - first) }, (_, at) => resultOf(first + at));
      await postUntilAccepted(url, `[${results.join()}]`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, post));
}

function resultOf(key: number): string {
  const check = checkJson(`check-${String(key % CHECKS_PER_CLIENT)}`, key, []);
  return check.replace('{', `{"source":"agent-${String(Math.floor(key / CHECKS_PER_CLIENT))}",`);
}

/** Posts a request, and repeats it as long as the backend responds with 503 because it lacks capacity. */
async function postUntilAccepted(url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    const answer = await fetch(`${url}/api/mon/v1/results`, { method: 'POST', headers, body });
    const text = await answer.text();
    if (answer.ok) return;
    if (answer.status !== 503) throw new Error(`POST results: ${String(answer.status)} ${text}`);
    await sleep(100);
  }
}

/** Waits until the member has the state `ok` and has applied all committed writes that it knows of. */
async function waitUntilFollowing(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/api/mon/v1/cluster`);
    const { member_id: id, seq, members } = (await answer.json()) as ClusterView;
    const self = members.find((member) => member.id === id);
    if (self?.state === 'ok' && self.seq === seq) return;
    await sleep(AGAIN_MS);
  }
}

/** Waits until the member acknowledges a write. */
async function takesWrites(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ source: 'take-over', name: 'probe', output: 'x', status: 0 });
  for (;;) {
    const answer = await fetch(`${url}/results`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    if (answer.ok) return;
    await sleep(AGAIN_MS);
  }
}
