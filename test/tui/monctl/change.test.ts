import { hostname, userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import { ALL_COMMANDS } from '../../../tui/monctl/run.ts';
import { Pty } from '../../support/pty.ts';
import { MONCTL, runMonctl } from '../../support/run-monctl.ts';
import type { MonctlRun } from '../../support/run-monctl.ts';
import { startBackend } from '../../support/running-backend.ts';
import type { RunningBackend } from '../../support/running-backend.ts';

/** The creator of a change if the environment does not set USER. */
const CREATOR = `${userInfo().username}@${hostname()}`;

const SETTINGS = { checks: { disk: { command: 'df', subscribers: ['web'], interval: 60 } } };

let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  backend = await startBackend({ settings: SETTINGS });
  api = openApiClient({ backend: backend.url, env: {} });
  await api.saveClient({ name: 'web-001', address: '192.0.2.1', subscriptions: ['web'] });
  await api.submitResults([
    { source: 'web-001', name: 'disk', status: 2, output: 'full', aggregates: ['shop'] },
    { source: 'web-001', name: 'http', status: 1, output: 'slow', aggregates: ['shop'] },
    { source: 'web-001', name: 'load', status: 0, output: 'ok' },
    { source: 'web-001', name: 'load-average', status: 0, output: 'ok' },
  ]);
  await api.silence({ subscription: 'web', check: 'http', reason: 'CHG-1', creator: 'bob', expire_on_resolve: true });
  await api.saveStash({ path: 'notes', content: { text: 'x' } });
});
afterAll(() => backend[Symbol.asyncDispose]());

function monctl(line: readonly string[], options?: Parameters<typeof runMonctl>[2]): Promise<MonctlRun> {
  return runMonctl(line, { MON_BACKEND: backend.url, USER: '' }, options);
}

/** Returns the complete state that a change could modify. */
async function wholeState(): Promise<unknown> {
  const [clients, results, events, silenced, stashes, aggregates] = await Promise.all([
    api.clients(),
    api.results(),
    api.events(),
    api.silenced(),
    api.stashes(),
    api.aggregates(),
  ]);
  return { clients, results, events, silenced, stashes, aggregates };
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`);
}

const DRY_RUNS: readonly {
  readonly line: readonly string[];
  readonly request: string;
  readonly body?: unknown;
  readonly effects: readonly (string | RegExp)[];
}[] = [
  {
    line: ['event', 'resolve', 'web-001', 'http'],
    request: 'POST /resolve',
    body: { client: 'web-001', check: 'http' },
    effects: [
      /^the event web-001\/http, WARN \(1\) for \w+, would be resolved$/,
      'the silence web:http would end with it',
    ],
  },
  {
    line: ['event', 'delete', 'web-001', 'disk'],
    request: 'POST /resolve',
    body: { client: 'web-001', check: 'disk' },
    effects: [/^the event web-001\/disk, CRIT \(2\) for \w+, would be resolved$/],
  },
  {
    line: ['silence', 'create', '--subscription', 'web', '--expire', '1h'],
    request: 'POST /silenced',
    body: { subscription: 'web', expire: 3600, expire_on_resolve: false, creator: CREATOR },
    effects: [
      'the silence web:* would be created',
      'it matches 2 events now: 1 critical, 1 warning',
      '1 of them already silenced',
    ],
  },
  {
    line: ['silence', 'create', '--subscription', 'web', '--check', 'http', '--begin', '+1d'],
    request: 'POST /silenced',
    effects: [
      'the silence web:http of bob (CHG-1) would be replaced',
      'it matches 1 event now: 1 warning',
      '1 of them already silenced',
    ],
  },
  {
    line: ['silence', 'update', 'web:http', '2h'],
    request: 'POST /silenced',
    body: {
      subscription: 'web',
      check: 'http',
      reason: 'CHG-1',
      creator: 'bob',
      begin: null,
      expire_on_resolve: true,
      expire: 7200,
    },
    effects: [/^web:http would be silenced until .* or until it resolves$/, 'it never expires now'],
  },
  {
    line: ['silence', 'delete', 'web:http'],
    request: 'POST /silenced/clear',
    body: { id: 'web:http' },
    effects: ['the silence web:http of bob (CHG-1) would end', '1 event: 1 warning would no longer be silenced'],
  },
  {
    line: ['client', 'create', 'web-001', '--address', 'x'],
    request: 'POST /clients',
    body: { name: 'web-001', address: 'x' },
    effects: ['the client web-001 would be replaced completely; its results and events are kept'],
  },
  {
    line: ['client', 'delete', 'web-001', '--invalidate-expire', '1h'],
    request: 'DELETE /clients/web-001?invalidate=true&invalidate_expire=3600',
    effects: [
      /^the client web-001, last seen \w+ ago, would be deleted with 4 results$/,
      '2 events: 1 critical, 1 warning would be resolved',
      'its data would be rejected for 1h',
    ],
  },
  {
    line: ['client', 'delete', '--selector', 'web events>1'],
    request: 'DELETE /api/mon/v1/clients?q=web+events%3E1',
    effects: ['1 client would be deleted, their events resolved: web-001'],
  },
  {
    line: ['check', 'request', 'disk'],
    request: 'POST /request',
    body: { check: 'disk', creator: CREATOR },
    effects: ['disk would be requested of web', '1 client with one of these subscriptions'],
  },
  {
    line: ['check', 'rename', 'load', 'load-average'],
    request: 'POST /api/mon/v1/checks/load/rename',
    body: { to: 'load-average' },
    effects: [
      '1 result of load would move to load-average',
      'with no events',
      '1 client with results of both; use --force',
    ],
  },
  {
    line: ['check', 'rename', 'http', 'web', '--force'],
    request: 'POST /api/mon/v1/checks/http/rename',
    body: { to: 'web', force: true },
    effects: [
      '1 result of http would move to web',
      'with 1 event: 1 warning',
      'these silences match http but not web: web:http',
    ],
  },
  {
    line: ['check', 'delete', 'disk', '--results'],
    request: 'DELETE /checks/disk',
    effects: [
      '1 result of disk would be deleted',
      '1 event: 1 critical would be resolved',
      'disk is still defined: its next results will arrive again',
    ],
  },
  {
    line: ['result', 'submit', 'web-001', 'disk', 'ok', 'fine'],
    request: 'POST /results',
    body: { source: 'web-001', name: 'disk', status: 0, output: 'fine' },
    effects: [/^it would follow CRIT \(2\) of /],
  },
  {
    line: ['result', 'submit', 'web-009', 'disk', 'ok'],
    request: 'POST /results',
    effects: ['the client web-009 would be created', 'it would be the first result of web-009/disk'],
  },
  {
    line: ['result', 'delete', 'web-001', 'disk'],
    request: 'DELETE /results/web-001/disk',
    effects: ['the result web-001/disk, CRIT (2), would be deleted with its history of 1', 'its event would be kept'],
  },
  {
    line: ['aggregate', 'delete', 'shop'],
    request: 'DELETE /aggregates/shop',
    effects: [
      'the aggregate shop of 1 client and 2 checks would be deleted',
      'the next result of a check that names it would create it again',
    ],
  },
  {
    line: ['stash', 'create', 'notes', '--content', '{}'],
    request: 'POST /stashes',
    body: { path: 'notes', content: {} },
    effects: ['the stash notes would be replaced'],
  },
  {
    line: ['on-call', 'override', 'database', '--person', 'ada', '--from', '2098-01-01T00:00Z', '--until', '12h'],
    request: 'POST /api/mon/v1/schedules/database/overrides',
    body: { person: 'ada', from: 4_039_372_800, until: 4_039_416_000, by: CREATOR },
    effects: [/^ada would be on call for database from 2098-01-01 00:00Z until 2098-01-01 12:00Z$/],
  },
  {
    line: ['stash', 'delete', 'notes'],
    request: 'DELETE /stashes/notes',
    effects: ['the stash notes would be deleted: {"text":"x"}'],
  },
  {
    line: ['check', 'create', 'swap', '--command', 'swap', '--interval', '60', '--subscriptions', 'web'],
    request: 'POST /api/core/v2/namespaces/default/checks',
    body: {
      metadata: { name: 'swap', namespace: 'default' },
      command: 'swap',
      interval: 60,
      subscriptions: ['web'],
      handlers: [],
      publish: true,
    },
    effects: ['the check swap would be created in default'],
  },
  {
    line: ['check', 'execute', 'disk'],
    request: 'POST /api/core/v2/namespaces/default/checks/disk/execute',
    body: { metadata: { name: 'disk', namespace: 'default' }, creator: CREATOR },
    effects: ['disk would be requested of web'],
  },
  {
    line: ['entity', 'delete', 'web-001'],
    request: 'DELETE /api/core/v2/namespaces/default/entities/web-001',
    effects: ['the entity web-001 of the namespace default would be deleted with its events'],
  },
  {
    line: ['namespace', 'create', 'staging'],
    request: 'POST /api/core/v2/namespaces',
    body: { name: 'staging' },
    effects: ['the namespace staging would be created'],
  },
  {
    line: ['namespace', 'delete', 'staging'],
    request: 'DELETE /api/core/v2/namespaces/staging',
    effects: [],
  },
  {
    line: ['pipeline', 'delete', 'page', '--namespace', 'staging'],
    request: 'DELETE /api/core/v2/namespaces/staging/pipelines/page',
    effects: [],
  },
  {
    line: ['user', 'disable', 'bob'],
    request: 'DELETE /api/core/v2/users/bob',
    effects: [],
  },
  {
    line: ['user', 'enable', 'bob'],
    request: 'PUT /api/core/v2/users/bob/reinstate',
    effects: ['the user bob could log in again'],
  },
  {
    line: ['user', 'log-out', 'bob'],
    request: 'DELETE /api/core/v2/users/bob/sessions',
    effects: ['the sessions of bob would end'],
  },
  {
    line: ['api-key', 'revoke', '0c1d2e3f4a5b6c7d'],
    request: 'DELETE /api/core/v2/apikeys/0c1d2e3f4a5b6c7d',
    effects: [],
  },
  {
    line: ['dead-letter', 'retry', '--all'],
    request: 'POST /api/mon/v1/dead-letters/retry',
    body: { all: true },
    effects: ['no dead letters would be retried'],
  },
  {
    line: ['dead-letter', 'drop', '--handler', 'old-chat'],
    request: 'POST /api/mon/v1/dead-letters/drop',
    body: { handler: 'old-chat' },
    effects: ['no dead letters would be dropped'],
  },
];

/** Commands that change many objects at once. `files.test.ts` and `restore.test.ts` test their dry runs. */
const OF_FILES = ['create', 'delete', 'restore'];

/** Commands that need several backends. `cluster.test.ts` tests their dry runs. */
const OF_SEVERAL = ['cluster hand-over', 'cluster remove'];

/** Tested in short-forms.test.ts. */
const SHORT_FORMS = ['ack', 'apply', 'context delete', 'silence', 'unack'];

/** Commands whose dry run the backend computes. `handler-test.test.ts` tests them. */
const OF_HANDLERS = ['handler test'];

test.each(DRY_RUNS)(
  'the dry run of monctl $line shows the request and its effect, and changes nothing',
  async ({ line, request, body, effects }) => {
    const before = await wholeState();
    const { code, stdout, stderr } = await monctl([...line, '--dry-run', '--output', 'json']);
    expect([code, stderr]).toEqual([0, '']);
    const shown = JSON.parse(stdout) as { request: { method: string; url: string; body?: unknown } };
    expect(`${shown.request.method} ${shown.request.url.slice(backend.url.length)}`).toBe(request);
    expect(shown.request.body).toEqual(body ?? shown.request.body);
    expect(shown).toMatchObject({
      dry_run: true,
      effects: effects.map((effect) => expect.stringMatching(typeof effect === 'string' ? exactly(effect) : effect)),
    });
    expect(await wholeState()).toEqual(before);
  },
);

/** Commands that `on-call.test.ts` tests, because they need overrides or shifts. */
const OF_ON_CALL = ['on-call override-delete', 'on-call swap'];

test('every monctl command that changes something has a dry run, and destructive commands ask first', () => {
  const changing = ALL_COMMANDS.filter((command) => Object.hasOwn(command.options, 'dry-run'));
  expect(changing.map(({ words }) => words.join(' ')).toSorted()).toEqual(
    [
      ...new Set([
        ...DRY_RUNS.map(({ line }) => line.slice(0, 2).join(' ')),
        ...OF_FILES,
        ...OF_SEVERAL,
        ...OF_HANDLERS,
        ...SHORT_FORMS,
        ...OF_ON_CALL,
      ]),
    ].toSorted(),
  );
  const asking = ALL_COMMANDS.filter((command) => Object.hasOwn(command.options, 'skip-confirm'));
  expect(asking.map(({ words }) => words.join(' ')).toSorted()).toEqual([
    'aggregate delete',
    'api-key revoke',
    'check delete',
    'client delete',
    'cluster hand-over',
    'cluster remove',
    'context delete',
    'dead-letter drop',
    'delete',
    'entity delete',
    'event delete',
    'migrate stashes',
    'namespace delete',
    'on-call override-delete',
    'pipeline delete',
    'restore',
    'result delete',
    'silence delete',
    'stash delete',
    'upgrade fix-namespaces',
    'user disable',
  ]);
});

test.each([
  ['event', 'resolve', 'web-001', 'nope'],
  ['silenced', 'delete', 'web:nope'],
  ['client', 'delete', 'nope'],
  ['client', 'delete', '--selector', 'client:nope'],
  ['check', 'request', 'nope'],
  ['result', 'delete', 'web-001', 'nope'],
  ['aggregate', 'delete', 'nope'],
  ['stash', 'delete', 'nope'],
])('the dry run of monctl %s %s for an object that does not exist exits with 3', async (...line) => {
  expect(await monctl([...line, '--dry-run'])).toMatchObject({ code: 3, stdout: '' });
});

test('a dry run prints the request, its effect and that nothing was sent as plain text', async () => {
  const { stdout } = await monctl(['silenced', 'delete', 'web:http', '--dry-run']);
  expect(stdout).toBe(
    [
      `would send POST ${backend.url}/silenced/clear`,
      '{',
      '  "id": "web:http"',
      '}',
      'the silence web:http of bob (CHG-1) would end',
      '1 event: 1 warning would no longer be silenced',
      'nothing was sent',
      '',
    ].join('\n'),
  );
});

test('a monctl command changes nothing if its question is not answered with yes', async () => {
  const before = await wholeState();
  for (const answer of ['', 'n', 'no', 'yessir', 'q']) {
    expect(await monctl(['client', 'delete', 'web-001'], { answer })).toEqual({
      code: 7,
      stdout: '',
      stderr: expect.stringMatching(
        /^the client web-001, .* with 4 results\n2 events: .* would be resolved\na running agent .*\ndelete client web-001\? \[y\/N\] monctl: nothing was done\n$/,
      ),
    });
  }
  expect(await wholeState()).toEqual(before);
});

test.each([
  { name: 'the answer y', options: { answer: 'y\n' }, extra: [] },
  { name: 'the answer YES with spaces', options: { answer: ' YES ' }, extra: [] },
  { name: 'the option --skip-confirm', options: { answer: 'n' }, extra: ['--skip-confirm'] },
  { name: 'the option -y', options: { answer: 'n' }, extra: ['-y'] },
  { name: 'no terminal to ask on', options: {}, extra: [] },
])('monctl executes a delete with the confirmation: $name', async ({ options, extra }) => {
  await api.saveStash({ path: 'to-delete', content: {} });
  expect(await monctl(['stash', 'delete', 'to-delete', ...extra], options)).toMatchObject({
    code: 0,
    stdout: 'deleted the stash to-delete\n',
  });
  expect(await api.stash('to-delete')).toBeUndefined();
});

test('monctl fails without a question when a stash to delete does not exist', async () => {
  expect(await monctl(['stash', 'delete', 'nope'], { answer: 'y' })).toEqual({
    code: 3,
    stdout: '',
    stderr: 'monctl: there is no stash nope: see monctl stash list\n',
  });
});

function onTerminal(line: readonly string[]): Pty {
  return new Pty(process.execPath, [MONCTL, ...line], { env: { MON_BACKEND: backend.url } });
}

test('a question of monctl on a real terminal is answered by typing, and Ctrl-C interrupts', async () => {
  await api.saveStash({ path: 'asked', content: {} });
  await using interrupted = onTerminal(['stash', 'delete', 'asked']);
  await interrupted.waitForText('delete the stash asked? [y/N]');
  interrupted.write('\u0003');
  expect((await interrupted.exited).signal).toBe(2);

  await using ended = onTerminal(['stash', 'delete', 'asked']);
  await ended.waitForText('delete the stash asked? [y/N]');
  ended.write('\u0004');
  expect((await ended.exited).exitCode).toBe(7);
  expect(await api.stash('asked')).toEqual({});

  await using agreed = onTerminal(['stash', 'delete', 'asked']);
  await agreed.waitForText('delete the stash asked? [y/N]');
  agreed.write('y\r');
  await agreed.waitForText('deleted the stash asked');
  expect((await agreed.exited).exitCode).toBe(0);
  expect(await api.stash('asked')).toBeUndefined();
});
