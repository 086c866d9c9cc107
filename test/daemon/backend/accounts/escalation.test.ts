import { afterAll, beforeAll, expect, test } from 'vitest';
import { asking, basic } from '../../../support/asking.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { V2Peer, type V2Answer } from '../../../support/v2-peer.ts';

const PASSWORD = 'correct horse';
/** A bcrypt hash of "correct horse" with the lowest cost. */
const HASH = '$2b$04$5344ST3XhlAGx959etVgFOVKNdj4dabhF7t.bkZgOKSoGFcdALMZ.';
const KEY_HASH = `sha256$${'s'.repeat(22)}$${'h'.repeat(43)}`;
const PROD = '/namespaces/prod';

let backend: RunningBackend;
let root: V2Peer;
let helpdesk: V2Peer;
let keeper: V2Peer;
let count = 0;

const credentialsOf = (user: string): { Authorization: string } => ({ Authorization: basic(user, PASSWORD) });
const rule = (verbs: string[], ...resources: string[]): object => ({ verbs, resources });
const clusterRole = (name: string): object => ({ type: 'ClusterRole', name });
const user = (name: string): object => ({ type: 'User', name });
const group = (name: string): object => ({ type: 'Group', name });

async function expectCreated(answer: Promise<V2Answer>): Promise<void> {
  expect([201, 204]).toContain((await answer).status);
}

async function makeUser(username: string, groups: readonly string[] = []): Promise<void> {
  await expectCreated(root.put(`/users/${username}`, { username, password_hash: HASH, groups, disabled: false }));
}

async function bind(name: string, role: string, subjects: readonly object[], namespace?: string): Promise<void> {
  const metadata = { name };
  const body = { metadata, role_ref: clusterRole(role), subjects };
  const path = namespace === undefined ? '' : `/namespaces/${namespace}`;
  await expectCreated(
    root.put(`${path}/${namespace === undefined ? 'clusterrolebindings' : 'rolebindings'}/${name}`, body),
  );
}

beforeAll(async () => {
  backend = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  root = new V2Peer(backend.url, { Authorization: basic('root', 'long enough') });
  await expectCreated(root.post('/namespaces', { name: 'prod' }));
  await expectCreated(root.post('/namespaces', { name: 'dev' }));
  await makeUser('boss', ['cluster-admins']);
  await makeUser('gone', ['cluster-admins']);
  await expectCreated(root.delete('/users/gone'));
  // The role may administer users, roles, bindings, keys and namespaces, read checks and write silences.
  const kinds = ['users', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings', 'apikeys', 'namespaces'];
  const rules = [rule(['*'], ...kinds), rule(['get', 'list'], 'checks'), rule(['*'], 'silenced')];
  await expectCreated(root.put('/clusterroles/helpdesk', { metadata: { name: 'helpdesk' }, rules }));
  await makeUser('helpdesk');
  await bind('helpdesk', 'helpdesk', [user('helpdesk')]);
  await bind('waiting', 'cluster-admin', [user('not-made-yet')]);
  await makeUser('keeper');
  await bind('keeper', 'admin', [user('keeper')], 'prod');
  helpdesk = new V2Peer(backend.url, credentialsOf('helpdesk'));
  keeper = new V2Peer(backend.url, credentialsOf('keeper'));
});
afterAll(() => backend[Symbol.asyncDispose]());

const metadata = (name: string, namespace?: string): object => ({
  metadata: { name, ...(namespace && { namespace }) },
});

test.each<{ title: string; ask: (peer: V2Peer) => Promise<V2Answer>; missingRight: string }>([
  {
    title: 'cannot reset the password of an administrator',
    ask: (peer) => peer.put('/users/boss/reset_password', { password: 'taken over' }),
    missingRight: 'the scope admin',
  },
  {
    title: 'cannot replace an administrator with another password',
    ask: (peer) => peer.put('/users/boss', { username: 'boss', password: 'taken over', groups: ['cluster-admins'] }),
    missingRight: 'the scope admin',
  },
  {
    title: 'cannot replace an administrator with another password, even without the groups',
    ask: (peer) => peer.put('/users/self', { username: 'self', password: 'long enough', groups: ['admins'] }),
    missingRight: 'the scope admin',
  },
  {
    title: 'cannot join a group with more rights',
    ask: (peer) => peer.put('/users/helpdesk/groups/cluster-admins', {}),
    missingRight: 'the scope admin',
  },
  {
    title: 'cannot create a user in a group with more rights',
    ask: (peer) => peer.post('/users', { username: 'new', password: 'long enough', groups: ['operators'] }),
    missingRight: 'the scope resolve',
  },
  {
    title: 'cannot create a user whose name is already bound',
    ask: (peer) => peer.post('/users', { username: 'not-made-yet', password: 'long enough' }),
    missingRight: 'the scope admin',
  },
  {
    title: 'cannot reinstate an administrator',
    ask: (peer) => peer.put('/users/gone/reinstate', {}),
    missingRight: 'the scope admin',
  },
  {
    title: 'cannot replace a disabled administrator by an enabled one',
    ask: (peer) => peer.put('/users/gone', { username: 'gone', groups: ['cluster-admins'], disabled: false }),
    missingRight: 'the scope admin',
  },
  {
    title: 'cannot create a cluster role with more rights',
    ask: (peer) => peer.post('/clusterroles', { ...metadata('more'), rules: [rule(['create'], 'handlers')] }),
    missingRight: 'create of handlers in all namespaces',
  },
  {
    title: 'cannot create a cluster role with all rights',
    ask: (peer) => peer.post('/clusterroles', { ...metadata('more'), rules: [rule(['*'], '*')] }),
    missingRight: 'every verb of every resource in all namespaces',
  },
  {
    title: 'cannot widen a cluster role by a patch',
    ask: (peer) => peer.patch('/clusterroles/helpdesk', { rules: [rule(['*'], 'handlers')] }),
    missingRight: 'every verb of handlers',
  },
  {
    title: 'cannot widen a built-in role',
    ask: (peer) => peer.put('/clusterroles/view', { ...metadata('view'), rules: [rule(['*'], 'events')] }),
    missingRight: 'every verb of events',
  },
  {
    title: 'cannot create a role of a namespace with more rights, even by a path without the namespace',
    ask: (peer) => peer.post('/roles', { ...metadata('more', 'prod'), rules: [rule(['delete'], 'checks')] }),
    missingRight: 'delete of checks in the namespace prod',
  },
  {
    title: 'cannot create a role for an object that the user may not change',
    ask: (peer) =>
      peer.put(`${PROD}/roles/one`, {
        ...metadata('one', 'prod'),
        rules: [{ verbs: ['update'], resources: ['checks'], resource_names: ['disk'] }],
      }),
    missingRight: 'update of checks disk in the namespace prod',
  },
  {
    title: 'cannot bind users to a cluster role with more rights',
    ask: (peer) =>
      peer.post('/clusterrolebindings', {
        ...metadata('mine'),
        role_ref: clusterRole('cluster-admin'),
        subjects: [user('helpdesk')],
      }),
    missingRight: 'every verb of every resource',
  },
  {
    title: 'cannot bind users in a namespace to a cluster role with more rights, even with rules in the body',
    ask: (peer) =>
      peer.put(`${PROD}/rolebindings/mine`, {
        ...metadata('mine', 'prod'),
        role_ref: clusterRole('edit'),
        subjects: [user('helpdesk')],
        rules: [rule(['get'], 'checks')],
      }),
    missingRight: 'in the namespace prod',
  },
  {
    title: 'cannot add users to a binding with more rights',
    ask: (peer) => peer.patch('/clusterrolebindings/waiting', { subjects: [user('helpdesk')] }),
    missingRight: 'every verb of every resource',
  },
  {
    title: 'cannot create a role with too many rights to compare',
    ask: (peer) => {
      const names = Array.from({ length: 900 }, (_none, at) => `n${String(at)}`);
      const rules = [{ verbs: ['get', 'list', 'update'], resources: ['silenced'], resource_names: names }];
      return peer.post('/clusterroles', { ...metadata('endless'), rules });
    },
    missingRight: 'more than 2000 single rights',
  },
])('a user who may only administer users and roles $title', async ({ ask, missingRight }) => {
  expect(await ask(helpdesk)).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining(missingRight) },
  });
  expect((await root.get('/users/boss')).body).toMatchObject({ groups: ['cluster-admins'], disabled: false });
  expect(await new V2Peer(backend.url, credentialsOf('boss')).get('/users')).toMatchObject({ status: 200 });
});

test('only a user with all rights can bind users to a role that does not exist', async () => {
  const body = { ...metadata('early'), role_ref: clusterRole('later'), subjects: [user('helpdesk')] };
  expect(await helpdesk.put('/clusterrolebindings/early', body)).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('the ClusterRole later does not exist, so it cannot be bound') },
  });
  expect(await root.put('/clusterrolebindings/early', body)).toMatchObject({ status: 201 });
  const rules = [rule(['*'], 'handlers')];
  expect(await helpdesk.put('/clusterroles/later', { ...metadata('later'), rules })).toMatchObject({ status: 403 });
});

test('a user cannot restore the default rights of a group by deleting its binding or the namespace of the binding', async () => {
  await expectCreated(root.post('/namespaces', { name: 'short' }));
  await bind('operators', 'view', [group('operators')], 'short');
  const path = '/namespaces/short/rolebindings/operators';
  const refused = { status: 403, body: { message: expect.stringContaining('names of groups grant rights') as string } };
  expect(await helpdesk.delete(path)).toMatchObject(refused);
  const rules = [rule(['get'], 'checks')];
  await expectCreated(root.put('/clusterroles/little', { ...metadata('little'), rules }));
  const other = { ...metadata('operators', 'short'), role_ref: clusterRole('little'), subjects: [user('helpdesk')] };
  expect(await helpdesk.put(path, other)).toMatchObject(refused);
  expect(await helpdesk.delete('/namespaces/short')).toMatchObject(refused);
  expect(await root.delete(path)).toMatchObject({ status: 204 });
  expect(await helpdesk.delete('/namespaces/short')).toMatchObject({ status: 204 });
});

test('deleting a replaced built-in role requires the rights that the deletion restores', async () => {
  await expectCreated(root.put('/clusterroles/edit', { ...metadata('edit'), rules: [rule(['get'], 'checks')] }));
  expect(await helpdesk.delete('/clusterroles/edit')).toMatchObject({ status: 403 });
  expect(await root.delete('/clusterroles/edit')).toMatchObject({ status: 204 });
});

test('a user can create a key of another user neither with all roles nor with scopes beyond the own rights', async () => {
  await makeUser('idle');
  for (const username of ['boss', 'idle']) {
    const refused = await helpdesk.post('/apikeys', { username });
    expect(refused).toMatchObject({ status: 403 });
  }
  expect(await helpdesk.post('/apikeys', { username: 'boss', scopes: ['read'] })).toMatchObject({ status: 403 });
  const restored = { metadata: { name: 'a'.repeat(16) }, username: 'boss', hash: KEY_HASH };
  expect(await helpdesk.put(`/apikeys/${'a'.repeat(16)}`, restored)).toMatchObject({ status: 403 });
  const own = await helpdesk.post('/apikeys', { username: 'helpdesk' });
  expect(own).toMatchObject({ status: 201 });
  const { name } = (own.body as { readonly metadata: { readonly name: string } }).metadata;
  expect(await helpdesk.patch(`/apikeys/${name}`, { username: 'boss' })).toMatchObject({ status: 403 });
});

test('a restore requires an administrator, whatever rights the roles of a user include', async () => {
  const ask = asking(backend.url, basic('helpdesk', PASSWORD));
  const spec = { username: 'helpdesk', password_hash: HASH, groups: ['cluster-admins'], disabled: false };
  const objects = [{ type: 'User', api_version: 'core/v2', metadata: {}, spec }];
  expect(await ask('POST', '/api/mon/v1/restore', { objects })).toMatchObject({ status: 403 });
});

test('an administrator of users and roles may grant their own rights, and remove any rights', async () => {
  const username = `given-${String(++count)}`;
  expect(await helpdesk.post('/users', { username, password: PASSWORD })).toMatchObject({ status: 201 });
  const rules = [rule(['get'], 'checks'), rule(['get', 'list', 'create', 'update', 'delete'], 'silenced')];
  expect(await helpdesk.post('/clusterroles', { ...metadata('given'), rules })).toMatchObject({ status: 201 });
  const body = { ...metadata('given'), role_ref: clusterRole('given'), subjects: [user(username)] };
  expect(await helpdesk.post('/clusterrolebindings', body)).toMatchObject({ status: 201 });
  const reset = { password: 'another one' };
  expect(await helpdesk.put(`/users/${username}/reset_password`, reset)).toMatchObject({ status: 201 });
  expect(await helpdesk.delete(`/users/${username}`)).toMatchObject({ status: 204 });
  expect(await helpdesk.put(`/users/${username}/reinstate`, {})).toMatchObject({ status: 201 });
  expect(await helpdesk.delete('/clusterrolebindings/given')).toMatchObject({ status: 204 });
  // Removing more rights than one has is allowed, because it grants nothing.
  await makeUser('leaver', ['cluster-admins', 'viewers']);
  expect(await helpdesk.delete('/users/leaver/groups/viewers')).toMatchObject({ status: 204 });
  expect(await helpdesk.delete('/users/leaver')).toMatchObject({ status: 204 });
});

test('an administrator of one namespace may grant rights in that namespace, but not all rights there', async () => {
  const binding = (role: string): object => ({
    ...metadata('by-keeper', 'prod'),
    role_ref: clusterRole(role),
    subjects: [user('helpdesk')],
  });
  expect(await keeper.put(`${PROD}/rolebindings/by-keeper`, binding('edit'))).toMatchObject({ status: 201 });
  expect(await keeper.put(`${PROD}/rolebindings/by-keeper`, binding('cluster-admin'))).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('every verb of every resource in the namespace prod') },
  });
  const rules = [rule(['*'], '*')];
  expect(await keeper.put(`${PROD}/roles/all`, { ...metadata('all', 'prod'), rules })).toMatchObject({ status: 403 });
  expect(await keeper.delete(`${PROD}/rolebindings/by-keeper`)).toMatchObject({ status: 204 });
});

test('an administrator may grant any right', async () => {
  const boss = new V2Peer(backend.url, credentialsOf('boss'));
  expect(await boss.put('/users/gone/reinstate', {})).toMatchObject({ status: 201 });
  const rules = [rule(['*'], '*')];
  expect(await boss.put('/clusterroles/all', { ...metadata('all'), rules })).toMatchObject({ status: 201 });
});
