import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { V2Peer } from '../../../support/v2-peer.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
let root: V2Peer;

const PASSWORD = 'long enough it is';
const basic = (name: string): Record<string, string> => ({ authorization: `Basic ${btoa(`${name}:${PASSWORD}`)}` });
const as = (name: string): V2Peer => new V2Peer(backend.url, basic(name));
const PROD = '/namespaces/prod';
const DEV = '/namespaces/dev';

beforeAll(async () => {
  backend = await startBackend({
    batcher: { lingerMs: 0 },
    settings: { api: { user: 'root', password: PASSWORD }, 'agent-listener': { port: 0 } },
  });
  root = as('root');
  for (const name of ['prod', 'dev']) {
    await root.post('/namespaces', { name });
    await root.put(`/namespaces/${name}/checks/x`, {
      command: 'true',
      interval: 60,
      metadata: { name: 'x', namespace: name },
    });
  }
});

afterAll(async () => backend[Symbol.asyncDispose]());

let users = 0;

/** Creates a user in these groups, without role bindings of its own, and returns its name. */
async function user(...groups: readonly string[]): Promise<string> {
  const username = `user${String(++users)}`;
  expect(await root.put(`/users/${username}`, { username, password: PASSWORD, groups })).toMatchObject({ status: 201 });
  return username;
}

let bindings = 0;

/** Binds a user to a role, in a namespace or in all of them. */
async function bind(username: string, ref: { type: string; name: string }, namespace?: string): Promise<string> {
  const name = `b${String(++bindings)}`;
  const path = namespace === undefined ? '/clusterrolebindings' : `/namespaces/${namespace}/rolebindings`;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const body = { subjects: [{ type: 'User', name: username }], role_ref: ref, metadata };
  expect(await root.post(path, body)).toMatchObject({ status: 201 });
  return `${path}/${name}`;
}

const CLUSTER_ROLE = (name: string): { type: string; name: string } => ({ type: 'ClusterRole', name });
const status = async (answer: Promise<{ readonly status: number }>): Promise<number> => (await answer).status;
const check = (namespace: string, name = 'x'): object => ({
  command: 'true',
  interval: 30,
  metadata: { name, namespace },
});
const event = (namespace: string): object => ({
  entity: { entity_class: 'proxy', metadata: { name: 'e', namespace } },
  check: { metadata: { name: 'c', namespace }, status: 0, interval: 10 },
});

const v1 = async (who: string, method: string, path: string): Promise<number> =>
  (await fetch(`${backend.url}${path}`, { method, headers: basic(who) })).status;

async function keyOf(username: string, limits: object = {}): Promise<V2Peer> {
  const { status: answered, body } = await root.post('/apikeys', { username, ...limits });
  expect(answered).toBe(201);
  return new V2Peer(backend.url, { authorization: `Key ${(body as { readonly key: string }).key}` });
}

describe('roles and bindings', () => {
  const rules = [{ verbs: ['get', 'list'], resources: ['checks', 'events'], resource_names: ['a'] }];

  test.each([
    ['roles', PROD, { namespace: 'prod' }],
    ['clusterroles', '', {}],
  ])('objects of type %s are created, shown with every attribute, changed and deleted', async (kind, within, place) => {
    const path = `${within}/${kind}`;
    const role = { rules, metadata: { name: 'r1', ...place } };
    const shown = { rules, metadata: { ...role.metadata, created_by: 'root' } };
    expect(await root.post(path, role)).toMatchObject({ status: 201, body: undefined });
    expect(await root.post(path, role)).toMatchObject({ status: 409 });
    expect(await root.put(`${path}/r1`, role)).toMatchObject({ status: 201 });
    expect((await root.get(`${path}/r1`)).body).toEqual(shown);
    expect((await root.get(path)).body).toContainEqual(shown);
    expect(await root.patch(`${path}/r1`, { metadata: { labels: { p: 'q' } } })).toMatchObject({
      status: 200,
      body: { ...shown, metadata: { ...shown.metadata, labels: { p: 'q' } } },
    });
    expect(await root.put(`${path}/other`, role)).toMatchObject({ status: 400 });
    expect(await root.delete(`${path}/r1`)).toMatchObject({ status: 204 });
    expect(await root.delete(`${path}/r1`)).toMatchObject({ status: 404 });
    const open = { rules: [{ resources: ['checks'] }], metadata: { name: 'open', ...place } };
    expect(await root.post(path, open)).toMatchObject({ status: 201 });
    expect((await root.get(`${path}/open`)).body).toMatchObject({
      rules: [{ verbs: null, resources: ['checks'], resource_names: null }],
    });
  });

  test.each<[what: string, path: string, body: object]>([
    ['a role without rules', `${PROD}/roles`, { metadata: { name: 'b', namespace: 'prod' } }],
    ['a role with an unknown verb', '/clusterroles', { rules: [{ verbs: ['fly'] }], metadata: { name: 'b' } }],
    ['a role with a space in its name', '/clusterroles', { rules, metadata: { name: 'a b' } }],
    [
      'a binding without subjects',
      '/clusterrolebindings',
      { subjects: [], role_ref: CLUSTER_ROLE('view'), metadata: { name: 'b' } },
    ],
    [
      'a binding without a role',
      '/clusterrolebindings',
      { subjects: [{ type: 'User', name: 'u' }], metadata: { name: 'b' } },
    ],
    [
      'a binding with a subject of an unknown type',
      '/clusterrolebindings',
      { subjects: [{ type: 'Host', name: 'u' }], role_ref: CLUSTER_ROLE('view'), metadata: { name: 'b' } },
    ],
  ])('%s is rejected', async (_what, path, body) => {
    expect(await root.post(path, body)).toMatchObject({ status: 400, body: { code: 1 } });
  });

  test('the built-in roles and bindings are shown as in Sensu Go', async () => {
    expect(((await root.get('/clusterroles')).body as { metadata: object }[]).map(({ metadata }) => metadata)).toEqual(
      expect.arrayContaining(
        ['admin', 'cluster-admin', 'edit', 'system:agent', 'system:user', 'view'].map((name) => ({ name })),
      ),
    );
    expect((await root.get('/clusterrolebindings/cluster-admin')).body).toEqual({
      subjects: [{ type: 'Group', name: 'cluster-admins' }],
      role_ref: { type: 'ClusterRole', name: 'cluster-admin' },
      metadata: { name: 'cluster-admin' },
    });
    expect((await root.get('/rolebindings')).body).toContainEqual({
      subjects: [{ type: 'Group', name: 'system:pipeline' }],
      role_ref: { type: 'Role', name: 'system:pipeline' },
      metadata: { name: 'system:pipeline', namespace: 'default' },
    });
  });

  test('a PUT of an unchanged built-in role is accepted, but changing or deleting a built-in role is rejected', async () => {
    const own = (await root.get('/clusterroles/cluster-admin')).body as object;
    expect(await root.put('/clusterroles/cluster-admin', own)).toMatchObject({ status: 201 });
    const less = { ...own, rules: [{ verbs: ['get'], resources: ['checks'] }] };
    expect(await root.put('/clusterroles/cluster-admin', less)).toMatchObject({ status: 409 });
    expect(await root.delete('/clusterroles/cluster-admin')).toMatchObject({ status: 409 });
    expect(await root.delete('/clusterrolebindings/system:agent')).toMatchObject({ status: 409 });
  });

  test('the roles view, edit and admin can be replaced, and deleting a replacement restores the built-in role', async () => {
    const own = (await root.get('/clusterroles/view')).body;
    const less = { rules: [{ verbs: ['get'], resources: ['checks'] }], metadata: { name: 'view' } };
    expect(await root.put('/clusterroles/view', less)).toMatchObject({ status: 201 });
    expect((await root.get('/clusterroles/view')).body).toMatchObject({ rules: less.rules });
    expect(await root.delete('/clusterroles/view')).toMatchObject({ status: 204 });
    expect((await root.get('/clusterroles/view')).body).toEqual(own);
  });

  test('roles are deleted together with their namespace', async () => {
    await root.post('/namespaces', { name: 'short' });
    const metadata = { name: 'r', namespace: 'short' };
    await root.put('/namespaces/short/roles/r', { rules, metadata });
    expect(await root.delete('/namespaces/short')).toMatchObject({ status: 204 });
    await root.post('/namespaces', { name: 'short' });
    expect((await root.get('/namespaces/short/roles')).body).toEqual([]);
  });
});

describe('a user whose rights come from roles only', () => {
  test('a user without a binding has no rights, and a user with a binding has exactly the rights of its role', async () => {
    const name = await user('nobodies');
    const peer = as(name);
    expect(await status(peer.get(`${PROD}/checks`))).toBe(403);
    await root.put(`${PROD}/roles/ro`, {
      rules: [{ verbs: ['get', 'list'], resources: ['checks'] }],
      metadata: { name: 'ro', namespace: 'prod' },
    });
    const binding = await bind(name, { type: 'Role', name: 'ro' }, 'prod');
    expect(await status(peer.get(`${PROD}/checks`))).toBe(200);
    expect(await status(peer.get(`${PROD}/checks/x`))).toBe(200);
    expect(await status(peer.get(`${PROD}/checks/none`))).toBe(404);
    expect(await status(peer.put(`${PROD}/checks/x`, check('prod')))).toBe(403);
    expect(await status(peer.patch(`${PROD}/checks/x`, { interval: 12 }))).toBe(403);
    expect(await status(peer.delete(`${PROD}/checks/x`))).toBe(403);
    expect(await status(peer.get(`${PROD}/events`))).toBe(403);
    expect(await status(peer.post(`${PROD}/events`, event('prod')))).toBe(403);
    expect(await status(peer.get(`${DEV}/checks`))).toBe(403);
    expect(await status(peer.get('/checks'))).toBe(403);
    expect((await peer.get('/namespaces')).body).toEqual([{ name: 'prod' }]);
    expect(await status(peer.get('/namespaces/prod'))).toBe(200);
    expect(await status(peer.get('/namespaces/dev'))).toBe(403);
    for (const path of ['/users', '/apikeys', '/clusterroles', `${PROD}/roles`, '/tessen', '/cluster/members']) {
      expect(await status(peer.get(path))).toBe(403);
    }
    expect(await root.delete(binding)).toMatchObject({ status: 204 });
    expect(await status(peer.get(`${PROD}/checks`))).toBe(403);
  });

  test('a user who may create API keys cannot give a key the roles of another user, not even by a patch', async () => {
    const [granter, other] = [await user(), await user()];
    await root.put('/clusterroles/key-maker', {
      rules: [{ verbs: ['*'], resources: ['apikeys'] }],
      metadata: { name: 'key-maker' },
    });
    await bind(granter, CLUSTER_ROLE('key-maker'));
    await bind(other, CLUSTER_ROLE('edit'), 'prod');
    const peer = as(granter);
    expect(await peer.post('/apikeys', { username: other })).toMatchObject({ status: 403 });
    const own = await peer.post('/apikeys', { username: granter });
    expect(own).toMatchObject({ status: 201, body: { all_roles: true } });
    const path = `/apikeys/${(own.body as { readonly metadata: { readonly name: string } }).metadata.name}`;
    expect(await peer.patch(path, { username: other })).toMatchObject({ status: 403 });
    expect((await root.get(path)).body).toMatchObject({ username: granter });
    expect(await root.post('/apikeys', { username: other })).toMatchObject({ status: 201, body: { all_roles: true } });
  });

  test('a role with resource_names applies only to the named objects', async () => {
    const name = await user();
    await root.put(`${PROD}/roles/one`, {
      rules: [{ verbs: ['*'], resources: ['checks'], resource_names: ['mine'] }],
      metadata: { name: 'one', namespace: 'prod' },
    });
    await bind(name, { type: 'Role', name: 'one' }, 'prod');
    const peer = as(name);
    expect(await status(peer.put(`${PROD}/checks/mine`, check('prod', 'mine')))).toBe(201);
    expect(await status(peer.get(`${PROD}/checks/mine`))).toBe(200);
    expect(await status(peer.get(`${PROD}/checks/x`))).toBe(403);
    expect(await status(peer.get(`${PROD}/checks`))).toBe(403);
    expect(await status(peer.post(`${PROD}/checks`, check('prod', 'mine')))).toBe(403);
  });

  test('a user with the role edit in one namespace may write checks there, but no handlers', async () => {
    const name = await user();
    await bind(name, CLUSTER_ROLE('edit'), 'prod');
    const peer = as(name);
    const handler = { type: 'pipe', command: 'cat', metadata: { name: 'h', namespace: 'prod' } };
    expect(await status(peer.put(`${PROD}/checks/own`, check('prod', 'own')))).toBe(201);
    expect(await status(peer.post(`${PROD}/events`, event('prod')))).toBe(201);
    expect(await peer.put(`${PROD}/handlers/h`, handler)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('run on the backend host') },
    });
    await bind(name, CLUSTER_ROLE('edit'));
    expect(await status(peer.put(`${PROD}/handlers/h`, handler))).toBe(201);
  });

  test('a user sees secrets only in definitions that the user may change', async () => {
    const [reader, writer] = [await user(), await user()];
    await bind(reader, CLUSTER_ROLE('view'), 'prod');
    await bind(writer, CLUSTER_ROLE('edit'), 'prod');
    const secret = { ...check('prod', 'secret'), env_vars: ['TOKEN=hunter2'] };
    await root.put(`${PROD}/checks/secret`, secret);
    expect((await as(reader).get(`${PROD}/checks/secret`)).body).toMatchObject({ env_vars: ['TOKEN=REDACTED'] });
    expect((await as(writer).get(`${PROD}/checks/secret`)).body).toMatchObject({ env_vars: ['TOKEN=hunter2'] });
  });

  test('a cluster role that a user has in all namespaces includes its scopes in every API', async () => {
    const [viewer, editor, administrator] = [await user(), await user(), await user()];
    expect(await v1(viewer, 'GET', '/events')).toBe(403);
    await bind(viewer, CLUSTER_ROLE('view'));
    await bind(editor, CLUSTER_ROLE('edit'));
    await bind(administrator, CLUSTER_ROLE('cluster-admin'));
    expect(await v1(viewer, 'GET', '/events')).toBe(200);
    expect(await v1(viewer, 'POST', '/results')).toBe(403);
    expect(await v1(editor, 'POST', '/results')).toBe(400);
    expect(await v1(editor, 'DELETE', '/clients/none')).toBe(403);
    expect(await v1(administrator, 'DELETE', '/clients/none')).toBe(404);
    expect(await status(as(administrator).get('/users'))).toBe(200);
    expect(await status(as(viewer).get('/checks'))).toBe(200);
  });

  test('an administrator of one namespace may bind users there, but no groups and in no other namespace', async () => {
    const [admin, other] = [await user(), await user()];
    await bind(admin, CLUSTER_ROLE('admin'), 'prod');
    const binding = (namespace: string, subjects: object[]): object => ({
      subjects,
      role_ref: CLUSTER_ROLE('view'),
      metadata: { name: 'by-admin', namespace },
    });
    const subjects = [{ type: 'User', name: other }];
    expect(await status(as(admin).put(`${PROD}/rolebindings/by-admin`, binding('prod', subjects)))).toBe(201);
    expect(await status(as(other).get(`${PROD}/checks`))).toBe(200);
    expect(await status(as(admin).put(`${DEV}/rolebindings/by-admin`, binding('dev', subjects)))).toBe(403);
    // A binding that names the group would remove its default scopes in all namespaces.
    const group = [{ type: 'Group', name: 'editors' }];
    expect(await as(admin).put(`${PROD}/rolebindings/by-admin`, binding('prod', group))).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('editors') },
    });
  });
});

describe('groups with default rights', () => {
  test('a group loses its default rights when a binding names the group, with a warning', async () => {
    const name = await user('viewers');
    expect(await status(as(name).get('/checks'))).toBe(200);
    const binding = await root.put(`${PROD}/rolebindings/viewers`, {
      subjects: [{ type: 'Group', name: 'viewers' }],
      role_ref: CLUSTER_ROLE('view'),
      metadata: { name: 'viewers', namespace: 'prod' },
    });
    expect(binding.headers.get('warning')).toMatch(/viewers: from now on only bindings grant rights/);
    expect(await status(as(name).get('/checks'))).toBe(403);
    expect(await status(as(name).get(`${PROD}/checks`))).toBe(200);
    await root.delete(`${PROD}/rolebindings/viewers`);
    expect(await status(as(name).get('/checks'))).toBe(200);
  });

  test('the groups cluster-admins and system:agents keep their default rights when a binding names them', async () => {
    const [admin, agent] = [await user('cluster-admins'), await user('system:agents')];
    for (const group of ['cluster-admins', 'system:agents']) {
      const metadata = { name: group.replace(':', '-') };
      const body = { subjects: [{ type: 'Group', name: group }], role_ref: CLUSTER_ROLE('gone'), metadata };
      expect(await root.put(`/clusterrolebindings/${metadata.name}`, body)).toMatchObject({ status: 201 });
    }
    expect(await status(as(admin).get('/users'))).toBe(200);
    expect(await status(as(agent).post(`${PROD}/events`, event('prod')))).toBe(201);
    expect(await status(as(agent).get(`${PROD}/events`))).toBe(403);
  });
});

describe('API keys of users with roles', () => {
  test('an API key has the roles of its user within its scopes and namespace', async () => {
    const name = await user();
    await bind(name, CLUSTER_ROLE('edit'), 'prod');
    await bind(name, CLUSTER_ROLE('edit'), 'dev');
    const [whole, reading, kept] = [
      await keyOf(name),
      await keyOf(name, { scopes: ['read'] }),
      await keyOf(name, { namespace: 'prod' }),
    ];
    expect(await status(whole.put(`${DEV}/checks/k`, check('dev', 'k')))).toBe(201);
    expect(await status(reading.get(`${DEV}/checks/k`))).toBe(200);
    expect(await status(reading.put(`${DEV}/checks/k`, check('dev', 'k')))).toBe(403);
    expect(await status(kept.put(`${PROD}/checks/k`, check('prod', 'k')))).toBe(201);
    expect(await status(kept.get(`${DEV}/checks/k`))).toBe(404);
  });

  test('an API key loses the rights that its user loses', async () => {
    const name = await user();
    const binding = await bind(name, CLUSTER_ROLE('view'));
    const key = await keyOf(name);
    expect(await status(key.get('/checks'))).toBe(200);
    await root.delete(binding);
    expect(await status(key.get('/checks'))).toBe(403);
  });
});

test('a user with the right to create events in a namespace may connect as an agent there until the right ends', async () => {
  const name = await user();
  await root.put(`${PROD}/roles/agents`, {
    rules: [{ verbs: ['create'], resources: ['events'] }],
    metadata: { name: 'agents', namespace: 'prod' },
  });
  const binding = await bind(name, { type: 'Role', name: 'agents' }, 'prod');
  const credentials = `${name}:${PASSWORD}`;
  const refused = await GoAgent.connect(backend.agentUrl, { name: 'a1', namespace: 'dev', credentials });
  expect(refused).toMatchObject({ status: 403 });
  const agent = await GoAgent.joined(backend.agentUrl, { name: 'a1', namespace: 'prod', credentials });
  await agent.register();
  await root.delete(binding);
  await expect.poll(() => agent.ending).toMatchObject({ code: 1008 });
});

test('no change of roles can remove the last administrator', async () => {
  await using other = await startBackend({ batcher: { lingerMs: 0 } });
  const first = new V2Peer(other.url);
  const subjects = [{ type: 'User', name: 'ada' }];
  await first.put('/clusterrolebindings/ada', {
    subjects,
    role_ref: CLUSTER_ROLE('cluster-admin'),
    metadata: { name: 'ada' },
  });
  await first.put('/users/ada', { username: 'ada', password: PASSWORD, groups: [] });
  const ada = new V2Peer(other.url, basic('ada'));
  expect(await ada.get('/users')).toMatchObject({ status: 200 });
  expect(await ada.delete('/clusterrolebindings/ada')).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('would have no administrator') },
  });
});
