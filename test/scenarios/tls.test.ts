import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { builtProgram } from '../support/built-programs.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { runMonctl } from '../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';
import { spawnAgent, startAgent } from '../support/start-agent.ts';
import { tempDir } from '../support/temp-dir.ts';
import { writePair } from '../support/tls-files.ts';

const CREDENTIALS = { MON_CREDENTIALS: 'ops:secret' };
const authority = makeCertificate('authority', { isAuthority: true });

let dir: string;
let ca: string;
let backend: RunningBackend;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  ca = join(dir, 'ca.pem');
  await writeFile(ca, authority.cert);
  const server = makeCertificate('127.0.0.1', { issuer: authority, names: ['127.0.0.1'] });
  const tls = { ...(await writePair(dir, server)), 'client-ca-file': ca };
  backend = await startBackend({ settings: { tls, api: { user: 'ops', password: 'secret' } } });
});

afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

async function agentArgs(name: string): Promise<string[]> {
  const place = await tempDir();
  const conf = join(place, 'agent.json');
  await writeFile(conf, JSON.stringify({ client: { socket: { enabled: false }, http_socket: { enabled: false } } }));
  return ['start', '-c', conf, '--state-dir', join(place, 'state'), '--name', name, '--backend', backend.url];
}

/** Runs one of the built programs to its end. */
async function run(
  program: string,
  args: readonly string[],
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...CREDENTIALS, XDG_CONFIG_HOME: dir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

test('an agent that trusts the certificate authority connects with its certificate as its only credential', async () => {
  const own = await writePair(join(dir, 'web-1'), makeCertificate('web-1', { issuer: authority, names: ['web-1'] }));
  const files = ['--trusted-ca-file', ca, '--cert-file', own['cert-file'], '--key-file', own['key-file']];
  startAgent([...(await agentArgs('web-1')), ...files]);
  const env = { ...CREDENTIALS, MON_TRUSTED_CA_FILE: ca };
  await vi.waitFor(async () => {
    expect((await runMonctl(['client', 'list', '--backend', backend.url], env)).stdout).toContain('web-1');
  });
});

test('an agent that does not trust the certificate authority says what to do and keeps trying', async () => {
  const agent = startAgent(await agentArgs('web-2'));
  await vi.waitFor(() => {
    expect(agent.records).toContainEqual(
      expect.objectContaining({
        message: 'not connected to the backend',
        reason: expect.stringContaining('--trusted-ca-file'),
      }),
    );
  });
});

test('an agent that skips TLS verification warns at its start', async () => {
  const agent = startAgent([...(await agentArgs('web-3')), '--insecure-skip-tls-verify']);
  await vi.waitFor(() => {
    expect(agent.records).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringMatching(/certificate of wss:.* is not verified/),
      }),
    );
  });
});

test.each([
  {
    name: 'a missing key file',
    args: ['--cert-file', 'a.pem', '--key-file', 'a.key'],
    says: /a\.pem cannot be used as agent\.cert-file/,
  },
  {
    name: 'a certificate without a key',
    args: ['--cert-file', 'a.pem'],
    says: /agent\.key-file: is required with cert-file/,
  },
])('an agent with $name does not start and says why', async ({ args, says }) => {
  const { code, stderr } = await spawnAgent([...(await agentArgs('web-4')), ...args]).ended;
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(says) });
});

test('monctl reads the CA file from an option, the environment or a context, or skips verification with a warning', async () => {
  const list = ['client', 'list', '--backend', backend.url];
  expect(await runMonctl(list, CREDENTIALS)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--trusted-ca-file'),
  });
  expect(await runMonctl([...list, '--trusted-ca-file', ca], CREDENTIALS)).toMatchObject({ code: 0, stderr: '' });
  expect(await runMonctl([...list, '--insecure-skip-tls-verify'], CREDENTIALS)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^monctl: the certificate of https:.* is not verified/),
  });
  const env = { XDG_CONFIG_HOME: join(dir, 'config') };
  await mkdir(env.XDG_CONFIG_HOME);
  await writeFile(join(dir, 'password'), 'secret');
  const configure = ['configure', '--backend', backend.url, '--user', 'ops', '--password-file', join(dir, 'password')];
  expect(await runMonctl([...configure, '--trusted-ca-file', ca], env)).toMatchObject({ code: 0 });
  expect(await readFile(join(env.XDG_CONFIG_HOME, 'mon', 'console.yml'), 'utf8')).toContain(`trusted-ca-file: ${ca}`);
  expect(await runMonctl(['client', 'list'], env)).toMatchObject({ code: 0, stderr: '' });
});

test('the console and an upgrade through a running backend verify the certificate of the backend', async () => {
  const watch = await run(builtProgram('mon'), ['watch', '--once', '--backend', backend.url, '--trusted-ca-file', ca]);
  expect(watch).toMatchObject({ code: 0, stderr: '' });
  const unverified = await run(builtProgram('mon'), [
    'watch',
    '--once',
    '--backend',
    backend.url,
    '--insecure-skip-tls-verify',
  ]);
  expect(unverified).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^mon: the certificate of .* is not verified/),
  });
  const through = ['upgrade', '--dry-run', '--through', backend.url, '--state-dir', join(dir, 'none')];
  expect(await run(builtProgram('mon-backend'), through)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--trusted-ca-file'),
  });
  expect(await run(builtProgram('mon-backend'), [...through, '--trusted-ca-file', ca])).toMatchObject({ code: 0 });
});
