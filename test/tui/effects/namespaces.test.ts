import { describe, expect, test, vi } from 'vitest';
import type { EventRow, FeedRows } from '../../../shared/schemas/feed.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { byKey, openRig, type ConsoleRig, type SeenRequest } from '../../support/console-rig.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../../support/feed-rows.ts';
import { startFeedServer, type FeedServer } from '../../support/feed-server.ts';
import { aClusterView } from '../../support/simulated-cluster.ts';
import { expectGolden } from '../../support/screen.ts';

const OWN = anEventRow({ client: 'db-1', check: 'disk' });
const TEAM = [
  anEventRow({ client: 'web-1', check: 'http' }),
  anEventRow({ client: 'web-2', check: 'load', status: 1, silenced_by: ['client:web-2:load'] }),
];
const SILENCE = aSilencedRow({ id: 'client:web-2:load', subscription: 'client:web-2', check: 'load', creator: 'bob' });

const ROWS: Readonly<Record<string, FeedRows>> = {
  default: { events: byKey([OWN]), clients: { 'db-1': aClientRow({ name: 'db-1' }) } },
  'team-a': {
    events: byKey(TEAM),
    silenced: { [SILENCE.id]: SILENCE },
    clients: { 'web-1': aClientRow({ name: 'web-1' }) },
  },
  '*': {
    events: Object.fromEntries([placed(OWN, 'default'), ...TEAM.map((row) => placed(row, 'team-a'))]),
    silenced: { [`team-a/${SILENCE.id}`]: { ...SILENCE, namespace: 'team-a' } },
    clients: { 'team-a/web-1': aClientRow({ name: 'web-1', namespace: 'team-a' }) },
  },
};

function placed(row: EventRow, namespace: string): readonly [string, EventRow] {
  return [`${namespace}/${eventKey(row.client, row.check)}`, { ...row, namespace }];
}

const GROUP = { firing: 1, pending: 1, worst: 'critical', notified_at: null, due_at: 1_795_212_030 };

const COUNTS = { ok: 0, warning: 0, critical: 0, unknown: 0, stale: 0, silenced: 0, down: 0 };

/** Responses of the API. The same names are different objects in the two namespaces. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/api/core/v2/namespaces': [{ name: 'default' }, { name: 'team-a' }],
  '/api/mon/v1/checks?namespace=*': [
    { namespace: 'default', name: 'disk', interval: 60, subscribers: ['linux'], command: 'check-disk', next_run: null },
    {
      namespace: 'team-a',
      name: 'disk',
      interval: 30,
      subscribers: ['apps'],
      command: 'check-disk -w',
      next_run: null,
    },
    { namespace: 'team-a', name: 'http', interval: 10, subscribers: ['apps'], command: 'check-http', next_run: null },
  ],
  '/api/mon/v1/checks/http?namespace=team-a': {
    name: 'http',
    interval: 10,
    subscribers: ['apps'],
    command: 'check-http',
    next_run: null,
  },
  '/api/mon/v1/checks/http/results?limit=1000&namespace=team-a': [
    { client: 'web-1', status: 2, executed: 1_795_212_000, history: [0, 2], output: 'refused', silenced: false },
  ],
  '/api/mon/v1/aggregates?namespace=*': [
    { namespace: 'default', name: 'web', clients: 4, checks: 1, results: { ...COUNTS, ok: 4, total: 4 } },
    { namespace: 'team-a', name: 'web', clients: 2, checks: 1, results: { ...COUNTS, ok: 1, critical: 1, total: 2 } },
  ],
  '/api/mon/v1/aggregates/web?namespace=team-a': {
    clients: 2,
    checks: 1,
    results: { ...COUNTS, ok: 1, critical: 1, total: 2 },
  },
  '/api/mon/v1/aggregates/web/results/critical?namespace=team-a': [
    { check: 'http', summary: [{ output: 'refused', total: 1, clients: ['web-1'] }] },
  ],
  '/api/mon/v1/overview?namespace=*': {
    at: 1_795_212_000,
    noisiest: [
      { namespace: 'team-a', check: 'http', events: 12, clients: 1 },
      { namespace: 'default', check: 'http', events: 3, clients: 0 },
    ],
    results: { period: 10, rates: [3, 5] },
    clients: { registered: 3, stale: 0, lost: 0 },
    queue: { results: 0 },
    store: { write_p99_ms: null },
    api: { response_p99_ms: null },
    feed: { consumers: 1 },
  },
  // This list covers all namespaces that the credentials may read, whichever namespace is shown.
  '/api/mon/v1/handler-groups': [
    { namespace: 'default', handler: 'pager', id: 'id-default', by: { client: 'db-1' }, ...GROUP },
    { namespace: 'team-a', handler: 'chat', id: 'id-team-a', by: { client: 'web-1' }, ...GROUP },
  ],
  '/api/mon/v1/inhibitions': [
    {
      name: 'http-down',
      source: 'check=http',
      target: 'check!=http',
      equal: ['client.rack'],
      inhibited: 7,
      inhibitors: [
        { namespace: 'team-a', client: 'web-1', check: 'http', inhibited: 5 },
        { namespace: 'default', client: 'db-1', check: 'disk', inhibited: 2 },
      ],
    },
  ],
  '/api/mon/v1/audit?limit=20': [],
  '/api/mon/v1/handlers': [],
  '/api/mon/v1/cluster': aClusterView(),
};

interface Backend {
  readonly server: FeedServer;
  readonly requests: readonly Pick<SeenRequest, 'method' | 'path'>[];
}

/**
 * Starts a scripted backend with the namespaces `default` and `team-a`, which responds with the data of the requested
 * one.
 */
async function startNamespaces(rowsIn = ROWS): Promise<Backend> {
  const requests: Pick<SeenRequest, 'method' | 'path'>[] = [];
  const server = await startFeedServer({
    http: ({ method = '', url = '' }, response) => {
      requests.push({ method, path: url });
      const answer = ANSWERS[url] ?? ANSWERS[url.replace(/\?.*/, '')];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    },
    onSubscribe: (connection, { namespace = 'default' }) =>
      connection.send({ type: 'snapshot', seq: 1, rows: rowsIn[namespace] ?? {} }, { type: 'live', seq: 1 }),
  });
  return { server, requests };
}

async function open(
  size: { readonly columns?: number; readonly rows?: number } = {},
  rowsIn = ROWS,
): Promise<ConsoleRig & Backend> {
  const backend = await startNamespaces(rowsIn);
  const rig = await openRig({ ...size, server: backend.server });
  await rig.shows('LIVE', 'db-1');
  return Object.assign(rig, { requests: backend.requests });
}

function lineOf({ screen }: ConsoleRig, pattern: RegExp): string | undefined {
  return screen.lines.find((line) => pattern.test(line));
}

describe('a namespace other than default', () => {
  test('the console shows the namespace that :ns names instead of default, and the header names the namespace', async () => {
    const rig = await open();
    expect(rig.row('mon  ')).not.toContain(' ns ');
    rig.type(':ns team-a\r');
    await rig.shows('ns team-a', 'web-1');
    await rig.showsNo('db-1');
    rig.type(':ns default\r');
    await rig.shows('db-1');
    await rig.showsNo('ns team-a');
  });

  test('the detail of an event is requested from the shown namespace', async () => {
    const rig = await open();
    rig.type(':ns team-a\r');
    await rig.shows('web-1');
    rig.type('\r');
    await vi.waitFor(() =>
      expect(rig.requests.map(({ path }) => path)).toContain('/api/mon/v1/events/web-1/http?namespace=team-a'),
    );
  });

  test('the :ns command completes the names of namespaces and rejects a namespace that does not exist', async () => {
    const rig = await open();
    rig.type(':ns ');
    await rig.shows('team-a');
    rig.type('te\t\r');
    await rig.shows('ns team-a', 'web-1');
    rig.type(':ns nowhere\r');
    await rig.shows(
      'could not switch to nowhere: no such namespace, or you may not read it: use one of default, team-a',
    );
    expect(rig.screen.text).toContain('web-1');
    rig.type(':ns\r');
    await rig.shows('type :ns NAME: default, team-a, all');
  });

  test('groups and inhibitions are listed for the shown namespace', async () => {
    const rig = await open({ columns: 120, rows: 24 });
    rig.type(':groups\r');
    await rig.shows(/pager +client=db-1/, '1/1');
    expect(rig.screen.text).not.toContain('chat');
    rig.type(':inhibitions\r');
    await rig.shows(/http-down +2 +db-1\/disk /);
    rig.type(':ns team-a\r');
    await rig.shows('ns team-a', /http-down +5 +web-1\/http /);
    rig.type(':groups\r');
    await rig.shows(/chat +client=web-1/, '1/1');
    expect(rig.screen.text).not.toContain('pager');
    expect(rig.screen.text).not.toContain('NAMESPACE');
    rig.type(':inhibitions\rI');
    await rig.shows('events › web-1 / http');
  });

  test('the shown namespace stays after a lost connection', async () => {
    const rig = await open();
    rig.type(':ns team-a\r');
    await rig.shows('LIVE', 'web-1');
    (await rig.server.connection(1)).cut();
    await rig.shows('DISCONNECTED');
    await rig.pass(2000);
    expect(await (await rig.server.connection(2)).subscribed()).toMatchObject({ namespace: 'team-a' });
    await rig.shows('LIVE', 'ns team-a', 'web-1');
  });

  test('a change of namespace keeps the filter, and copied commands name the namespace', async () => {
    const rig = await open();
    rig.type('/web\r:ns team-a\r');
    await rig.shows('filter: web', 'web-1');
    rig.type('c');
    await rig.shows('Copy of web-1/http');
    expect(rig.row('curl command')).toContain('/api/mon/v1/events/web-1/htt');
    expect(rig.row('monctl command')).toContain('--namespace team-a');
  });

  test.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 36 },
  ])('a namespace other than default is drawn at $columns x $rows', async (size) => {
    const rig = await open(size);
    rig.type(':ns team-a\r');
    await rig.shows('LIVE', 'web-1');
    expect(rig.screen.text).toContain(' ns team-a ');
    await expectGolden(rig.screen, `namespace-${String(size.columns)}x${String(size.rows)}`);
  });
});

describe('the list of all namespaces', () => {
  test('the list of all namespaces names the namespace of each row', async () => {
    const rig = await open();
    rig.type(':ns all\r');
    await rig.shows('ns all', 'NAMESPACE', /default +db-1 /, /team-a +web-1 /);
    expect(rig.row('web-2')).toMatch(/S WARN .* 1h left /);
    rig.type(':filter namespace=team-a\r');
    await rig.showsNo('db-1');
    rig.type(':filter\u0015\r:sort namespace\r');
    await rig.shows('sort: namespace');
  });

  test('all namespaces of one backend show the members of its cluster', async () => {
    const rig = await open();
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-1 /);
    rig.type(':cluster\r');
    await rig.shows('3 of 3 members shown');
    expect(rig.row('web1:4567  ')).toMatch(/> +web1:4567 +leader +ok/);
  });

  test('a request in the list of all namespaces goes to the namespace of the row', async () => {
    const rig = await open();
    rig.type(':ns all\r');
    await rig.shows(/team-a +web-1 /);
    rig.type('/web-1\r\r');
    await vi.waitFor(() =>
      expect(rig.requests.map(({ path }) => path)).toContain('/api/mon/v1/events/web-1/http?namespace=team-a'),
    );
  });

  test('the lists of clients and silences of all namespaces name the namespace of each row', async () => {
    const rig = await open();
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-1 /);
    rig.type(':clients\r');
    await rig.shows('web-1@team-a');
    rig.type('\r');
    await vi.waitFor(() =>
      expect(rig.requests.map(({ path }) => path)).toContain('/api/mon/v1/clients/web-1?namespace=team-a'),
    );
    rig.type('q:silences\r');
    await rig.shows('web-2@team-a / load', 'bob');
    await vi.waitFor(() => expect(rig.requests.map(({ path }) => path)).toContain('/api/mon/v1/silenced?namespace=*'));
    rig.type('\r');
    await vi.waitFor(() =>
      expect(rig.requests.map(({ path }) => path)).toContain(
        '/api/mon/v1/silenced/client%3Aweb-2%3Aload?namespace=team-a',
      ),
    );
  });

  test('the list of checks of all namespaces counts the results of each namespace separately', async () => {
    const rig = await open({ columns: 140, rows: 30 });
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-1 /);
    rig.type(':checks\r');
    await rig.shows('NAMESPACE', /disk +default +every 1m/, /disk +team-a +every 30s/, /http +team-a/);
    // The check `disk` has an open event only in `default`; the open event of `http` is in `team-a`.
    expect(lineOf(rig, /disk +default/)).toMatch(/every 1m +- +- +1 /);
    expect(lineOf(rig, /disk +team-a/)).toMatch(/every 30s +- +- +0 /);
    rig.type(':filter namespace=team-a check=disk\r');
    await rig.shows('1 of 3 checks', /disk +team-a/);
    rig.type(':filter check=http\r\r');
    await rig.shows('checks › http@team-a', 'web-1@team-a', 'refused');
    rig.type('R');
    await rig.shows('http on client:web-1@team-a');
  });

  test('a check in the list of all namespaces is run in the namespace in which it is defined', async () => {
    const rig = await open();
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-1 /);
    rig.type(':checks\r');
    await rig.shows(/http +team-a/);
    rig.type(':filter check=http\rR');
    await rig.shows('http@team-a on apps');
    rig.type('\r');
    await vi.waitFor(() =>
      expect(rig.requests).toContainEqual({ method: 'POST', path: '/api/mon/v1/request?namespace=team-a' }),
    );
  });

  test('the list of aggregates of all namespaces distinguishes equal names by namespace', async () => {
    const rig = await open({ columns: 140, rows: 30 });
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-1 /);
    rig.type(':aggregates\r');
    await rig.shows('NAMESPACE', /web +team-a +50%/, /web +default +100%/);
    rig.type(':filter namespace=team-a\r');
    await rig.shows('1 of 2 aggregates');
    rig.type('\r');
    await rig.shows('aggregates › web@team-a', /http +refused/);
    rig.type('\r');
    await rig.shows('web-1@team-a');
    rig.type('jR');
    await rig.shows('http on client:web-1@team-a');
    expect(rig.requests.map(({ path }) => path)).toContain('/api/mon/v1/aggregates/web?namespace=team-a');
  });

  test('the overview of all namespaces opens a list of one namespace', async () => {
    const rig = await open({ columns: 140, rows: 40 });
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-1 /);
    rig.type(':overview\r');
    await rig.shows(/http@team-a +12 +1/, /http@default +3 +0/, /web@team-a +ok +50%/, /registered +3/);
    rig.type('\t\t\t\t\r');
    await rig.shows('check=http namespace=team-a', /team-a +web-1 /);
    expect(rig.screen.text).not.toContain('db-1');
  });

  test('the lists of groups and inhibitions of all namespaces name the namespace of each row', async () => {
    const rig = await open({ columns: 120, rows: 24 });
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-1 /);
    rig.type(':groups\r');
    await rig.shows('NAMESPACE', /pager +default +client=db-1/, /chat +team-a +client=web-1/);
    rig.type(':filter namespace=team-a\r');
    await rig.showsNo('pager');
    rig.type(':inhibitions\r');
    await rig.shows('NAMESPACE', /http-down +7 +web-1\/http \+1 +team-a /);
    rig.type(':filter namespace=team-a\r');
    await rig.shows('1/1  filter: namespace=team-a');
    rig.type('I');
    await rig.shows('web-1@team-a / http');
    await vi.waitFor(() =>
      expect(rig.requests.map(({ path }) => path)).toContain('/api/mon/v1/events/web-1/http?namespace=team-a'),
    );
  });

  test('an inhibited event opens its source event in its own namespace', async () => {
    const quiet = { ...TEAM[1], inhibited_by: { rule: 'http-down', client: 'web-1', check: 'http' } };
    const events = { ...ROWS['*']?.events, ...Object.fromEntries([placed(anEventRow(quiet), 'team-a')]) };
    const rig = await open({}, { ...ROWS, '*': { ...ROWS['*'], events } });
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-2 /);
    rig.type('/web-2\r\r');
    await rig.shows('web-2@team-a / load');
    rig.type('I');
    await rig.shows('web-1@team-a / http');
    await vi.waitFor(() =>
      expect(rig.requests.map(({ path }) => path)).toContain('/api/mon/v1/events/web-1/http?namespace=team-a'),
    );
  });

  test('the console says which views do not exist for all namespaces', async () => {
    const rig = await open();
    rig.type(':ns all\r');
    await rig.shows('ns all', /team-a +web-1 /);
    rig.type(':dead-letters\r');
    await rig.shows('Dead letters shows only one namespace at a time: select one with :ns NAME');
    expect(rig.screen.text).toContain('web-1');
  });

  test.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 36 },
  ])('the list of all namespaces is drawn at $columns x $rows', async (size) => {
    const rig = await open(size);
    rig.type(':ns all\r');
    await rig.shows('LIVE', /team-a +web-1 /);
    expect(rig.screen.text).toContain(' ns all ');
    await expectGolden(rig.screen, `all-namespaces-${String(size.columns)}x${String(size.rows)}`);
  });

  test.each(
    ['checks', 'aggregates', 'overview'].flatMap((view) => [
      { view, columns: 80, rows: 24 },
      { view, columns: 120, rows: 36 },
    ]),
  )('the view $view of all namespaces is drawn at $columns x $rows', async ({ view, ...size }) => {
    const rig = await open(size);
    rig.type(':ns all\r');
    await rig.shows('LIVE', /team-a +web-1 /);
    rig.type(`:${view}\r`);
    await rig.shows('team-a');
    await rig.showsNo('loading …');
    expect(rig.screen.text).toContain(' ns all ');
    await expectGolden(rig.screen, `all-namespaces-${view}-${String(size.columns)}x${String(size.rows)}`);
  });
});
