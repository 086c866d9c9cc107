import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server[Symbol.asyncDispose]());

async function member(store: string): Promise<DaemonProcess> {
  const daemon = await startDaemon({ stateDir: await tempDir(), env: { MON_STORE: store } });
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

const resultOf = (at: number): object => ({
  source: `web-${String(at % 7)}`,
  name: `check-${String(at)}`,
  output: 'x',
  status: 1,
});

/** Sends results one after the other until it is told to stop; `acknowledged` are those that were answered with 202. */
function load(urlOf: () => string): { readonly acknowledged: Set<number>; readonly stop: () => Promise<void> } {
  const acknowledged = new Set<number>();
  const over = new AbortController();
  const running = (async () => {
    for (let at = 0; !over.signal.aborted; at++) {
      const body = JSON.stringify(resultOf(at));
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${urlOf()}/results`, { method: 'POST', body, headers }).catch(() => undefined);
      if (answer?.status === 202) acknowledged.add(at);
    }
  })();
  return { acknowledged, stop: () => (over.abort(), running) };
}

async function namesAt(url: string): Promise<Set<string>> {
  const results = (await (await fetch(`${url}/results`)).json()) as { check: { name: string } }[];
  return new Set(results.map(({ check }) => check.name));
}

const missing = (acknowledged: Iterable<number>, stored: Set<string>): string[] =>
  [...acknowledged].map((at) => `check-${String(at)}`).filter((name) => !stored.has(name));

test('of two backends with one database the one that waits ends when it is told to', async () => {
  const store = await server.database();
  await member(store);
  const { promise: spawned, resolve } = Promise.withResolvers<(signal?: NodeJS.Signals) => void>();
  const log = join(await tempDir(), 'log');
  const waiting = startDaemon({
    stateDir: await tempDir(),
    args: ['--log', log],
    env: { MON_STORE: store },
    onSpawn: resolve,
  });
  const kill = await spawned;
  await expect.poll(() => readFile(log, 'utf8').catch(() => '')).toMatch(/waiting to take over/);
  kill('SIGTERM');
  await expect(waiting).rejects.toThrow(/ended with 0/);
});

test('a database that is away: 503 while it is, and everything goes on without a restart', async () => {
  const own = await startPostgres();
  onTestFinished(() => own[Symbol.asyncDispose]());
  const backend = await member(await own.database());
  const { acknowledged, stop } = load(() => backend.url);
  await expect.poll(() => acknowledged.size).toBeGreaterThan(20);
  await own.kill();
  // The one under way waits for its outcome for a while; those after it are refused at once.
  const post = { method: 'POST', body: JSON.stringify(resultOf(0)), headers: { 'content-type': 'application/json' } };
  const refused = await fetch(`${backend.url}/results`, post);
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
  // What is in memory is answered as before.
  expect((await fetch(`${backend.url}/silenced`)).status).toBe(200);
  await own.start();
  const before = acknowledged.size;
  await expect.poll(() => acknowledged.size, { timeout: 15_000 }).toBeGreaterThan(before + 20);
  await stop();
  expect(missing(acknowledged, await namesAt(backend.url))).toEqual([]);
});
