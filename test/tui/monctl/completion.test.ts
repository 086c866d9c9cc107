import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { COMPLETION_SCRIPTS } from '../../../tui/monctl/completion-scripts.ts';
import { MONCTL, runMonctl } from '../../support/run-monctl.ts';
import { startBackend } from '../../support/running-backend.ts';
import type { RunningBackend } from '../../support/running-backend.ts';
import { deadUrl, startScriptedServer } from '../../support/scripted-server.ts';

const SETTINGS = {
  checks: {
    disk: { command: 'df', subscribers: ['web'], interval: 60 },
    http: { command: 'curl', subscribers: ['web'], interval: 60 },
  },
};

let backend: RunningBackend;

beforeAll(async () => {
  backend = await startBackend({ settings: SETTINGS });
  const api = openApiClient({ backend: backend.url, env: {} });
  await api.saveClient({ name: 'web-001', address: 'a', subscriptions: ['web'] });
  await api.saveClient({ name: 'db-001', address: 'a', subscriptions: ['db'] });
  await api.submitResults([
    { source: 'web-001', name: 'http', status: 2, output: 'x', aggregates: ['shop', 'shop|a'] },
    { source: 'web-001', name: 'load', status: 0, output: 'x' },
  ]);
  await api.silence({ subscription: 'client:web-001' });
  await api.silence({ check: 'http' });
  await api.saveStash({ path: 'deploy/web', content: {} });
  await api.saveStash({ path: '$(touch pwned)', content: {} });
  await api.saveStash({ path: 'a b; `id`', content: {} });
  const objects = [
    { type: 'Namespace', spec: { name: 'staging' } },
    { type: 'CheckConfig', metadata: { name: 'swap' }, spec: { command: 'swap', interval: 60 } },
    { type: 'Entity', metadata: { name: 'db-9' }, spec: { entity_class: 'proxy' } },
    {
      type: 'Event',
      spec: { entity: { metadata: { name: 'db-9' } }, check: { metadata: { name: 'disk' }, status: 1 } },
    },
    { type: 'Silenced', spec: { subscription: 'entity:db-9', check: 'disk' } },
  ];
  const input = JSON.stringify(objects);
  const made = ['create', '-f', '-', '--namespace', 'staging'];
  await runMonctl(made, { MON_BACKEND: backend.url }, { input });
});
afterAll(() => backend[Symbol.asyncDispose]());

/** Returns the completion candidates for the last word of a line. After a trailing blank, the last word is empty. */
async function candidates(line: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runMonctl(['__complete', '--', ...line.split(' ')], {
    MON_BACKEND: backend.url,
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((one) => one !== '');
}

test.each<[string, readonly string[]]>([
  ['ev', ['event']],
  ['event ', ['list', 'follow', 'info', 'explain', 'resolve', 'delete', 'timeline', 'availability']],
  ['silenced up', ['update']],
  ['-o json event li', ['list']],
  ['event list --stat', ['--status']],
  ['event list --status ', ['ok', 'warn', 'crit', 'unknown']],
  ['event list -o y', ['yaml']],
  ['event list --output=t', ['--output=table']],
  ['event info ', ['db-001', 'web-001']],
  ['event info web-001 ', ['http']],
  ['result info web-001 ', ['http', 'load']],
  ['result submit web-001 http ', ['ok', 'warn', 'crit', 'unknown']],
  ['client info w', ['web-001']],
  ['client info --output json w', ['web-001']],
  ['client list --subscription w', ['web']],
  ['event list --client=w', ['--client=web-001']],
  ['check info ', ['disk', 'http']],
  ['event list --check ', ['disk', 'http', 'load']],
  ['silenced create --check l', ['load']],
  ['check rename disk h', ['http']],
  ['silenced delete ', ['*:http', 'client:web-001:*']],
  ['silenced delete client:', ['client:web-001:*']],
  ['aggregate info ', ['shop']],
  ['aggregate results shop c', ['critical']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['stash info ', ['deploy/web']],
  ['namespace delete ', ['default', 'staging']],
  ['event list --namespace s', ['staging']],
  ['check delete --namespace staging ', ['swap']],
  ['event info --namespace staging ', ['db-9']],
  ['event info --namespace staging db-9 ', ['disk']],
  ['entity delete --namespace=staging ', ['db-9']],
  ['silenced delete --namespace staging ', ['client:db-9:disk']],
  ['user create bob --groups v', ['viewers']],
  ['api-key create bob --scopes re', ['read', 'resolve']],
  [
    'dump ',
    [
      'all',
      'namespaces',
      'clusterroles',
      'clusterrolebindings',
      'roles',
      'rolebindings',
      'filters',
      'mutators',
      'handlers',
      'pipelines',
      'assets',
      'hooks',
      'checks',
      'silenced',
      'entities',
      'events',
      'on-call-overrides',
      'users',
      'apikeys',
    ],
  ],
  ['dump all --format w', ['wrapped-json']],
  ['event list extra ', []],
  ['nonsense ', []],
  ['client create --file ', []],
])('completion offers the right candidates for the command line "monctl %s"', async (line, expected) => {
  expect(await candidates(line)).toEqual(expected);
});

test('completion offers every command and all of its options', async () => {
  expect(await candidates('')).toEqual(
    expect.arrayContaining([
      'event',
      'silence',
      'client',
      'check',
      'result',
      'aggregate',
      'stash',
      'health',
      'version',
    ]),
  );
  expect(await candidates('client delete --')).toEqual(
    expect.arrayContaining([
      '--invalidate',
      '--invalidate-expire',
      '--dry-run',
      '--skip-confirm',
      '--backend',
      '--help',
    ]),
  );
});

test('completion leaves out names that a shell would change', async () => {
  const names = [
    'ok-1',
    'a b',
    'x;id',
    '$(id)',
    '`id`',
    "it's",
    'a"b',
    'a|b',
    'a&b',
    '-rf',
    '\u001b[2J',
    'naïve',
    '~',
    '#c',
    'a\nb',
    '{x,y}',
  ];
  const { url } = await startScriptedServer(() => ({
    status: 200,
    body: names.map((path) => ({ path, content: {}, expire: -1 })),
  }));
  const { stdout } = await runMonctl(['__complete', '--', 'stash', 'info', ''], { MON_BACKEND: url });
  expect(stdout).toBe('ok-1\n');
});

test.each<[string, () => Promise<string>]>([
  ['an unreachable backend', () => deadUrl()],
  ['an invalid backend address', () => Promise.resolve('nonsense')],
  ['a backend that rejects the credentials', async () => (await startScriptedServer(() => ({ status: 401 }))).url],
  ['a backend that returns HTML', async () => (await startScriptedServer(() => ({ status: 200, body: '<html>' }))).url],
])('completion prints nothing and does not fail with %s', async (_, url) => {
  expect(await runMonctl(['__complete', '--', 'client', 'info', ''], { MON_BACKEND: await url() })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('completion offers at most two hundred candidates and requests at most two thousand names', async () => {
  const clients = Array.from({ length: 2000 }, (_, at) => ({ name: `c-${String(at)}` }));
  const { url, seen } = await startScriptedServer(() => ({ status: 200, body: clients }));
  const { stdout } = await runMonctl(['__complete', '--', 'client', 'info', ''], { MON_BACKEND: url });
  expect(stdout.trimEnd().split('\n')).toHaveLength(200);
  expect(seen.map(({ path }) => path)).toEqual(['/clients?limit=2000']);
});

test('completion queries the backend that the command line names', async () => {
  const { url, seen } = await startScriptedServer(() => ({ status: 200, body: [] }));
  for (const option of [['--backend', url], [`--backend=${url}`]]) {
    await runMonctl(['__complete', '--', ...option, 'client', 'info', ''], { MON_BACKEND: 'http://127.0.0.1:1' });
  }
  expect(seen).toHaveLength(2);
});

/**
 * Returns the completions of a line with the cursor at its end, from the script in a real bash with a real `monctl`.
 */
async function completedByBash(line: string): Promise<readonly string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'monctl'), `#!/bin/sh\nexec "${process.execPath}" "${MONCTL}" "$@"\n`, { mode: 0o755 });
  await symlink(process.execPath, join(dir, 'node'));
  const script = [
    COMPLETION_SCRIPTS['bash'] ?? '',
    'COMP_LINE=$1 COMP_POINT=${#1}',
    '_monctl',
    'for one in "${COMPREPLY[@]}"; do printf "<%s>\\n" "$one"; done',
  ].join('\n');
  const bash = spawn('bash', ['--norc', '-c', script, 'bash', line], {
    cwd: dir,
    env: { PATH: `${dir}:${process.env['PATH'] ?? ''}`, MON_BACKEND: backend.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (await text(bash.stdout)).split('\n').filter((one) => one !== '');
}

const hasBash = spawnSync('bash', ['-c', ':']).status === 0;

describe.runIf(hasBash)('the bash completion of monctl', () => {
  test.each([
    ['monctl client info w', ['<web-001>']],
    ['monctl client info ', ['<db-001>', '<web-001>']],
    // For bash a colon ends a word, so only the part after the last colon is completed.
    ['monctl silence delete client:w', ['<web-001:*>']],
    ['monctl event list --client=w', ['<web-001>']],
    ['monctl stash info ', ['<deploy/web>']],
  ])('the bash completion completes "%s"', async (line, expected) => {
    expect(await completedByBash(line)).toEqual(expected);
  });
});

test.each(Object.keys(COMPLETION_SCRIPTS))(
  'monctl completion %s prints the completion script of that shell',
  async (shell) => {
    const { code, stdout } = await runMonctl(['completion', shell]);
    expect([code, stdout]).toEqual([0, COMPLETION_SCRIPTS[shell]]);
    expect(stdout).toContain('monctl __complete --');
  },
);
