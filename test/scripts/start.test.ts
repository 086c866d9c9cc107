/** @module-tag slow */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { placesEnv } from '../support/administrator.ts';
import { builtPrograms } from '../support/built-programs.ts';

/** Definitions of fast checks, so that the first results arrive at once. */
const CHECKS = {
  checks: {
    probe: { command: 'echo http://127.0.0.1:4567/health', subscribers: ['all'], interval: 1 },
    calm: { command: 'echo calm', subscribers: ['all'], interval: 1 },
    loud: { command: 'echo "loud\u001b[2J"; exit 2', standalone: true, interval: 1 },
  },
};

/** Root directory of a clone with the built programs and its own check definitions. */
let root: string;
let port: number;
const started: ChildProcess[] = [];

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mon-start-')));
  cpSync('scripts', join(root, 'scripts'), { recursive: true });
  for (const path of ['shared', 'daemon', 'tui', 'node_modules', 'package.json', 'tsconfig.json']) {
    symlinkSync(resolve(path), join(root, path));
  }
  symlinkSync(builtPrograms(), join(root, 'dist'));
  mkdirSync(join(root, 'examples/conf.d'), { recursive: true });
  writeFileSync(join(root, 'examples/conf.d/checks.json'), JSON.stringify(CHECKS));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeEach(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
});

interface Start {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown[]>;
  /** Returns the text of standard output and standard error so far. */
  text(): string;
}

function start(env: Record<string, string> = {}, args: readonly string[] = []): Start {
  const child = spawn(process.execPath, [join(root, 'scripts/lib/start.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...placesEnv(), MON_PORT: String(port), ...env },
  });
  started.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, exit: once(child, 'exit'), text: () => text };
}

async function isServing(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${String(port)}/info`).then(
    (response) => response.ok,
    () => false,
  );
}

const recordSchema = z.object({ daemons: z.array(z.int()) });
const daemonPids = (): number[] =>
  recordSchema.parse(JSON.parse(readFileSync(join(root, 'var/start.json'), 'utf8'))).daemons;

const running = async (one: Start): Promise<void> =>
  vi.waitFor(() => expect(one.text()).toContain('running until it is stopped'));

test('scripts/start without a terminal shows the first results, serves, and stops every program that it started', async () => {
  const first = start();
  await running(first);
  expect(first.text()).toMatch(/^ {2}ok {8}calm {3}calm$/m);
  expect(first.text()).toContain(`http://127.0.0.1:${String(port)}/health\n`);
  expect(first.text()).toMatch(/^ {2}critical {2}loud {3}loud(?!\u001b)/m);
  expect(await isServing()).toBe(true);

  const second = start();
  expect(await second.exit).toEqual([0, null]);
  expect(second.text()).toBe(
    `mon: already running at http://127.0.0.1:${String(port)} (process ${String(first.child.pid)})\n`,
  );

  first.child.kill('SIGTERM');
  expect(await first.exit).toEqual([0, null]);
  expect(await isServing()).toBe(false);
  expect(existsSync(join(root, 'var/start.json'))).toBe(false);
});

test('scripts/start names programs that an earlier, killed run of scripts/start has left running', async () => {
  const first = start();
  await running(first);
  const left = daemonPids();
  first.child.kill('SIGKILL');
  await first.exit;

  const second = start();
  expect(await second.exit).toEqual([1, null]);
  expect(second.text()).toContain(`Stop them: kill ${left.join(' ')}\n`);

  for (const pid of left) process.kill(pid);
  await vi.waitFor(async () => expect(await isServing()).toBe(false));
});

test('scripts/start names a port that another program uses, with a remedy', async () => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const one = start();
  expect(await one.exit).toEqual([1, null]);
  expect(one.text()).toBe(
    `mon: port ${String(port)} is in use by another program. Stop that one, or choose another port: MON_PORT=${String(port + 1)} ./scripts/start\n`,
  );
  server.close();
});

test('scripts/start rejects conflicting options and prints its usage', async () => {
  const one = start({}, ['--demo', '--cluster']);
  expect(await one.exit).toEqual([1, null]);
  expect(one.text()).toBe('mon: usage: ./scripts/start [--cluster | --demo], not --demo --cluster\n');
});

test('scripts/start rejects an invalid port', async () => {
  const one = start({ MON_PORT: 'http' });
  expect(await one.exit).toEqual([1, null]);
  expect(one.text()).toBe('mon: MON_PORT must be a port number from 1 to 65535, not "http"\n');
});

test('scripts/start shows the end of the log of a backend that cannot start', async () => {
  mkdirSync(join(root, 'var'), { recursive: true });
  rmSync(join(root, 'var/backend'), { recursive: true, force: true });
  writeFileSync(join(root, 'var/backend'), 'a file where a directory belongs');
  const one = start();
  expect(await one.exit).toEqual([1, null]);
  expect(one.text()).toMatch(
    /^mon: backend ended \(exit code \d\); the end of var\/log\/backend\.log:\n.*var\/backend/s,
  );
  rmSync(join(root, 'var/backend'));
});
