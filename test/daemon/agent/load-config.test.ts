import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readAgentConfig, type LoadedAgentConfig } from '../../../daemon/agent/load-config.ts';
import { tempDir } from '../../support/temp-dir.ts';

const loadDirectories = async (...directories: string[]): Promise<LoadedAgentConfig> =>
  await readAgentConfig({ directories, env: {} });

async function directoryWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const dir = await tempDir();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return dir;
}

test('definitions from several configuration directories are merged, and later directories override earlier ones', async () => {
  const first = await directoryWith({
    'a.json': {
      checks: { disk: { command: 'df', standalone: true, interval: 60 } },
      client: { subscriptions: ['web'] },
    },
    'deep/er/b.json': { client: { rack: 'r7', subscriptions: ['all', 'web'] } },
    'readme.txt': 'not read',
    '.hidden.json': 'not read',
  });
  const second = await directoryWith({ 'c.json': { checks: { disk: { interval: 10 } } } });
  const { checks, client, warnings } = await loadDirectories(first, second);
  expect([...checks]).toEqual([['disk', { command: 'df', standalone: true, interval: 10 }]]);
  expect(client).toEqual({ subscriptions: ['web', 'all'], rack: 'r7' });
  expect(warnings).toEqual([]);
});

test('an agent without a configuration directory has the default settings and no checks', async () => {
  expect(await loadDirectories()).toEqual({
    agent: {
      backend: 'http://127.0.0.1:4567',
      namespace: 'default',
      'state-dir': 'var/agent',
      'insecure-skip-tls-verify': false,
      'log-level': 'info',
      'max-checks': 12,
    },
    checks: new Map(),
    client: {},
    files: [],
    settings: {},
    warnings: [],
  });
});

test('configuration files override the environment, and the command line overrides configuration files', async () => {
  const dir = await directoryWith({
    'agent.yml': 'agent:\n  backend: http://from-file:4567\n  max-checks: 3\nclient:\n  subscriptions: [web]\n',
  });
  const { agent, client, warnings } = await readAgentConfig({
    file: `${dir}/agent.yml`,
    directories: [],
    env: {
      MON_AGENT_BACKEND: 'http://from-environment:4567',
      MON_AGENT_MAX_CHECKS: '5',
      MON_AGENT_NAMESPACE: 'shop',
      MON_AGENT_STATE_DIR: '/from/environment',
      MON_AGENT_LOG_LEVEL: '',
      MON_AGENT_NAME: 'web1',
      MON_AGENT_SUBSCRIPTIONS: 'all,linux',
    },
    flags: { agent: { 'max-checks': 7 } },
  });
  expect(agent).toEqual({
    'insecure-skip-tls-verify': false,
    backend: 'http://from-file:4567',
    namespace: 'shop',
    'state-dir': '/from/environment',
    'log-level': 'info',
    'max-checks': 7,
  });
  expect(client).toEqual({ name: 'web1', subscriptions: ['all', 'linux', 'web'] });
  expect(warnings).toEqual([]);
});

test('a missing configuration file of an agent is reported with a warning', async () => {
  const { warnings } = await readAgentConfig({ file: '/no/such/agent.yml', directories: [], env: {} });
  expect(warnings).toEqual(['/no/such/agent.yml: the file does not exist: continuing without this file']);
});

test.each<{ env: Readonly<Record<string, string>>; problem: RegExp }>([
  { env: { MON_AGENT_MAX_CHECKS: 'many' }, problem: /environment: agent\.max-checks: expected number/ },
  { env: { MON_AGENT_LOG_LEVEL: 'loud' }, problem: /environment: agent\.log-level: expected one of "debug"/ },
])('invalid environment variables of mon-agent are rejected: $env', async ({ env, problem }) => {
  await expect(readAgentConfig({ directories: [], env })).rejects.toThrow(problem);
});

test('mon-agent warns about its own settings without effect, but not about settings of the backend', async () => {
  const dir = await directoryWith({
    'all.json': {
      handlers: { mail: { type: 'pipe', command: 'mail' } },
      api: { port: 4567 },
      redis: { host: 'localhost' },
      agent: { 'max-checks': 4 },
      checks: {
        disk: { extension: 'disk', standalone: true, cron: '* * * * *' },
        old: { extension: 'system_profile', standalone: true, interval: 60 },
      },
    },
  });
  const { warnings } = await loadDirectories(dir);
  expect(warnings).toEqual([
    `${dir}/all.json: redis: has no effect on an agent`,
    `${dir}/all.json: checks.old.extension: uses "system_profile", which is not a built-in check, ` +
      'so the agent never runs it: certificate, disk, http, load, memory, process, tcp',
  ]);
});

test.each<{ name: string; files: Record<string, unknown>; problems: string[] }>([
  {
    name: 'a file that is not JSON',
    files: { 'a.json': '{\n  "checks": {,}\n}' },
    problems: ['a.json, line 2, column 14: expected a name in double quotes'],
  },
  {
    name: 'several invalid definitions',
    files: {
      'a.json': { checks: { disk: { standalone: true, interval: 60 } } },
      'b.json': { checks: { 'lo ad': { command: 'uptime', standalone: true, interval: 60 } } },
    },
    problems: [
      'a.json: checks.disk.command: is required, unless extension is set',
      'b.json: checks.lo ad: must be word characters, dots and hyphens only',
    ],
  },
  {
    name: 'a section of the wrong kind',
    files: { 'a.json': { client: 'web1' } },
    problems: ['a.json: client: must be an object'],
  },
  {
    name: 'a key that could reach a prototype',
    files: { 'a.json': '{"client":{"__proto__":{"admin":true}}}' },
    problems: ['a.json, line 1, column 12: the field name "__proto__" is not allowed'],
  },
])('an agent configuration with $name is rejected with its file and path', async ({ files, problems }) => {
  const dir = await directoryWith(files);
  await expect(loadDirectories(dir)).rejects.toMatchObject({
    code: 'invalid',
    message: [
      `the configuration has ${problems.length === 1 ? '1 problem' : `${String(problems.length)} problems`}:`,
      ...problems.map((problem) => `${dir}/${problem}`),
    ].join('\n  '),
  });
});

test('the state directory comes from the installation unless the environment or a flag sets another', async () => {
  const sources = { directories: [], env: {}, stateDir: '/var/lib/mon-agent' };
  const stateDirOf = async (more: Partial<Parameters<typeof readAgentConfig>[0]>): Promise<string> =>
    (await readAgentConfig({ ...sources, ...more })).agent['state-dir'];
  expect(await stateDirOf({})).toBe('/var/lib/mon-agent');
  expect(await stateDirOf({ env: { MON_AGENT_STATE_DIR: '/said' } })).toBe('/said');
  expect(await stateDirOf({ flags: { agent: { 'state-dir': '/said' } } })).toBe('/said');
});

test('deprecated names of agent settings work with a warning, and attributes of the client keep underscores', async () => {
  const dir = await directoryWith({
    'a.json': {
      agent: { api_key: 'secret', log_level: 'warn', state_dir: 'spool' },
      client: { log_level: 'x' },
    },
  });
  const { agent, client, warnings } = await readAgentConfig({
    directories: [dir],
    env: { MON_AGENT_STATE_DIR: 'other' },
    flags: { agent: { 'log-level': 'error' } },
  });
  expect(agent).toMatchObject({ 'api-key': 'secret', 'log-level': 'error', 'state-dir': 'spool' });
  expect(client).toEqual({ log_level: 'x' });
  expect(warnings.map((warning) => warning.replace(`${dir}/`, ''))).toEqual([
    'a.json: agent.api_key: is an old name: use api-key',
    'a.json: agent.log_level: is an old name: use log-level',
    'a.json: agent.state_dir: is an old name: use state-dir',
  ]);
});

test('a file with both names of an agent setting is rejected', async () => {
  const dir = await directoryWith({ 'a.json': { agent: { api_key_file: 'a', 'api-key-file': 'b' } } });
  await expect(loadDirectories(dir)).rejects.toThrow(
    'a.json: agent.api_key_file: is the old name of api-key-file, and both are set: remove one of them',
  );
});
