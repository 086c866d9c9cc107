import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { AgentBackend } from '../../support/agent-backend.ts';
import { startAgent } from '../../support/start-agent.ts';
import { tempDir } from '../../support/temp-dir.ts';

const SLOW = { timeout: 15_000 };

const isNext = (id: number, index: number): boolean => id === index + 1;

/** A directory with definitions and one for the state, as arguments. */
async function folders(definitions: object = {}): Promise<{ args: string[]; stateDir: string; confDir: string }> {
  const dir = await tempDir();
  const confDir = join(dir, 'conf.d');
  const stateDir = join(dir, 'state');
  await mkdir(confDir);
  await writeFile(join(confDir, 'checks.json'), JSON.stringify(definitions));
  return { args: ['--state-dir', stateDir, '-d', confDir], stateDir, confDir };
}

const everySecond = (command: string): object => ({ command, standalone: true, interval: 1 });

test('an agent introduces itself, runs its standalone checks and those that the backend asks for', async () => {
  const backend = await AgentBackend.open();
  const { args } = await folders({
    client: { name: 'from-file', rack: 'r7', subscriptions: ['from-file'] },
    checks: {
      own: { ...everySecond('echo own; exit 1'), playbook: 'https://example.org' },
      asked: { command: 'echo local; exit 2', subscribers: ['web'], interval: 60 },
    },
  });
  startAgent([
    'start',
    '--backend',
    backend.url,
    '--name',
    'web1',
    '--address',
    '10.0.0.1',
    '--subscriptions',
    'web,all',
    ...args,
  ]);

  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1), SLOW);
  expect(backend.keepalives[0]).toEqual({
    name: 'web1',
    address: '10.0.0.1',
    rack: 'r7',
    subscriptions: ['web', 'all', 'client:web1'],
    timestamp: expect.closeTo(Date.now() / 1000, -1),
    version: '1.0.0',
  });

  backend.request({ name: 'asked', issued: 1, command: 'echo from-backend', handlers: ['mail'] });
  backend.request({ name: 'unknown-here', issued: 2, command: 'echo from-backend' });
  await vi.waitFor(() => {
    expect(backend.results('asked')).toMatchObject([
      { issued: 1, command: 'echo local; exit 2', handlers: ['mail'], output: 'local\n', status: 2 },
    ]);
    expect(backend.results('unknown-here')).toMatchObject([{ issued: 2, output: 'from-backend\n', status: 0 }]);
    expect(backend.results('own')[0]).toMatchObject({
      output: 'own\n',
      status: 1,
      playbook: 'https://example.org',
      interval: 1,
      standalone: true,
      executed: expect.closeTo(Date.now() / 1000, -1),
      duration: expect.any(Number),
    });
  }, SLOW);
});

test('in safe mode an agent runs nothing that is not defined on its machine', async () => {
  const backend = await AgentBackend.open();
  const { args, stateDir } = await folders({ client: { name: 'web1', safe_mode: true } });
  startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1), SLOW);
  backend.request({ name: 'evil', issued: 1, command: `touch ${stateDir}/evil` });
  await vi.waitFor(() => {
    expect(backend.results('evil')).toMatchObject([
      { output: 'Check is not locally defined (safe mode)', status: 3, handle: false },
    ]);
  }, SLOW);
});

test('results gathered while the backend is away survive a kill and arrive in order, under the same ids', async () => {
  const { args } = await folders({ checks: { own: everySecond('date') } });
  const backend = await AgentBackend.open({ commits: () => false });
  const first = startAgent(['start', '--name', 'web1', '--backend', backend.url, ...args]);
  // Sent, but never acknowledged: still the agent's to keep.
  await vi.waitFor(() => expect(backend.frameSizes.length).toBeGreaterThanOrEqual(2), SLOW);
  first.kill('SIGKILL');
  expect((await first.ended).code).toBeNull();

  const later = await AgentBackend.open();
  const second = startAgent(['start', '--name', 'web1', '--backend', later.url, ...args]);
  await vi.waitFor(() => expect(later.ids.length).toBeGreaterThanOrEqual(3), SLOW);
  expect(later.hellos[0]?.['spool']).toBe(backend.hellos[0]?.['spool']);
  expect(later.ids.every(isNext)).toBe(true);
  const executed = later.results('own').map((check) => Number(check['executed']));
  expect(executed).toEqual(executed.toSorted((left, right) => left - right));
  second.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
});

test('a second agent on the same state directory is turned away', async () => {
  const { args, stateDir } = await folders();
  const first = startAgent(['start', '--backend', 'http://127.0.0.1:1', ...args]);
  await vi.waitFor(() => expect(first.records[0]?.message).toBe('agent started'), SLOW);
  const second = startAgent(['start', '--backend', 'http://127.0.0.1:1', ...args]);
  expect(await second.ended).toEqual({
    code: 2,
    stderr: `mon-agent: another agent is using ${stateDir}/spool; stop it, or give this one its own --state-dir\n`,
  });
  first.kill('SIGINT');
  expect((await first.ended).code).toBe(0);
});

test('a signal lets a running check finish and deliver', async () => {
  const backend = await AgentBackend.open();
  const { args, stateDir } = await folders();
  const agent = startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1), SLOW);
  backend.request({ name: 'slow', issued: 1, command: `until test -e ${stateDir}/go; do sleep 0.02; done; echo done` });
  // The agent works through frames in order: when this one has an answer, the check before it runs.
  backend.request({ name: 'quick', issued: 1, command: 'true' });
  await vi.waitFor(() => expect(backend.results('quick')).toHaveLength(1), SLOW);
  agent.kill('SIGTERM');
  await vi.waitFor(() => expect(agent.records.at(-1)?.message).toBe('agent stopping'), SLOW);
  await writeFile(join(stateDir, 'go'), '');
  expect((await agent.ended).code).toBe(0);
  expect(backend.results('slow')).toMatchObject([{ output: 'done\n', status: 0 }]);
});

test('a second signal does not wait for a running check', async () => {
  const backend = await AgentBackend.open();
  const { args } = await folders();
  const agent = startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1), SLOW);
  backend.request({ name: 'slow', issued: 1, command: 'sleep 600' });
  backend.request({ name: 'quick', issued: 1, command: 'true' });
  await vi.waitFor(() => expect(backend.results('quick')).toHaveLength(1), SLOW);
  agent.kill('SIGTERM');
  await vi.waitFor(() => expect(agent.records.at(-1)?.message).toBe('agent stopping'), SLOW);
  agent.kill('SIGTERM');
  expect((await agent.ended).code).toBe(0);
  expect(backend.results('slow')).toEqual([]);
});

test('credentials come from the environment and never show in the log', async () => {
  const backend = await AgentBackend.open();
  const { args } = await folders();
  const agent = startAgent(['start', '--backend', backend.url, ...args], { MON_AGENT_CREDENTIALS: 'web1:s3cret' });
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1), SLOW);
  expect(backend.authorizations).toEqual([`Basic ${Buffer.from('web1:s3cret').toString('base64')}`]);
  expect(JSON.stringify(agent.records)).not.toContain('s3cret');
});

describe('the command line', () => {
  test('tells its version', async () => {
    const agent = startAgent(['version']);
    expect((await agent.ended).code).toBe(0);
    expect(agent.records.map(({ message }) => message)).toEqual(['mon-agent version 1.0.0']);
  });

  test('explains itself', async () => {
    const agent = startAgent(['--help']);
    expect((await agent.ended).code).toBe(0);
    expect(agent.records.map(({ message }) => message).join('\n')).toContain('mon-agent start [options]');
  });

  test.each<{ args: string[]; says: RegExp }>([
    { args: [], says: /usage: mon-agent start \| version; see mon-agent --help/ },
    { args: ['sing'], says: /usage: mon-agent start \| version/ },
    { args: ['start', 'now'], says: /usage: mon-agent start \| version/ },
    { args: ['start', '--colour'], says: /--colour/ },
    {
      args: ['start', '--backend', 'mon.example.org'],
      says: /the backend must be a URL like http:\/\/127\.0\.0\.1:4567/,
    },
    { args: ['start', '--name', 'web 1'], says: /client\.name: must be word characters, dots and hyphens only/ },
    { args: ['start', '--log-level', 'loud'], says: /--log-level must be one of debug, info, warn, error/ },
    { args: ['start', '-d', '/nowhere/at/all'], says: /\/nowhere\/at\/all: there is no such file or directory/ },
  ])('refuses $args with exit code 2', async ({ args, says }) => {
    const dir = await tempDir();
    const { code, stderr } = await startAgent([...args, ...(args.length === 0 ? [] : ['--state-dir', dir])]).ended;
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
  });
});
