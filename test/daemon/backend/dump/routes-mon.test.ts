import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { AuditRecord } from '../../../../shared/schemas/audit.ts';
import type { OnCallOverride, ScheduleDetail } from '../../../../shared/schemas/on-call.ts';
import type { RestoreResult } from '../../../../shared/schemas/restore.ts';
import { openLineReceiver } from '../../../support/line-receiver.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import type { Answer } from '../../../support/raw-http.ts';
import { dumpedSilenced } from '../../../../daemon/backend/model/silences/storage.ts';

let backend: RunningBackend;
let ask: Ask;

beforeAll(async () => {
  backend = await startBackend({
    settings: { 'entity-limit': 'unlimited', checks: { disk: { command: 'df', subscribers: ['web'], interval: 60 } } },
  });
  ask = asking(backend.url);
});
afterAll(() => backend[Symbol.asyncDispose]());

const restore = (body: unknown): Promise<Answer> => ask('POST', '/api/mon/v1/restore', body);

async function outcomes(...objects: readonly unknown[]): Promise<readonly RestoreResult[]> {
  const answer = await restore({ objects });
  expect(answer.status).toBe(200);
  return (answer.body as { results: RestoreResult[] }).results;
}

function anEntity(name: string, spec: Record<string, unknown> = {}): Record<string, unknown> {
  const metadata = { name, namespace: 'default' };
  return { type: 'Entity', api_version: 'core/v2', metadata, spec: { entity_class: 'proxy', ...spec } };
}

function anEvent(entity: string, check: string, spec: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: 'Event',
    api_version: 'core/v2',
    metadata: { namespace: 'default' },
    spec: {
      entity: { metadata: { name: entity } },
      check: { metadata: { name: check }, status: 2, output: 'x', ...spec },
    },
  };
}

test.each([
  ['an empty request', { objects: [] }],
  ['more objects than one page', { objects: Array.from({ length: 101 }, () => anEntity('a')) }],
  ['an object without a spec', { objects: [{ type: 'Entity', api_version: 'core/v2', metadata: {} }] }],
  ['an unknown attribute', { objects: [anEntity('a')], force: true }],
  ['no object', []],
])('a restore request is rejected as a whole: %s', async (_what, body) => {
  expect(await restore(body)).toMatchObject({ status: 400 });
});

test.each([
  [
    'a missing namespace',
    { ...anEntity('a'), metadata: { name: 'a', namespace: 'nope' } },
    /^there is no namespace nope/,
  ],
  ['an invalid name', anEntity('a/b'), /metadata\.name/],
  ['an event without an entity', anEvent('nobody', 'disk'), /^there is no entity nobody in default/],
  ['an event without a check', { ...anEvent('', ''), spec: {} }, /has no entity/],
  ['an event with an invalid status', anEvent('here', 'x', { status: 'bad' }), /status/],
  [
    'a check that the configuration defines',
    { type: 'CheckConfig', api_version: 'core/v2', metadata: { name: 'disk' }, spec: { command: 'x', interval: 5 } },
    /configuration file/,
  ],
  [
    'a silence without a target',
    { type: 'Silenced', api_version: 'core/v2', metadata: {}, spec: {} },
    /neither a subscription nor a check/,
  ],
  [
    'an expired silence',
    { type: 'Silenced', api_version: 'core/v2', metadata: {}, spec: { check: 'x', expire_at: 1_603_383_600 } },
    /expired/,
  ],
  [
    'a key of an unknown user',
    {
      type: 'APIKey',
      api_version: 'core/v2',
      metadata: { name: '0123456789abcdef' },
      spec: { username: 'nobody', hash: `sha256$${'a'.repeat(22)}$${'b'.repeat(43)}` },
    },
    /^there is no user nobody/,
  ],
  [
    'a user with an unknown kind of password hash',
    { type: 'User', api_version: 'core/v2', metadata: {}, spec: { username: 'eve', password_hash: 'plain' } },
    /password_hash/,
  ],
])('a restore skips one object and applies the others: %s', async (_what, object, reason) => {
  const [here, found] = await outcomes(anEntity('here'), object);
  expect(here?.outcome).not.toBe('skipped');
  expect(found).toEqual({ outcome: 'skipped', reason: expect.stringMatching(reason) as string });
});

const proxyCheck = (entity_attributes: readonly string[]): object => ({
  type: 'CheckConfig',
  api_version: 'core/v2',
  metadata: { name: 'snmp' },
  spec: { command: 'snmp', interval: 60, proxy_requests: { entity_attributes } },
});

test('a restored object whose expression names an unknown attribute gets a warning', async () => {
  expect(await outcomes(proxyCheck(["entity.lables.x == 'a'"]), proxyCheck(["entity.labels.x == 'a'"]))).toEqual([
    {
      outcome: 'created',
      warnings: [
        'the expression "entity.lables.x == \'a\'" uses entity.lables, ' +
          'which has no value unless the data contains an attribute of that name: did you mean entity.labels?',
      ],
    },
    { outcome: 'replaced' },
  ]);
});

test('internal state in a dumped event is ignored if it is invalid or belongs to another event', async () => {
  await outcomes(anEntity('state'), anEvent('state', 'disk'));
  const page = (await ask('GET', '/api/mon/v1/dump/events?limit=100')).body as {
    objects: { spec: { mon: { history: { length: number } }; check: { metadata: { name: string } } } }[];
  };
  const [dumped] = page.objects;
  expect(await outcomes(dumped)).toEqual([{ outcome: 'unchanged' }]);
  const broken = structuredClone(dumped);
  if (broken !== undefined) broken.spec.mon.history.length = 99;
  const moved = structuredClone(dumped);
  if (moved !== undefined) moved.spec.check.metadata.name = 'other';
  for (const object of [broken, moved]) {
    const [result] = await outcomes(object);
    expect(result?.lost?.map(({ attribute }) => attribute)).toEqual(['mon']);
  }
});

test('the exact expiry of a silence is restored, even from a dump with milliseconds', async () => {
  await ask('POST', '/silenced', { check: 'exact', expire: 3600 });
  const { objects } = (await ask('GET', '/api/mon/v1/dump/silenced')).body as {
    objects: { spec: { check: string; mon: { entry: { expire_at: number } } } }[];
  };
  const dumped = objects.find(({ spec }) => spec.check === 'exact');
  const end = dumped?.spec.mon.entry.expire_at ?? 0;
  expect(end).toBeLessThan(100_000_000_000);
  const older = structuredClone(dumped);
  if (older !== undefined) older.spec.mon.entry.expire_at = Math.round(end * 1000);
  expect(await outcomes(dumped, older)).toEqual([{ outcome: 'unchanged' }, { outcome: 'unchanged' }]);
});

test('a restored silence by search covers the events that match', async () => {
  await ask('POST', '/clients', { name: 'searched', address: '192.0.2.1', subscriptions: [], env: 'prod' });
  await ask('POST', '/results', { source: 'searched', name: 'disk', status: 2, output: 'x' });
  await ask('POST', '/api/mon/v1/silenced', { selector: 'client.env=prod', reason: 'why', expire: 3600 });
  const { objects } = (await ask('GET', '/api/mon/v1/dump/silenced')).body as {
    objects: { spec: { mon: { entry: { selector?: string; id: string } } } }[];
  };
  const dumped = objects.find(({ spec }) => spec.mon.entry.selector !== undefined);
  expect(await outcomes(dumped)).toEqual([{ outcome: 'unchanged' }]);
  await ask('POST', '/silenced/clear', { id: dumped?.spec.mon.entry.id });
  expect(await outcomes(dumped)).toEqual([{ outcome: 'created' }]);
  expect((await ask('GET', '/events/searched/disk')).body).toMatchObject({ silenced: true });
  const unreadable = structuredClone(dumped);
  if (unreadable !== undefined) unreadable.spec.mon.entry.selector = 'status=2';
  expect(await outcomes(unreadable)).toMatchObject([{ outcome: 'skipped' }]);
});

test('the restore of an event runs no handler', async () => {
  const { port, received } = await openLineReceiver();
  await using own = await startBackend({
    settings: { handlers: { default: { type: 'tcp', socket: { host: '127.0.0.1', port } } } },
  });
  const objects = [anEntity('quiet'), anEvent('quiet', 'disk')];
  await asking(own.url)('POST', '/api/mon/v1/restore', { objects });
  // Only the event of this new result is handled, not the restored events.
  await asking(own.url)('POST', '/results', { source: 'quiet', name: 'loud', status: 2, output: 'x' });
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(0));
  expect(received.map((body) => (JSON.parse(body) as { check: { name: string } }).check.name)).toEqual(['loud']);
});

test.each([
  { name: 'is notified at once if its silence is gone', hasSilence: false, atOnce: 1, notified: ['disk', 'loud'] },
  { name: 'stays suppressed if its silence is restored', hasSilence: true, atOnce: 0, notified: ['loud'] },
])('a restored event that was silenced $name', async ({ hasSilence, atOnce, notified }) => {
  const { port, received } = await openLineReceiver();
  const settings = { handlers: { default: { type: 'tcp', socket: { host: '127.0.0.1', port } } } };
  await using one = await startBackend({ settings });
  const on = asking(one.url);
  await on('POST', '/silenced', { check: 'disk' });
  await on('POST', '/results', { source: 'web-1', name: 'disk', status: 2, output: 'x' });
  await using other = await startBackend({ settings });
  // Each type is restored in a request of its own, like the pages of a large dump.
  for (const type of [...(hasSilence ? ['silenced'] : []), 'entities', 'events']) {
    const { objects } = (await on('GET', `/api/mon/v1/dump/${type}`)).body as { objects: unknown[] };
    expect((await asking(other.url)('POST', '/api/mon/v1/restore', { objects })).status).toBe(200);
  }
  await vi.waitFor(() => expect(received).toHaveLength(atOnce));
  await asking(other.url)('POST', '/results', { source: 'web-1', name: 'loud', status: 2, output: 'x' });
  await vi.waitFor(() => expect(received).toHaveLength(notified.length));
  expect(received.map((body) => (JSON.parse(body) as { check: { name: string } }).check.name)).toEqual(notified);
});

const ON_CALL_SETTINGS = {
  people: { ada: { notify: ['mail'] } },
  schedules: { database: { layers: [{ people: ['ada'] }] } },
};
const OVERRIDES = '/api/mon/v1/schedules/database/overrides';

function anOverride(name: string, spec: Record<string, unknown> = {}): Record<string, unknown> {
  const metadata = { name, namespace: 'default' };
  const until = Math.floor(Date.now() / 1000) + 3600;
  const attributes = {
    schedule: 'database',
    person: 'ada',
    from: until - 7200,
    until,
    by: 'bob',
    created_at: until - 7200.5,
  };
  return { type: 'OnCallOverride', api_version: 'mon/v1', metadata, spec: { ...attributes, ...spec } };
}

/** Returns the dumped objects of a backend, as one response body for each type. */
async function stateOf(url: string): Promise<unknown[]> {
  const types = ['namespaces', 'checks', 'silenced', 'entities', 'events', 'on-call-overrides', 'users'];
  const as = asking(url, basic('me', 'let me in'));
  return Promise.all(types.map(async (type) => (await as('GET', `/api/mon/v1/dump/${type}`)).body));
}

test('restored objects survive a restart', async () => {
  const dir = await tempDir();
  const use = { suppressed: 3, last_suppressed: 1_603_386_050 };
  const entry = {
    id: 'web:disk',
    subscription: 'web',
    check: 'disk',
    reason: null,
    creator: 'ada',
    begin: null,
    expireAtMs: 4_000_000_000_500,
    expire_on_resolve: false,
    timestamp: 1_603_386_000,
  };
  const objects = [
    { type: 'Namespace', api_version: 'core/v2', metadata: {}, spec: { name: 'kept' } },
    {
      type: 'CheckConfig',
      api_version: 'core/v2',
      metadata: { name: 'c', namespace: 'kept' },
      spec: { command: 'x', interval: 60 },
    },
    dumpedSilenced('kept', entry, use),
    anEntity('e'),
    anEvent('e', 'c', { history: [{ status: 0 }, { status: 2 }], occurrences: 4 }),
    anOverride('o-1'),
    {
      type: 'User',
      api_version: 'core/v2',
      metadata: {},
      spec: { username: 'ada', disabled: true, password_hash: `$2b$10$${'a'.repeat(53)}` },
    },
  ];
  // The user in the configuration gives the test the same access before and after the restore.
  const definitions = { api: { bind: '127.0.0.1', port: 0, user: 'me', password: 'let me in' } };
  const first = await openBackend({ dir, definitions });
  const answer = await asking(first.url, basic('me', 'let me in'))('POST', '/api/mon/v1/restore', { objects });
  expect(answer.body).toMatchObject({ results: objects.map(() => ({ outcome: 'created' })) });
  const before = await stateOf(first.url);
  await first.stop();
  const second = await openBackend({ dir, definitions });
  onTestFinished(() => second.stop());
  expect(await stateOf(second.url)).toEqual(before);
  expect(JSON.stringify(before)).toContain('"suppressed":3');
});

test('a deleted override is restored from a dump with its id', async () => {
  await using own = await startBackend({ settings: ON_CALL_SETTINGS });
  const on = asking(own.url);
  const until = Math.floor(Date.now() / 1000) + 3600;
  const { body } = await on('POST', OVERRIDES, { person: 'ada', until, note: 'swap', by: 'bob' });
  const { id } = body as OnCallOverride;
  const dump = (await on('GET', '/api/mon/v1/dump/on-call-overrides')).body as { objects: unknown[] };
  const { id: _id, ...spec } = body as OnCallOverride;
  expect(dump.objects).toEqual([
    { type: 'OnCallOverride', api_version: 'mon/v1', metadata: { name: id, namespace: 'default' }, spec },
  ]);
  const restored = async (): Promise<unknown> =>
    (await on('POST', '/api/mon/v1/restore', { objects: dump.objects })).body;
  expect(await restored()).toEqual({ results: [{ outcome: 'unchanged' }] });
  await on('DELETE', `${OVERRIDES}/${id}`);
  expect(await restored()).toEqual({ results: [{ outcome: 'created' }] });
  const { overrides } = (await on('GET', '/api/mon/v1/schedules/database')).body as ScheduleDetail;
  expect(overrides).toEqual([body]);
});

test('an override is restored with a warning if its schedule and its person are not defined', async () => {
  expect(await outcomes(anOverride('o-1'))).toEqual([
    {
      outcome: 'created',
      warnings: ['the schedule database is not defined', 'the person ada is not defined'],
    },
  ]);
});

test.each([
  ['an end before its begin', anOverride('x', { from: 4_000_000_000 }), /until must be later than from/],
  ['a duration of two years', anOverride('x', { until: 4_000_000_000 }), /until must be at most 366 days after from/],
  ['an end 31 days ago', anOverride('x', { from: 1, until: 2 }), /ended more than 30 days ago/],
  ['an unknown attribute', anOverride('x', { persons: [] }), /persons/],
  ['no id', anOverride(''), /no valid name/],
])('a restore skips an override with %s', async (_what, object, reason) => {
  expect(await outcomes(object)).toEqual([{ outcome: 'skipped', reason: expect.stringMatching(reason) as string }]);
});

test('a restore skips an override in another namespace than default', async () => {
  await outcomes({ type: 'Namespace', api_version: 'core/v2', metadata: {}, spec: { name: 'shop' } });
  const object = { ...anOverride('x'), metadata: { name: 'x', namespace: 'shop' } };
  expect(await outcomes(object)).toMatchObject([{ outcome: 'skipped' }]);
});

test('dumps and restores are recorded in the audit trail, but dry runs are not', async () => {
  await ask('GET', '/api/mon/v1/dump/users');
  await outcomes(anEntity('audited'));
  await restore({ objects: [anEntity('audited-not')], dry_run: true });
  const [newest, before] = (await ask('GET', '/api/mon/v1/audit?limit=2')).body as AuditRecord[];
  expect(newest).toMatchObject({
    action: 'restore',
    target: 'Entity',
    after: { objects: 1 },
    who: 'local administrator',
  });
  expect(before).toMatchObject({ action: 'dump', target: 'User' });
});

test('a dump that starts at a continue token is recorded in the audit trail as well', async () => {
  expect((await ask('GET', '/api/mon/v1/dump/namespaces?continue=WyJhIl0')).status).toBe(200);
  const [newest] = (await ask('GET', '/api/mon/v1/audit?limit=1')).body as AuditRecord[];
  expect(newest).toMatchObject({ action: 'dump', target: 'Namespace' });
});

test('a dump in pages is complete even if objects are deleted between two pages', async () => {
  await outcomes(...['p-1', 'p-2', 'p-3', 'p-4'].map((name) => anEntity(name)));
  const names: string[] = [];
  let after: string | null = '';
  while (after !== null) {
    const next: string = after === '' ? '' : `&continue=${after}`;
    const answer = await ask('GET', `/api/mon/v1/dump/Entity?namespace=default&limit=2${next}`);
    const page = answer.body as { objects: { metadata: { name: string } }[]; continue: string | null };
    names.push(...page.objects.map(({ metadata }) => metadata.name));
    after = page.continue;
    await ask('DELETE', '/clients/p-2');
  }
  expect(names.filter((name) => name.startsWith('p-')).slice(-2)).toEqual(['p-3', 'p-4']);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  ['/api/mon/v1/dump/Entity?continue=nonsense', 400],
  [`/api/mon/v1/dump/Entity?continue=${Buffer.from('["user","root"]').toString('base64url')}`, 400],
  ['/api/mon/v1/dump/nonsense', 404],
  ['/api/mon/v1/dump/constructor', 404],
])('GET %s returns %i', async (path, status) => {
  expect(await ask('GET', path)).toMatchObject({ status });
});
