import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive } from '../../../../support/is-alive.ts';
import { openLineReceiver } from '../../../../support/line-receiver.ts';
import { send, type Answer } from '../../../../support/raw-http.ts';
import { startDaemon } from '../../../../support/start-daemon.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

/** A command that records its process id and runs longer than the test. */
const HANG = 'echo $$ >> PIDS; exec sleep 600';

async function start(
  handlers: object,
): Promise<{ dir: string; url: string; daemon: Awaited<ReturnType<typeof startDaemon>> }> {
  const dir = await tempDir();
  const config = join(dir, 'config.json');
  await writeFile(config, JSON.stringify({ handlers }).replaceAll('PIDS', join(dir, 'pids')));
  const daemon = await startDaemon({ stateDir: join(dir, 'state'), args: ['--config', config] });
  onTestFinished(async () => {
    await daemon.end('SIGKILL');
    for (const pid of await pids(dir)) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    }
  });
  return { dir, url: daemon.url, daemon };
}

/** Returns the ids of the processes that a handler has started. */
async function pids(dir: string): Promise<number[]> {
  const text = await readFile(join(dir, 'pids'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
}

const post = (url: string, target: string, body: unknown): Promise<Answer> =>
  send(url, { method: 'POST', target, body: JSON.stringify(body) });

function failures(count: number, handlers: readonly string[], prefix = 'web'): object[] {
  return Array.from({ length: count }, (_, at) => ({
    source: `${prefix}-${String(at)}`,
    name: 'disk',
    output: 'full',
    status: 2,
    handlers,
  }));
}

test('a handler that hangs delays neither the response to a result nor other handlers', async () => {
  const { received, port } = await openLineReceiver();
  const { dir, url } = await start({
    hang: { type: 'pipe', command: HANG, concurrency: 3, queue_limit: 50 },
    line: { type: 'tcp', socket: { host: '127.0.0.1', port } },
  });
  expect((await post(url, '/api/mon/v1/results', failures(100, ['hang', 'line']))).status).toBe(202);
  await vi.waitFor(() => expect(received).toHaveLength(100));
  await vi.waitFor(async () => expect(await pids(dir)).toHaveLength(3));
  expect((await send(url, { method: 'GET', target: '/api/mon/v1/handlers' })).body).toMatchObject([
    { name: 'hang', queued: 50, running: 3, delivered: 0, failed: 47 },
    { name: 'line', queued: 0, running: 0, delivered: 100, failed: 0 },
  ]);
  // No queue can hold this many results, but all are accepted.
  for (let at = 0; at < 5; at++) {
    const answer = await post(url, '/api/mon/v1/results', failures(1000, ['hang'], `more-${String(at)}`));
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1000 } });
  }
  expect(await pids(dir)).toHaveLength(3);
});

test(
  'after ten seconds a stopping backend kills handlers that hang, and runs them again after the start',
  { tags: 'slow' },
  async () => {
    const { dir, url, daemon } = await start({ hang: { type: 'pipe', command: HANG, concurrency: 3 } });
    await post(url, '/api/mon/v1/results', failures(5, ['hang']));
    await vi.waitFor(async () => expect(await pids(dir)).toHaveLength(3));
    const before = await pids(dir);
    const startedAt = performance.now();
    expect(await daemon.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeGreaterThan(9000);
    await vi.waitFor(() => expect(before.filter((pid) => isAlive(pid))).toEqual([]));

    await using again = await startDaemon({
      stateDir: join(dir, 'state'),
      args: ['--config', join(dir, 'config.json')],
    });
    await vi.waitFor(async () => expect(await pids(dir)).toHaveLength(6));
    expect((await send(again.url, { method: 'GET', target: '/api/mon/v1/handlers' })).body).toMatchObject([
      { name: 'hang', queued: 2, running: 3, failed: 0 },
    ]);
  },
);

test('a separate small process starts all handler commands, and the backend itself starts none', async () => {
  const { dir, url, daemon } = await start({ quick: { type: 'pipe', command: 'echo $PPID >> PIDS.parents' } });
  for (let at = 0; at < 4; at++) {
    expect((await post(url, '/api/mon/v1/results', failures(25, ['quick'], `round-${String(at)}`))).status).toBe(202);
  }
  const parents = await vi.waitFor(async () => {
    const all = (await readFile(join(dir, 'pids.parents'), 'utf8')).trim().split('\n');
    expect(all).toHaveLength(100);
    return new Set(all.map(Number));
  });
  expect(parents.size).toBe(1);
  expect(parents).not.toContain(daemon.pid);
  expect(await daemon.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await vi.waitFor(() => expect([...parents].filter((pid) => isAlive(pid))).toEqual([]));
});

test('a killed backend leaves neither a handler command nor the process that starts commands behind', async () => {
  const { dir, url, daemon } = await start({
    hang: { type: 'pipe', command: 'sleep 600 & echo $$ $! $PPID >> PIDS.family; wait', concurrency: 3 },
  });
  await post(url, '/api/mon/v1/results', failures(5, ['hang']));
  const family = await vi.waitFor(async () => {
    const all = (await readFile(join(dir, 'pids.family'), 'utf8')).trim().split(/\s+/).map(Number);
    expect(all).toHaveLength(9);
    return all;
  });
  expect(family.every((pid) => isAlive(pid))).toBe(true);
  await daemon.end('SIGKILL');
  await vi.waitFor(() => expect(family.filter((pid) => isAlive(pid))).toEqual([]));
  expect(await readFile(join(dir, 'pids.family'), 'utf8')).toMatch(/^(?:\d+ \d+ \d+\n){3}$/);
});
