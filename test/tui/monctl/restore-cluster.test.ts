import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asking, basic } from '../../support/asking.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { aFile } from '../../support/upgrade-files.ts';

const FILE = fileURLToPath(new URL('../../support/sensu-go-cluster.yml', import.meta.url));

let backend: RunningBackend;
let restored: MonctlRun;
const lines = (): string[] => restored.stdout.trimEnd().split('\n');

beforeAll(async () => {
  // The user in the configuration keeps access to the backend after the restore creates the users of the dump.
  backend = await startBackend({ settings: { api: { user: 'me', password: 'let me in' } } });
  restored = await monctl('restore', FILE);
});
afterAll(() => backend[Symbol.asyncDispose]());

function monctl(...line: string[]): Promise<MonctlRun> {
  return runMonctl(line, { MON_BACKEND: backend.url, MON_CREDENTIALS: 'me:let me in' });
}

async function outputOf(...line: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await monctl(...line, '--namespace', 'shop', '--output', 'json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

test('monctl restore restores the supported objects of a dump of a real Sensu Go cluster', () => {
  expect(restored.code).toBe(9);
  expect(restored.stderr).toMatch(/has no end marker: it may be incomplete/);
  expect(lines().filter((line) => /^(?:created|replaced|unchanged)/.test(line))).toEqual([
    'unchanged TessenConfig',
    'unchanged Namespace default',
    'created Namespace shop',
    'unchanged ClusterRole cluster-admin',
    'unchanged ClusterRoleBinding cluster-admin',
    'created EventFilter shop/repeated',
    'created EventFilter shop/scripted',
    'created Mutator shop/only-check',
    'created Handler shop/slack',
    'created Pipeline shop/incidents',
    'created Asset shop/sensu/sensu-cpu-usage',
    'created HookConfig shop/ps-top',
    'created CheckConfig shop/check-cpu',
    'created CheckConfig shop/backup',
    'created Silenced shop/entity:web-1:check-cpu',
    'created Entity shop/web-1',
    'created Event shop/web-1/check-cpu',
    'created User admin',
    // In the dump the name of an API key is the key itself, so the message contains the id of the stored key instead.
    'created APIKey ff9844e9eb04ba2a',
  ]);
});

test('monctl restore names every object that it leaves out with the reason', () => {
  const left = lines().flatMap((line) => {
    const [, what, why] = /^skipped ([^:]+(?::\*)?): (.*)$/.exec(line) ?? [];
    return what === undefined || why === undefined ? [] : [{ what, why }];
  });
  expect(left.map(({ what }) => what)).toEqual([
    'Secret shop/slack_url',
    'ad corp',
    'BusinessService shop/checkout',
    'Silenced shop/linux:*',
    'User old',
  ]);
  for (const { why } of left) expect(why).toMatch(/\w+ \w+/);
});

test('monctl restore names attributes that are lost or have no effect, with the reason', () => {
  expect(lines().filter((line) => line.startsWith('  '))).toEqual([
    expect.stringMatching(/^ {2}runtime_assets: it is kept, but assets are not fetched/),
    expect.stringMatching(/^ {2}secrets: it is kept, but secrets are not fetched/),
    expect.stringMatching(/^ {2}runtime_assets: it is kept, but assets are not fetched/),
    expect.stringMatching(/^ {2}check\.history: only its statuses are kept/),
    '  groups.payments: groups of this name have no rights until a role binding contains them',
  ]);
});

test('occurrences, silences and times continue after a restore of a Sensu Go cluster dump', async () => {
  const ask = asking(backend.url, basic('me', 'let me in'));
  const { body } = await ask('GET', '/api/core/v2/namespaces/shop/events/web-1/check-cpu');
  expect(body).toMatchObject({
    id: '3a5948f3-6ffd-4ea2-a41e-334f4a72ca2f',
    timestamp: 1603386050,
    check: {
      status: 2,
      output: 'CRITICAL: 97%\n',
      state: 'failing',
      occurrences: 2,
      occurrences_watermark: 4,
      last_ok: 1603385930,
      executed: 1603386050,
      is_silenced: true,
      silenced: ['entity:web-1:check-cpu'],
      history: [{ status: 2 }, { status: 2 }],
    },
  });
  expect(await outputOf('silenced', 'info', 'entity:web-1:check-cpu')).toMatchObject({
    begin: 1603380000,
    expire: -1,
    creator: 'alice',
    reason: 'CHG-4412',
    expire_on_resolve: true,
  });
});

test('monctl restore creates definitions and entities as the Sensu Go cluster had them', async () => {
  expect(await outputOf('check', 'info', 'check-cpu')).toMatchObject({
    metadata: { annotations: { 'fatigue_check/occurrences': '3' }, labels: { 'sensu.io/managed_by': 'sensuctl' } },
    output_metric_format: 'nagios_perfdata',
    runtime_assets: ['sensu/sensu-cpu-usage'],
    subscriptions: ['linux'],
  });
  expect(await outputOf('entity', 'info', 'web-1')).toMatchObject({
    entity_class: 'agent',
    metadata: { labels: { region: 'eu' } },
    last_seen: 1603386060,
    subscriptions: ['linux', 'entity:web-1'],
    system: { os: 'linux', arch: 'amd64' },
  });
});

test('a second monctl restore of the same dump reports every object as unchanged', async () => {
  const { code, stdout, stderr } = await monctl('restore', FILE);
  expect(code).toBe(9);
  expect(stderr).toMatch(/^0 created, 0 replaced, 19 unchanged, 5 skipped$/m);
  expect(stdout).not.toMatch(/before they were verified/);
});

/** Returns an allow or deny filter as a document of a dump. */
function filter(name: string, expression: string, action = 'allow'): string {
  return JSON.stringify({
    type: 'EventFilter',
    api_version: 'core/v2',
    metadata: { name, namespace: 'default' },
    spec: { action, expressions: [expression] },
  });
}

test('monctl restore warns once of a filter with attributes that do not exist in Sensu Go filters', async () => {
  const file = await aFile(
    'filters.json',
    [
      filter('by-entity', "event.entity.metadata.name.indexOf('web') == 0 && event.entity.metadata.labels.a == 'b'"),
      filter('by-check', "event.check['metadata'].labels.hasOwnProperty('team')", 'deny'),
      filter('plain', "event.entity.name == 'web-1' && event.metadata.labels.x == 'y'"),
      filter('in-a-text', "event.check.output == 'event.check.metadata'"),
    ].join('\n'),
  );
  const { code, stderr } = await monctl('restore', file);
  expect(code).toBe(0);
  const remarks = stderr.split('\n').filter((line) => line.includes('does not exist in filters of Sensu Go'));
  expect(remarks).toEqual([
    expect.stringMatching(/^EventFilter default\/by-entity: it uses event\.entity\.metadata, /),
    expect.stringMatching(/^EventFilter default\/by-check: it uses event\.check\.metadata, /),
  ]);
  // The second restore changes nothing, so it prints no notes about Sensu Go.
  expect((await monctl('restore', file)).stderr).not.toContain('Sensu Go');
});
