import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { startCluster } from '../../support/cluster-peer.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { startScriptedServer, type ScriptedResponse } from '../../support/scripted-server.ts';

let backend: RunningBackend;

beforeAll(async () => {
  backend = await startBackend({
    settings: { 'entity-limit': 1, checks: { disk: { command: 'df', subscribers: ['web'], interval: 60 } } },
  });
  await monctl(['namespace', 'create', 'staging']);
});
afterAll(() => backend[Symbol.asyncDispose]());

function monctl(line: readonly string[], options?: Parameters<typeof runMonctl>[2]): Promise<MonctlRun> {
  return runMonctl(line, { MON_BACKEND: backend.url }, options);
}

const CHECKS = `
type: CheckConfig
api_version: core/v2
metadata: {name: swap}
spec: {command: swap, interval: 60, subscriptions: [web]}
---
type: CheckConfig
metadata: {name: cron, namespace: staging}
spec: {command: cron, cron: "0 5 * * *"}
`;

test('monctl creates, replaces and deletes the objects of a file in the namespace of the object or the option', async () => {
  const line = ['create', '-f', '-', '--namespace', 'staging'];
  const created = 'Created CheckConfig staging/swap\nCreated CheckConfig staging/cron\n';
  expect(await monctl(line, { input: CHECKS })).toEqual({ code: 0, stdout: created, stderr: '' });
  expect(await monctl(line, { input: CHECKS.replace('60', '90') })).toMatchObject({ code: 0 });
  const { stdout } = await monctl(['check', 'info', 'swap', '--namespace', 'staging', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ interval: 90 });

  const remove = ['delete', '-f', '-', '--namespace', 'staging'];
  expect(await monctl(remove, { input: CHECKS, answer: 'no' })).toMatchObject({ code: 7, stdout: '' });
  expect(await monctl(remove, { input: CHECKS })).toEqual({
    code: 0,
    stdout: 'Deleted CheckConfig staging/cron\nDeleted CheckConfig staging/swap\n',
    stderr: '',
  });
  expect((await monctl(remove, { input: CHECKS })).stdout).toMatch(/^Not found CheckConfig staging\/cron\n/);
});

test('the dry run of monctl create names the objects and sends nothing', async () => {
  expect(await monctl(['create', '-f', '-', '--dry-run'], { input: CHECKS })).toEqual({
    code: 0,
    stdout: 'would create CheckConfig default/swap\nwould create CheckConfig staging/cron\nnothing was sent\n',
    stderr: '',
  });
  expect(await monctl(['check', 'info', 'cron', '--namespace', 'staging'])).toMatchObject({ code: 3 });
});

const OBJECTS = `
{type: Namespace, spec: {name: compared}}
---
{type: CheckConfig, metadata: {name: load, namespace: compared, labels: {team: ops}},
 spec: {command: load, interval: 60, subscriptions: [web], proxy_requests: {entity_attributes: ["true"]}, pipelines: [{name: p}]}}
---
{type: Handler, metadata: {name: mail, namespace: compared}, spec: {type: pipe, command: cat, timeout: 5}}
---
{type: EventFilter, metadata: {name: often, namespace: compared}, spec: {action: allow, expressions: ["true"]}}
---
{type: Mutator, metadata: {name: short, namespace: compared}, spec: {command: head}}
---
{type: HookConfig, metadata: {name: ps, namespace: compared}, spec: {command: ps, timeout: 5}}
---
{type: Asset, metadata: {name: probe, namespace: compared}, spec: {url: "https://a.example/x", sha512: "${'a1'.repeat(64)}"}}
---
{type: Pipeline, metadata: {name: p, namespace: compared}, spec: {workflows: [{name: w, handler: {name: mail, type: Handler, api_version: core/v2}}]}}
---
{type: Role, metadata: {name: readers, namespace: compared}, spec: {rules: [{verbs: [get], resources: [checks]}]}}
---
{type: RoleBinding, metadata: {name: readers, namespace: compared},
 spec: {role_ref: {type: Role, name: readers}, subjects: [{type: User, name: ada}]}}
---
{type: Silenced, metadata: {name: 'entity:a:load', namespace: compared}, spec: {subscription: 'entity:a', check: load}}
`;

test('the dry run of monctl create compares each object with the backend and names the fields that differ', async () => {
  const line = ['create', '-f', '-', '--dry-run'];
  const outcomes = async (input: string): Promise<readonly string[]> => {
    const { code, stdout } = await monctl(line, { input });
    expect(code).toBe(0);
    return stdout.trimEnd().split('\n').slice(0, -1);
  };
  const created = await outcomes(OBJECTS.replace(/^[^]*?---/, ''));
  expect(created).toHaveLength(10);
  for (const outcome of created) expect(outcome).toMatch(/^would create \w+ compared\/[\w:]+$/);
  const made = await monctl(['create', '-f', '-'], { input: OBJECTS });
  expect(made.stdout).not.toContain('Refused');
  const after = await outcomes(OBJECTS);
  expect(after).toHaveLength(11);
  for (const outcome of after.slice(0, -1)) expect(outcome).toMatch(/^unchanged \w+ [\w/]+$/);
  expect(after.at(-1)).toBe('would update Silenced compared/entity:a:load');
  const changed = await outcomes(
    OBJECTS.replace('interval: 60', 'interval: 90, ttl: 200')
      .replace('team: ops', 'team: dev')
      .replace('timeout: 5', ''),
  );
  expect(changed.slice(1, 3)).toEqual([
    'would update CheckConfig compared/load: interval, metadata.labels.team, ttl',
    'would update Handler compared/mail: timeout',
  ]);
  const json = await monctl([...line, '-o', 'json'], { input: OBJECTS.replace('interval: 60', 'interval: 90') });
  expect((JSON.parse(json.stdout) as { objects: unknown[] }).objects[1]).toEqual({
    outcome: 'update',
    object: 'CheckConfig compared/load',
    fields: ['interval'],
  });
  const { stdout } = await monctl(['check', 'info', 'load', '--namespace', 'compared', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ interval: 60 });
});

test('a dry run of monctl names rejected and missing objects, and exits with 9 if an object is rejected', async () => {
  const foreign = '{type: TCPStreamHandler, api_version: pipeline/v1, metadata: {name: x}, spec: {}}\n---\n';
  const { code, stdout, stderr } = await monctl(['create', '-f', '-', '--dry-run'], { input: foreign + CHECKS });
  expect(code).toBe(9);
  expect(stdout).toMatch(/^would be refused: TCPStreamHandler \S*x: .+\nwould create CheckConfig default\/swap\n/);
  expect(stderr).toContain('1 of 3 objects would be refused');
  const removed = await monctl(['delete', '-f', '-', '--dry-run'], { input: CHECKS });
  expect(removed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^not there CheckConfig default\/swap\n/) });
});

test('monctl creates an object that will not work as intended and prints a warning to stderr', async () => {
  const input = `
{type: EventFilter, metadata: {name: typo}, spec: {action: allow, expressions: ["event.chek.status == 2"]}}
---
{type: CheckConfig, metadata: {name: snmp}, spec: {command: 'snmp {{ .name }}', interval: 5,
  proxy_requests: {entity_attributes: ["entity.lables.x == 'a'"]}}}
---
{type: EventFilter, metadata: {name: right}, spec: {action: allow, expressions: ["event.check.status == 2"]}}
`;
  const ofFilter =
    'the expression "event.chek.status == 2" uses event.chek, ' +
    'which has no value unless the data contains an attribute of that name: did you mean event.check?';
  const ofCheck =
    'the expression "entity.lables.x == \'a\'" uses entity.lables, ' +
    'which has no value unless the data contains an attribute of that name: did you mean entity.labels?';
  const risky = expect.stringMatching(/^the check has tokens in a shell command: /);
  const { code, stdout, stderr } = await monctl(['create', '-f', '-'], { input });
  expect([code, stdout]).toEqual([
    0,
    'Created EventFilter default/typo\nCreated CheckConfig default/snmp\nCreated EventFilter default/right\n',
  ]);
  const lines = stderr.split('\n');
  expect(lines).toEqual([
    `EventFilter default/typo: ${ofFilter}`,
    expect.stringMatching(/^CheckConfig default\/snmp: the check has tokens in a shell command: /),
    `CheckConfig default/snmp: ${ofCheck}`,
    '',
  ]);

  const asJson = await monctl(['create', '-f', '-', '-o', 'json'], { input });
  expect(asJson.stderr).toBe('');
  expect(
    asJson.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual([
    { outcome: 'Created', object: 'EventFilter default/typo', warnings: [ofFilter] },
    { outcome: 'Created', object: 'CheckConfig default/snmp', warnings: [risky, ofCheck] },
    { outcome: 'Created', object: 'EventFilter default/right' },
  ]);
});

test('monctl prints the same warnings for a check that is created by options as for a check in a file', async () => {
  const line = ['check', 'create', 'ping', '--command', 'ping {{ .name }}', '--interval', '60'];
  const { code, stdout, stderr } = await monctl([...line, '--subscriptions', 'web']);
  expect([code, stdout]).toEqual([0, 'Created\n']);
  expect(stderr).toMatch(/^ping: the check has tokens in a shell command: /);
});

test('monctl create reports a rejected object with the reason and continues with the other objects', async () => {
  const input = `
{type: CheckConfig, metadata: {name: disk}, spec: {command: mine, interval: 5}}
---
{type: Extension, metadata: {name: tool}, spec: {url: x}}
---
{type: Secret, api_version: secrets/v1, metadata: {name: token}, spec: {provider: env}}
---
{type: CheckConfig, metadata: {name: wrong}, spec: {command: wrong}}
---
{type: CheckConfig, metadata: {name: fine}, spec: {command: fine, interval: 5}}
`;
  const { code, stdout, stderr } = await monctl(['create', '-f', '-'], { input });
  expect([code, stderr]).toEqual([9, 'monctl: 4 of 5 objects rejected\n']);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'Rejected CheckConfig default/disk: disk is defined in the configuration file; change it there',
    'Rejected Extension tool: the type core/v2.Extension is not supported',
    expect.stringMatching(/^Rejected Secret token: secrets are not fetched from providers: use/),
    expect.stringMatching(/^Rejected CheckConfig default\/wrong: interval: /),
    'Created CheckConfig default/fine',
  ]);
});

test('an entity beyond the entity limit is rejected with the setting first and then the message of Sensu Go', async () => {
  const input = '{type: Entity, metadata: {name: a}, spec: {entity_class: proxy}}\n';
  expect(await monctl(['create', '-f', '-'], { input })).toMatchObject({ code: 0 });
  expect(await monctl(['create', '-f', '-'], { input: input.replace('a}', 'b}') })).toEqual({
    code: 4,
    stdout: expect.stringMatching(/^Rejected Entity default\/b: entity-limit is reached: raise it/) as string,
    stderr: expect.stringMatching(
      /^monctl: entity-limit is reached: raise it.*This functionality requires a valid license with a sufficient entity limit\./,
    ) as string,
  });
});

test('monctl entity list prints the warning of the backend when the entity limit is near', async () => {
  const { code, stderr } = await monctl(['entity', 'list']);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/1\/1/)]);
});

test('monctl create rejects an exact dump and refers to monctl restore', async () => {
  const { stdout } = await monctl(['dump', 'entities']);
  const { code, stdout: output } = await monctl(['create', '-f', '-'], { input: stdout });
  expect(code).toBe(2);
  expect(output).toMatch(/^Rejected Entity default\/a: this object is part of an exact dump: use monctl restore/);
});

test('monctl shows the id of an API key whose name is the key itself', async () => {
  const KEY = '83abef1e-e7d7-4beb-91fc-79ad90084d5b';
  await monctl(['create', '-f', '-'], { input: `{type: User, spec: {username: ada, password: long enough}}` });
  const input = `{type: APIKey, api_version: core/v2, metadata: {name: ${KEY}}, spec: {username: ada}}`;
  const asked = await monctl(['create', '-f', '-', '--dry-run'], { input });
  const [, id = ''] = /^would create APIKey ([\da-f]{16})\n/.exec(asked.stdout) ?? [];
  expect(await monctl(['create', '-f', '-'], { input })).toMatchObject({ code: 0, stdout: `Created APIKey ${id}\n` });
  expect((await monctl(['api-key', 'list'])).stdout).toContain(id);
  const created = await monctl(['create', '-f', '-', '--output', 'json'], { input });
  expect(JSON.parse(created.stdout)).toMatchObject({ outcome: 'Created', object: `APIKey ${id}` });
  const deleted = await monctl(['delete', '-f', '-', '--skip-confirm'], { input });
  expect(deleted).toMatchObject({ code: 0, stdout: `Deleted APIKey ${id}\n` });
});

test.each([
  ['a missing option for the file', ['create'], '', /set the file/],
  ['a file without objects', ['create', '-f', '-'], '# nothing\n', /contains no objects/],
  ['an object without a name', ['create', '-f', '-'], 'type: CheckConfig\nspec: {}', /the object has no name/],
  ['a file that does not exist', ['create', '-f', '/nope/x.yml'], '', /cannot be read/],
])('monctl create rejects its input before anything is sent: %s', async (_what, line, input, message) => {
  const { code, stderr } = await monctl(line, { input });
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

/** Responds like a backend of Sensu Go: lists have pages, and the mon API does not exist. */
function sensuGoResponse(path: string): ScriptedResponse {
  if (path.startsWith('/api/mon')) return { status: 404, body: { message: 'not found', code: 2 } };
  if (path.includes('/users')) return { status: 402, body: { message: 'no license', code: 6 } };
  if (path.includes('/silenced')) return { status: 403, body: { Message: 'request unauthorized', Code: 4 } };
  if (!path.includes('/checks')) return { status: 200, body: [] };
  const isSecond = path.includes('continue=NEXT');
  const name = isSecond ? 'b' : 'a';
  return {
    status: 200,
    body: [{ metadata: { name, namespace: 'default' }, command: 'x', interval: 60 }],
    ...(isSecond ? {} : { headers: { 'Sensu-Continue': 'NEXT' } }),
  };
}

test('monctl dump reads the objects of Sensu Go page by page and names object types that it may not read', async () => {
  const server = await startScriptedServer(({ path }) => sensuGoResponse(path));
  const line = ['dump', 'checks,users,silenced', '--all-namespaces', '--backend', server.url];
  const { code, stdout, stderr } = await runMonctl(line);
  expect([code, stderr]).toEqual([
    0,
    'Silenced: skipped, because request unauthorized\nUser: skipped, because no license\n',
  ]);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
  expect(objects.filter((object) => object !== null)).toEqual([
    {
      type: 'CheckConfig',
      api_version: 'core/v2',
      metadata: { name: 'a', namespace: 'default' },
      spec: { command: 'x', interval: 60 },
    },
    {
      type: 'CheckConfig',
      api_version: 'core/v2',
      metadata: { name: 'b', namespace: 'default' },
      spec: { command: 'x', interval: 60 },
    },
  ]);
  expect(stdout).toMatch(/^# complete: 2 objects$/m);
  expect(server.seen.map(({ path }) => path).filter((path) => path.includes('checks'))).toEqual([
    '/api/core/v2/checks?limit=100',
    '/api/core/v2/checks?limit=100&continue=NEXT',
  ]);
  // With --output json, the messages on stderr are the same.
  expect((await runMonctl([...line, '--output', 'json'])).stderr).toBe(stderr);
});

test('monctl dump of a Sensu Go cluster exchanges user and password for a token', async () => {
  const server = await startCluster({ login: 'admin:P@ssw0rd!' });
  const line = ['dump', 'checks', '--all-namespaces', '--backend', server.url];
  const dumped = await runMonctl(line, { MON_CREDENTIALS: 'admin:P@ssw0rd!' });
  expect(dumped).toMatchObject({ code: 0, stdout: expect.stringContaining('name: disk') as string });
  const wrong = await runMonctl(line, { MON_CREDENTIALS: 'admin:wrong' });
  expect(wrong).toMatchObject({ code: 4, stdout: expect.not.stringContaining('disk') as string });
});

test('a failed monctl dump leaves no file behind', async () => {
  const server = await startScriptedServer(({ path }) =>
    path.includes('Handler') ? { status: 500 } : { status: 200, body: { objects: [], continue: null } },
  );
  const file = `/tmp/mon-test-dump-${String(process.pid)}`;
  const line = ['dump', 'all', '--file', file, '--backend', server.url];
  expect(await runMonctl(line)).toMatchObject({ code: 1 });
  expect(await runMonctl(['restore', file, '--backend', server.url])).toMatchObject({ code: 2 });
});
