import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import { clusterResponse, type ClusterView } from '../../shared/schemas/cluster.ts';
import { administratorOf } from '../support/administrator.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server[Symbol.asyncDispose]());

async function member(store: string, args: readonly string[] = []): Promise<DaemonProcess> {
  const daemon = await startDaemon({ stateDir: await tempDir(), args, env: { MON_STORE: store } });
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

const resultOf = (at: number): object => ({
  source: `web-${String(at % 7)}`,
  name: `check-${String(at)}`,
  output: 'x',
  status: 1,
});

/**
 * Sends results one by one until `stop` is called; `acknowledged` contains the numbers of the results whose response
 * was 202.
 */
function load(urlOf: () => string): { readonly acknowledged: Set<number>; readonly stop: () => Promise<void> } {
  const acknowledged = new Set<number>();
  const over = new AbortController();
  const running = (async () => {
    for (let at = 0; !over.signal.aborted; at++) {
      const body = JSON.stringify(resultOf(at));
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${urlOf()}/results`, { method: 'POST', body, headers }).catch(() => undefined);
      if (answer?.status === 202) acknowledged.add(at);
      // Pause after a rejection, as a well-behaved client does.
      else await setTimeout(20);
    }
  })();
  return { acknowledged, stop: () => (over.abort(), running) };
}

async function namesAt(url: string): Promise<Set<string>> {
  const results = (await (await fetch(`${url}/results`)).json()) as { check: { name: string } }[];
  return new Set(results.map(({ check }) => check.name));
}

async function databaseOf(url: string): Promise<ClusterView['database']> {
  return clusterResponse.parse(await (await fetch(`${url}/api/mon/v1/cluster`)).json()).database;
}

const missingNumbers = (acknowledged: Iterable<number>, stored: Set<string>): string[] =>
  [...acknowledged].map((at) => `check-${String(at)}`).filter((name) => !stored.has(name));

test('a second backend on the same database serves beside the first backend and stops on request', async () => {
  const store = await server.database();
  const first = await member(store);
  const second = await member(store);
  const headers = { 'content-type': 'application/json' };
  const posted = await fetch(`${second.url}/results`, { method: 'POST', body: JSON.stringify(resultOf(0)), headers });
  expect(posted.status).toBe(202);
  // A client that has sent a write to a member can read it from that member.
  expect([...(await namesAt(second.url))]).toEqual(['check-0']);
  expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect([...(await namesAt(first.url))]).toEqual(['check-0']);
});

test(
  'another backend accepts writes after the leader was killed, and has every acknowledged write',
  { tags: 'slow' },
  async () => {
    const store = await server.database();
    const first = await member(store);
    const second = await member(store);
    let { url } = first;
    const { acknowledged, stop } = load(() => url);
    await expect.poll(() => acknowledged.size).toBeGreaterThan(20);
    await first.end('SIGKILL');
    ({ url } = second);
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 20);
    await stop();
    expect(missingNumbers(acknowledged, await namesAt(second.url))).toEqual([]);
    expect(second.records.map(({ message }) => message)).toContain('this member is the leader now');
  },
);

test('a former leader keeps the configuration of its last successful reload', async () => {
  const store = await server.database();
  const file = join(await tempDir(), 'config.json');
  const configure = (name: string): Promise<void> =>
    writeFile(file, JSON.stringify({ checks: { [name]: { command: 'true', subscribers: ['a'], interval: 60 } } }));
  await configure('before');
  const first = await member(store, ['-c', file]);
  await member(store);
  const timesLogged = (wanted: string): number => first.records.filter(({ message }) => message === wanted).length;
  const checks = async (): Promise<unknown> => (await fetch(`${first.url}/checks`)).json();
  await configure('after');
  await expect.poll(checks).toMatchObject([{ name: 'after' }]);
  // From here on, the file contains an invalid configuration.
  await writeFile(file, '{');
  await expect.poll(() => timesLogged('configuration rejected: the previous configuration stays in effect')).toBe(1);
  const headers = { 'content-type': 'application/json', ...administratorOf(first.url) };
  await fetch(`${first.url}/api/mon/v1/cluster/hand-over`, { method: 'POST', body: '{}', headers });
  await expect.poll(() => timesLogged('backend started')).toBe(2);
  expect(await checks()).toMatchObject([{ name: 'after' }]);
});

test(
  'requests fail with 503 while the database is unavailable, and the backend resumes without a restart',
  { tags: 'slow' },
  async () => {
    const own = await startPostgres();
    onTestFinished(() => own[Symbol.asyncDispose]());
    const backend = await member(await own.database());
    const { acknowledged, stop } = load(() => backend.url);
    await expect.poll(() => acknowledged.size).toBeGreaterThan(20);
    await own.kill();
    // The pending write waits for its result for a while; later writes are rejected at once.
    const post = { method: 'POST', body: JSON.stringify(resultOf(0)), headers: { 'content-type': 'application/json' } };
    const refused = await fetch(`${backend.url}/results`, post);
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
    expect(await databaseOf(backend.url)).toMatchObject({ kind: 'postgres', state: 'unavailable' });
    // Reads from memory are served as before.
    expect((await fetch(`${backend.url}/silenced`)).status).toBe(200);
    await own.start();
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 20);
    await stop();
    await expect.poll(() => databaseOf(backend.url)).toMatchObject({ kind: 'postgres', state: 'ok', problem: null });
    expect(missingNumbers(acknowledged, await namesAt(backend.url))).toEqual([]);
  },
);
