import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AgentBackend } from '../../support/agent-backend.ts';
import { modeOf, modesBeneath, underUmask } from '../../support/file-modes.ts';
import { processesWithArgument } from '../../support/processes.ts';
import { startAgent } from '../../support/start-agent.ts';
import { tempDir } from '../../support/temp-dir.ts';

const isNext = (id: number, index: number): boolean => id === index + 1;

/** Settings without inputs: their default ports may be in use by other programs. */
const SILENT = { socket: { enabled: false }, http_socket: { enabled: false } };

interface Definitions {
  readonly client?: object;
  readonly checks?: object;
}

/** Creates directories for definitions and state, and returns the arguments of an agent that uses them. */
async function folders({ client = {}, ...others }: Definitions = {}): Promise<{
  args: string[];
  stateDir: string;
  confDir: string;
}> {
  const dir = await tempDir();
  const confDir = join(dir, 'conf.d');
  const stateDir = join(dir, 'state');
  await mkdir(confDir);
  await writeFile(join(confDir, 'checks.json'), JSON.stringify({ client: { ...SILENT, ...client }, ...others }));
  return { args: ['--state-dir', stateDir, '-d', confDir], stateDir, confDir };
}

const everySecond = (command: string): object => ({ command, standalone: true, interval: 1 });

test('files of the agent are private whatever the umask is, and its checks inherit the umask', async () => {
  const made = join(await tempDir(), 'made');
  const { args, stateDir } = await folders({ checks: { touch: everySecond(`umask > ${made}`) } });
  const log = join(stateDir, '..', 'agent.log');
  underUmask(0o002, () => startAgent(['start', '--backend', 'http://127.0.0.1:9', '--log', log, ...args]));
  await vi.waitFor(async () => expect(await readFile(made, 'utf8')).toMatch(/2\n/));
  expect(await readFile(made, 'utf8')).toMatch(/^0*2\n$/);
  expect(await modesBeneath(stateDir)).toEqual({ directories: ['700'], files: ['600'] });
  expect([await modeOf(log), await modeOf(made)]).toEqual(['600', '664']);
});

test('an agent registers, runs its standalone checks and runs the checks that the backend requests', async () => {
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

  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
  expect(backend.keepalives[0]).toEqual({
    name: 'web1',
    address: '10.0.0.1',
    rack: 'r7',
    ...SILENT,
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
  });
});

test('checks can read the list of configuration files, and the list is removed when the agent stops', async () => {
  const backend = await AgentBackend.open();
  const { args, stateDir, confDir } = await folders({
    client: { name: 'web1' },
    checks: {
      own: {
        ...everySecond('cat "$SENSU_LOADED_TEMPFILE"; exit 1'),
        hooks: { 'non-zero': { command: 'echo "$SENSU_LOADED_TEMPFILE"' } },
      },
    },
  });
  const agent = startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => {
    expect(backend.results('own')[0]).toMatchObject({
      output: join(confDir, 'checks.json'),
      hooks: { 'non-zero': { output: `${join(stateDir, 'loaded-files')}\n` } },
    });
  });
  agent.kill('SIGTERM');
  await agent.ended;
  expect(await readdir(stateDir)).not.toContain('loaded-files');
});

test('an agent in safe mode runs only checks that are defined locally', async () => {
  const backend = await AgentBackend.open();
  const { args, stateDir } = await folders({ client: { name: 'web1', safe_mode: true } });
  startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
  backend.request({ name: 'evil', issued: 1, command: `touch ${stateDir}/evil` });
  await vi.waitFor(() => {
    expect(backend.results('evil')).toMatchObject([
      { output: 'Check is not locally defined (safe mode)', status: 3, handle: false },
    ]);
  });
});

test('a killed agent leaves no check running, not even in another session', async () => {
  const sleep = `sleep 9${String(process.pid)}`;
  const { args } = await folders({
    checks: { long: everySecond(`setsid ${sleep} & ${sleep} & env -i ${sleep} & wait`) },
  });
  const agent = startAgent(['start', '--backend', 'http://127.0.0.1:9', ...args]);
  await vi.waitFor(() => expect(processesWithArgument(sleep)).toHaveLength(4));
  agent.kill('SIGKILL');
  await vi.waitFor(() => expect(processesWithArgument(sleep)).toEqual([]));
});

test('results collected while the backend is down survive a kill of the agent and arrive in order with the same ids', async () => {
  const { args } = await folders({ checks: { own: everySecond('date') } });
  const backend = await AgentBackend.open({ commits: () => false });
  const first = startAgent(['start', '--name', 'web1', '--backend', backend.url, ...args]);
  // The results were sent but never acknowledged, so the agent must keep them.
  await vi.waitFor(() => expect(backend.frameSizes.length).toBeGreaterThanOrEqual(2));
  first.kill('SIGKILL');
  expect((await first.ended).code).toBeNull();

  const later = await AgentBackend.open();
  const second = startAgent(['start', '--name', 'web1', '--backend', later.url, ...args]);
  await vi.waitFor(() => expect(later.ids.length).toBeGreaterThanOrEqual(3));
  expect(later.hellos[0]?.['spool']).toBe(backend.hellos[0]?.['spool']);
  expect(later.ids.every(isNext)).toBe(true);
  const executed = later.results('own').map((check) => Number(check['executed']));
  expect(executed).toEqual(executed.toSorted((left, right) => left - right));
  second.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
});

test('starting a second agent with the same state directory is rejected', async () => {
  const { args, stateDir } = await folders();
  const first = startAgent(['start', '--backend', 'http://127.0.0.1:1', ...args]);
  await vi.waitFor(() => expect(first.records[0]?.message).toBe('agent started'));
  const second = startAgent(['start', '--backend', 'http://127.0.0.1:1', ...args]);
  expect(await second.ended).toEqual({
    code: 2,
    stderr: `mon-agent: another agent is using ${stateDir}/spool: stop that agent, or start this agent with another --state-dir\n`,
  });
  first.kill('SIGINT');
  expect((await first.ended).code).toBe(0);
});

test('an agent that stops lets a running check finish and delivers its result', async () => {
  const backend = await AgentBackend.open();
  const { args, stateDir } = await folders();
  const agent = startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
  backend.request({ name: 'slow', issued: 1, command: `until test -e ${stateDir}/go; do sleep 0.02; done; echo done` });
  // The agent processes frames in order: once the second check has a result, the first check is running.
  backend.request({ name: 'quick', issued: 1, command: 'true' });
  await vi.waitFor(() => expect(backend.results('quick')).toHaveLength(1));
  agent.kill('SIGTERM');
  await vi.waitFor(() => expect(agent.records.at(-1)?.message).toBe('agent stopping'));
  await writeFile(join(stateDir, 'go'), '');
  expect((await agent.ended).code).toBe(0);
  expect(backend.results('slow')).toMatchObject([{ output: 'done\n', status: 0 }]);
});

test('SIGHUP makes the agent reload a valid configuration and ignore an invalid one without a new registration', async () => {
  const backend = await AgentBackend.open();
  const { args, confDir } = await folders({
    client: { name: 'web1', deregister: true },
    checks: { before: everySecond('echo before') },
  });
  const agent = startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => expect(backend.results('before')).not.toEqual([]));

  const own = join(confDir, 'own.json');
  const wrong = [{ checks: { after: { interval: 'never' } } }, { agent: { 'trusted-ca-file': '/nowhere/ca.pem' } }];
  for (const [at, settings] of wrong.entries()) {
    await writeFile(own, JSON.stringify(settings));
    agent.kill('SIGHUP');
    const refused = 'configuration is invalid: the agent keeps its current configuration';
    await vi.waitFor(() => {
      expect(agent.records.filter(({ message }) => message === refused)).toHaveLength(at + 1);
    });
  }

  await writeFile(own, JSON.stringify({ checks: { after: everySecond('echo after') } }));
  agent.kill('SIGHUP');
  await vi.waitFor(() => expect(backend.results('after')).not.toEqual([]));
  expect(backend.results('deregistration')).toEqual([]);

  agent.kill('SIGTERM');
  expect(await agent.ended).toMatchObject({ code: 0 });
  expect(backend.results('deregistration')).toHaveLength(1);
});

test('a second stop signal makes the agent stop without waiting for a running check', async () => {
  const backend = await AgentBackend.open();
  const { args } = await folders();
  const agent = startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
  backend.request({ name: 'slow', issued: 1, command: 'sleep 600' });
  backend.request({ name: 'quick', issued: 1, command: 'true' });
  await vi.waitFor(() => expect(backend.results('quick')).toHaveLength(1));
  agent.kill('SIGTERM');
  await vi.waitFor(() => expect(agent.records.at(-1)?.message).toBe('agent stopping'));
  agent.kill('SIGTERM');
  expect((await agent.ended).code).toBe(0);
  expect(backend.results('slow')).toEqual([]);
});

/** Waits until an input of an agent listens, and returns its port. */
async function portOf(agent: ReturnType<typeof startAgent>, input: 'tcp' | 'udp' | 'http'): Promise<number> {
  return await vi.waitFor(() => {
    const record = agent.records.find((found) => found['input'] === input);
    expect(record?.message).toBe('listening for results of local programs');
    return Number(record?.['port']);
  });
}

test('results of local programs are delivered and signed like results of checks', async () => {
  const backend = await AgentBackend.open();
  const { args } = await folders({
    client: {
      name: 'web1',
      signature: 'abc',
      socket: { port: 0 },
      http_socket: { port: 0, user: 'ops', password: 'pw' },
    },
  });
  const agent = startAgent(['start', '--backend', backend.url, ...args]);
  const [tcp, http] = [await portOf(agent, 'tcp'), await portOf(agent, 'http')];

  const socket = connect(tcp, '127.0.0.1');
  socket.write('{"name": "over-tcp", "output": ":::name:::"}');
  expect(await text(socket)).toBe('ok');
  const answer = await fetch(`http://127.0.0.1:${String(http)}/results`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name": "over-http", "output": "x", "status": 2}',
  });
  expect(answer.status).toBe(202);
  await vi.waitFor(() => {
    expect(backend.results('over-tcp')).toMatchObject([{ output: ':::name:::', status: 0 }]);
    expect(backend.results('over-http')).toMatchObject([{ output: 'x', status: 2 }]);
  });
  expect(backend.signatures).toEqual(['abc', 'abc']);

  const settings = await fetch(`http://127.0.0.1:${String(http)}/settings`, {
    headers: { Authorization: `Basic ${btoa('ops:pw')}` },
  });
  expect(await settings.json()).toMatchObject({
    client: { name: 'web1', http_socket: { user: 'ops', password: 'REDACTED' } },
  });
  expect(backend.keepalives[0]).toMatchObject({ http_socket: { password: 'REDACTED' } });
});

test('an agent logs that the port of an input is in use and continues', async () => {
  const backend = await AgentBackend.open();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const { args } = await folders({ client: { name: 'web1', socket: { port } } });
  const agent = startAgent(['start', '--backend', backend.url, ...args]);
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
  expect(agent.records.filter(({ level }) => level === 'warn')).toMatchObject([
    {
      input: 'tcp',
      port,
      message:
        'the address is in use, so local programs cannot send results over tcp: ' +
        'set another port in client.socket, or set its "enabled" to false',
    },
  ]);
});

describe('an agent with deregister: true', () => {
  test('an agent with deregister: true sends its deregistration after the results of running checks', async () => {
    const backend = await AgentBackend.open();
    const { args } = await folders({
      client: { name: 'web1', deregister: true, deregistration: { handler: 'cmdb', status: 2, team: 'ops' } },
    });
    const agent = startAgent(['start', '--backend', backend.url, ...args]);
    await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
    backend.request({ name: 'last', issued: 1, command: 'sleep 0.2' });
    backend.request({ name: 'quick', issued: 1, command: 'true' });
    await vi.waitFor(() => expect(backend.results('quick')).toHaveLength(1));
    agent.kill('SIGTERM');
    expect((await agent.ended).code).toBe(0);
    expect(backend.committed.map(({ check }) => check['name'])).toEqual(['quick', 'last', 'deregistration']);
    expect(backend.results('deregistration')).toEqual([
      {
        name: 'deregistration',
        output: 'client initiated deregistration',
        status: 2,
        handler: 'cmdb',
        team: 'ops',
        issued: expect.any(Number),
        executed: expect.any(Number),
      },
    ]);
  });

  test('an agent that is not connected when it stops does not deregister, not even at its next start', async () => {
    const { args } = await folders({ client: { name: 'web1', deregister: true } });
    const agent = startAgent(['start', '--backend', 'http://127.0.0.1:1', ...args]);
    await vi.waitFor(() =>
      expect(agent.records.map(({ message }) => message)).toContain('not connected to the backend'),
    );
    agent.kill('SIGTERM');
    expect((await agent.ended).code).toBe(0);
    expect(agent.records.map(({ message }) => message)).toContain(
      'client was not deregistered: the agent is not connected to a backend',
    );
    const backend = await AgentBackend.open();
    startAgent(['start', '--backend', backend.url, ...args]);
    await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
    backend.request({ name: 'quick', issued: 1, command: 'true' });
    await vi.waitFor(() => expect(backend.committed).toMatchObject([{ check: { name: 'quick' } }]));
  });
});

test('agent settings in files override settings in the environment', async () => {
  const backend = await AgentBackend.open();
  const { args } = await folders({ client: { address: '10.0.0.1' } });
  startAgent(['start', ...args], {
    MON_AGENT_BACKEND: backend.url,
    MON_AGENT_NAME: 'web7',
    MON_AGENT_ADDRESS: '10.0.0.9',
    MON_AGENT_SUBSCRIPTIONS: 'a,b',
  });
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
  expect(backend.keepalives[0]).toMatchObject({
    name: 'web7',
    address: '10.0.0.1',
    subscriptions: ['a', 'b', 'client:web7'],
  });
});

test('mon-agent reads its credentials from the environment and never logs them', async () => {
  const backend = await AgentBackend.open();
  const { args } = await folders();
  const agent = startAgent(['start', '--backend', backend.url, ...args], { MON_AGENT_CREDENTIALS: 'web1:s3cret' });
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
  expect(backend.authorizations).toEqual([`Basic ${Buffer.from('web1:s3cret').toString('base64')}`]);
  expect(JSON.stringify(agent.records)).not.toContain('s3cret');
});

describe('the command line', () => {
  test('mon-agent version prints the version', async () => {
    const agent = startAgent(['version']);
    expect((await agent.ended).code).toBe(0);
    expect(agent.records.map(({ message }) => message)).toEqual(['mon-agent version 1.0.0']);
  });

  test.each([[['--help']], [['start', '--help']]])(
    'mon-agent with the arguments %j prints its usage and starts nothing',
    async (args) => {
      const agent = startAgent(args);
      expect((await agent.ended).code).toBe(0);
      expect(agent.records.map(({ message }) => message).join('\n')).toContain('mon-agent start [options]');
    },
  );

  test.each<{ args: string[]; expectedMessage: RegExp }>([
    { args: [], expectedMessage: /usage: mon-agent start \| version; see mon-agent --help/ },
    { args: ['sing'], expectedMessage: /usage: mon-agent start \| version/ },
    { args: ['start', 'now'], expectedMessage: /usage: mon-agent start \| version/ },
    { args: ['start', '--colour'], expectedMessage: /--colour/ },
    {
      args: ['start', '--backend', 'mon.example.org'],
      expectedMessage: /the backend must be a URL like http:\/\/127\.0\.0\.1:4567/,
    },
    {
      args: ['start', '--name', 'web 1'],
      expectedMessage: /client\.name: must be word characters, dots and hyphens only/,
    },
    {
      args: ['start', '--log-level', 'loud'],
      expectedMessage: /command line: agent\.log-level: expected one of "debug"/,
    },
    {
      args: ['start', '--max-checks', '0'],
      expectedMessage: /command line: agent\.max-checks: expected number to be >=1/,
    },
    {
      args: ['start', '-d', '/nowhere/at/all'],
      expectedMessage: /\/nowhere\/at\/all: there is no such file or directory/,
    },
  ])('mon-agent rejects the arguments $args with exit code 2', async ({ args, expectedMessage }) => {
    const dir = await tempDir();
    const { code, stderr } = await startAgent([...args, ...(args.length === 0 ? [] : ['--state-dir', dir])]).ended;
    expect(stderr).toMatch(expectedMessage);
    expect(code).toBe(2);
  });
});
