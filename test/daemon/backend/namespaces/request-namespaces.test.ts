import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const MON = '/api/mon/v1';

let backend: RunningBackend;
let asRoot: Ask;
/** Sends requests with a key for `team-a` only. */
let asTeam: Ask;

beforeAll(async () => {
  backend = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  asRoot = asking(backend.url, basic('root', 'long enough'));
  for (const name of ['team-a', 'team-b']) await asRoot('POST', '/api/core/v2/namespaces', { name });
  const { body } = await asRoot('POST', '/api/core/v2/apikeys', { username: 'root', namespace: 'team-a' });
  asTeam = asking(backend.url, `Key ${(body as { readonly key: string }).key}`);
  await asRoot('POST', '/api/core/v2/namespaces/team-a/checks', {
    metadata: { name: 'disk', namespace: 'team-a' },
    command: 'true',
    interval: 3600,
    subscriptions: ['linux'],
  });
});

afterAll(() => backend[Symbol.asyncDispose]());

/** Reports a failing result of a member of an aggregate. */
async function fails(namespace: string, source: string, name = 'disk'): Promise<void> {
  const result = { source, name, output: `full in ${namespace}`, status: 2, aggregate: 'disks' };
  expect(await asRoot('POST', `${MON}/results?namespace=${namespace}`, [result])).toMatchObject({
    status: 202,
    body: { accepted: 1 },
  });
}

const LISTS = ['events', 'clients', 'results', 'silenced', 'checks', 'aggregates'] as const;

const namesIn = async (ask: Ask, list: string, query: string): Promise<unknown> => {
  const { status, body } = await ask('GET', `${MON}/${list}${query}`);
  if (status !== 200) return status;
  return (body as Readonly<Record<string, string>>[]).map(({ namespace, client, name, reason }) =>
    [namespace, reason ?? client ?? name].join(' '),
  );
};

const nameless = (names: readonly string[]): string[] => names.map((name) => ` ${name}`);

describe('lists', () => {
  beforeAll(async () => {
    await fails('default', 'db-1');
    await fails('team-a', 'web-1');
    await fails('team-b', 'web-1');
    for (const namespace of ['default', 'team-a', 'team-b']) {
      const operations = [{ op: 'silence', check: 'disk', reason: namespace }];
      await asRoot('POST', `${MON}/bulk?namespace=${namespace}`, { operations });
    }
  });

  test.each<{ list: (typeof LISTS)[number]; default: string[]; team: string[]; all: string[] }>([
    { list: 'events', default: ['db-1'], team: ['web-1'], all: ['default db-1', 'team-a web-1', 'team-b web-1'] },
    { list: 'clients', default: ['db-1'], team: ['web-1'], all: ['default db-1', 'team-a web-1', 'team-b web-1'] },
    { list: 'results', default: ['db-1'], team: ['web-1'], all: ['default db-1', 'team-a web-1', 'team-b web-1'] },
    {
      list: 'silenced',
      default: ['default'],
      team: ['team-a'],
      all: ['default default', 'team-a team-a', 'team-b team-b'],
    },
    { list: 'checks', default: [], team: ['disk'], all: ['team-a disk'] },
    { list: 'aggregates', default: ['disks'], team: ['disks'], all: ['default disks', 'team-a disks', 'team-b disks'] },
  ])(
    'the list of $list contains the requested namespace, or all namespaces that the caller may read',
    async ({ list, default: own, team, all }) => {
      expect(await namesIn(asRoot, list, '')).toEqual(nameless(own));
      expect(await namesIn(asRoot, list, '?namespace=default')).toEqual(nameless(own));
      expect(await namesIn(asRoot, list, '?namespace=team-a')).toEqual(nameless(team));
      expect(await namesIn(asTeam, list, '?namespace=team-a')).toEqual(nameless(team));
      expect((await namesIn(asRoot, list, '?namespace=*')) as string[]).toEqual(expect.arrayContaining(all));
      expect(await namesIn(asRoot, list, '?namespace=*')).toHaveLength(all.length);
      const seen = all.filter((name) => name.startsWith('team-a'));
      expect(await namesIn(asTeam, list, '?namespace=*')).toEqual(seen);
    },
  );
});

describe('one object', () => {
  beforeAll(async () => {
    await fails('default', 'twin');
    await fails('team-a', 'twin');
  });

  test.each([
    { path: 'events/twin/disk', body: { check: { output: 'full in team-a' } } },
    { path: 'events/twin/disk/explain', body: { client: 'twin', check: 'disk' } },
    { path: 'results/twin/disk', body: { check: { output: 'full in team-a' } } },
    { path: 'clients/twin', body: { client: { name: 'twin' }, checks: [{ name: 'disk' }] } },
    { path: 'checks/disk', body: { name: 'disk', interval: 3600 } },
    { path: 'aggregates/disks/results/critical', body: [{ check: 'disk', summary: [{ output: 'full in team-a' }] }] },
    { path: 'silence-policy', body: { reason: 'required' } },
  ])('GET $path returns the object of the requested namespace', async ({ path, body }) => {
    for (const ask of [asRoot, asTeam]) {
      expect(await ask('GET', `${MON}/${path}?namespace=team-a`)).toMatchObject({ status: 200, body });
    }
  });

  test('a DELETE request changes an object only in the requested namespace', async () => {
    expect(await asTeam('DELETE', `${MON}/events/twin/disk?namespace=team-a`)).toMatchObject({ status: 202 });
    expect((await asRoot('GET', `${MON}/events/twin/disk?namespace=team-a`)).status).toBe(404);
    expect((await asRoot('GET', '/events/twin/disk')).status).toBe(200);
    expect((await asTeam('DELETE', `${MON}/results/twin/disk?namespace=team-a`)).status).toBe(204);
    expect((await asTeam('DELETE', `${MON}/clients/twin?namespace=team-a`)).status).toBe(202);
    expect((await asRoot('GET', '/clients/twin')).status).toBe(200);
    expect((await asTeam('DELETE', `${MON}/aggregates/disks?namespace=team-a`)).status).toBe(204);
    expect((await asRoot('GET', '/aggregates/disks')).status).toBe(200);
  });

  test('a bulk is applied and undone in the requested namespace, and the audit trail names the namespace', async () => {
    const operations = [{ op: 'silence', subscription: 'linux', expire: 3600, reason: 'move' }];
    const made = await asTeam('POST', `${MON}/bulk?namespace=team-a`, { operations });
    expect(made).toMatchObject({ status: 200, body: { results: [{ ok: true }] } });
    expect((await asRoot('GET', '/silenced/ids/linux%3A*')).status).toBe(404);
    const { body } = await asRoot('GET', `${MON}/audit?limit=1`);
    expect(body).toMatchObject([{ action: 'silence.create', target: 'team-a/linux:*' }]);
    const { results } = made.body as { readonly results: readonly { readonly undo: object }[] };
    await asTeam('POST', `${MON}/bulk?namespace=team-a`, { operations: results.map(({ undo }) => undo), undo: true });
    expect((await asRoot('GET', `${MON}/silenced/linux%3A*?namespace=team-a`)).status).toBe(404);
  });

  test('a check run is requested in the requested namespace', async () => {
    expect((await asTeam('POST', `${MON}/request?namespace=team-a`, { check: 'disk' })).status).toBe(202);
    expect((await asRoot('POST', `${MON}/request`, { check: 'disk' })).status).toBe(404);
  });

  test('a simulation and a preview use the requested namespace', async () => {
    const result = { source: 'web-1', name: 'disk', output: 'full', status: 2 };
    expect((await asTeam('POST', `${MON}/simulate?namespace=team-a`, result)).status).toBe(200);
    const preview = { entries: [{ check: 'disk' }] };
    expect(await asTeam('POST', `${MON}/silenced/preview?namespace=team-a`, preview)).toMatchObject({ status: 200 });
  });
});

describe('the overview', () => {
  test.each([
    { title: 'default if none is named', ask: () => asRoot, query: '', registered: 2, noisiest: [{ check: 'disk' }] },
    {
      title: 'the requested namespace',
      ask: () => asTeam,
      query: '?namespace=team-a',
      registered: 1,
      noisiest: [{ check: 'disk' }],
    },
    {
      title: 'all that the caller may read',
      ask: () => asTeam,
      query: '?namespace=*',
      registered: 1,
      noisiest: [{ namespace: 'team-a', check: 'disk' }],
    },
    {
      title: 'all namespaces for an administrator',
      ask: () => asRoot,
      query: '?namespace=*',
      registered: 4,
      noisiest: ['default', 'team-a', 'team-b'].map((namespace) => ({ namespace, check: 'disk' })),
    },
  ])(
    'the overview counts the clients and checks of the right namespaces: $title',
    async ({ ask, query, registered, noisiest }) => {
      const { body } = await ask()('GET', `${MON}/overview${query}`);
      const overview = body as { readonly clients: object; readonly noisiest: readonly object[] };
      expect(overview.clients).toMatchObject({ registered });
      expect(overview.noisiest).toHaveLength(noisiest.length);
      expect(overview.noisiest).toEqual(
        expect.arrayContaining(noisiest.map((one) => expect.objectContaining(one) as object)),
      );
    },
  );
});

describe('forbidden and unknown namespaces', () => {
  test.each([...LISTS, 'overview', 'events/a/b/explain'])(
    'GET %s returns 403 for a namespace that the API key does not allow',
    async (path) => {
      for (const query of ['', '?namespace=team-b', '?namespace=nowhere']) {
        const asked = /=(.+)/.exec(query)?.[1] ?? 'default';
        expect(await asTeam('GET', `${MON}/${path}${query}`)).toEqual(
          expect.objectContaining({
            status: 403,
            body: expect.objectContaining({
              error: `root is limited to the namespace team-a and cannot access ${asked}: use team-a`,
            }) as unknown,
          }),
        );
      }
    },
  );

  test.each([...LISTS, 'overview', 'events/a/b/explain', 'clients/a'])(
    'GET %s returns 404 for an unknown namespace',
    async (path) => {
      const answer = await asRoot('GET', `${MON}/${path}?namespace=nowhere`);
      expect(answer).toMatchObject({ status: 404, body: { error: 'namespace "nowhere" not found' } });
    },
  );

  test.each(['clients/a', 'events/a/b/explain'])('GET %s returns 400 for all namespaces', async (path) => {
    const answer = await asRoot('GET', `${MON}/${path}?namespace=*`);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'namespace: * is only allowed in lists: set a single namespace' },
    });
  });

  test('the v1 API ignores the query parameter namespace', async () => {
    await fails('team-b', 'elsewhere');
    expect((await asRoot('GET', '/events/elsewhere/disk?namespace=team-b')).status).toBe(404);
  });
});

test('the checks of a namespace without events are in the list of the checks of all namespaces', async () => {
  await asRoot('POST', '/api/core/v2/namespaces', { name: 'team-c' });
  await asRoot('POST', '/api/core/v2/namespaces/team-c/checks', {
    metadata: { name: 'new', namespace: 'team-c' },
    command: 'true',
    interval: 3600,
    subscriptions: ['linux'],
  });
  expect(await namesIn(asRoot, 'checks', '?namespace=*')).toContain('team-c new');
});

describe('the namespace in the audit trail', () => {
  test.each([
    { method: 'DELETE', path: 'events/traced/disk', audited: ['event.delete', 'team-a/traced/disk'] },
    { method: 'DELETE', path: 'results/traced/disk', audited: ['result.delete', 'team-a/traced/disk'] },
    { method: 'DELETE', path: 'aggregates/disks', audited: ['aggregate.delete', 'team-a/disks'] },
    { method: 'POST', path: 'checks/swap/rename', body: { to: 'paging' }, audited: ['check.rename', 'team-a/swap'] },
    { method: 'DELETE', path: 'checks/swap', audited: ['check.delete', 'team-a/swap'] },
    { method: 'DELETE', path: 'clients/traced', audited: ['client.delete', 'team-a/traced'] },
  ])('the audit trail names the namespace of $method $path', async ({ method, path, body, audited }) => {
    for (const name of ['disk', 'swap']) await fails('team-a', 'traced', name);
    expect((await asTeam(method, `${MON}/${path}?namespace=team-a`, body)).status).toBeLessThan(300);
    const { body: trail } = await asRoot('GET', `${MON}/audit?limit=10`);
    const found = (trail as readonly { readonly action: string; readonly target: string }[]).find(
      ({ action }) => action === audited[0],
    );
    expect([found?.action, found?.target]).toEqual(audited);
  });
});

test.each([
  { path: 'results', body: [{ source: 'late', name: 'disk', output: '', status: 2 }] },
  { path: 'clients', body: { name: 'late', address: '192.0.2.1', subscriptions: [] } },
  { path: 'silenced', body: { check: 'disk' } },
  { path: 'bulk', body: { operations: [{ op: 'silence', check: 'disk', reason: 'late' }] } },
])('POST $path into a namespace that is being deleted returns 404 and stores nothing', async (late) => {
  const namespace = `gone-${late.path}`;
  await asRoot('POST', '/api/core/v2/namespaces', { name: namespace });
  const [gone, answer] = await Promise.all([
    asRoot('DELETE', `/api/core/v2/namespaces/${namespace}`),
    asRoot('POST', `${MON}/${late.path}?namespace=${namespace}`, late.body),
  ]);
  expect(gone.status).toBe(204);
  expect(answer).toMatchObject({ status: 404, body: { error: `namespace "${namespace}" not found` } });
  await asRoot('POST', '/api/core/v2/namespaces', { name: namespace });
  for (const list of ['clients', 'silenced'])
    expect(await namesIn(asRoot, list, `?namespace=${namespace}`)).toEqual([]);
});
