import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openFeed } from '../../../../../shared/client/feed-client.ts';
import { BackendRig } from '../../../../support/backend-rig.ts';
import { SsoRig, type SessionTokens } from '../../../../support/sso-rig.ts';

const HOUR_MS = 3_600_000;
/** Time for which one confirmation of the issuer is valid. */
const CONFIRMED_MS = 60_000;

const audit = async ({ administer }: SsoRig, action: string): Promise<unknown> =>
  (await administer('GET', `/api/mon/v1/audit?filter.action=${action}`)).body;

test('a backend without the setting oidc offers no single sign-on and needs no credentials', async () => {
  const rig = await BackendRig.open();
  expect((await rig.ask('GET', '/api/mon/v1/login')).body).toEqual({ oidc: null });
  expect(await rig.ask('POST', '/api/mon/v1/login')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await rig.ask('GET', '/api/mon/v1/events')).status).toBe(200);
});

test('a backend with the setting oidc needs credentials for every request although no user exists', async () => {
  const rig = await SsoRig.open();
  const { issuer } = rig;
  expect((await rig.ask('GET', '/api/mon/v1/login')).body).toEqual({
    oidc: { issuer: issuer.url, client_id: 'mon', scopes: ['openid', 'profile', 'offline_access'] },
  });
  expect(await rig.ask('GET', '/api/mon/v1/events')).toMatchObject({
    status: 401,
    body: { error: expect.stringContaining('log in with monctl login') as string },
  });
});

test('a login that the user confirms begins a session with the rights of the groups', async () => {
  const rig = await SsoRig.open();
  await rig.bindGroup('view');
  const { body } = await rig.ask('POST', '/api/mon/v1/login');
  const { user_code: userCode, device_code } = body as { readonly user_code: string; readonly device_code: string };
  const poll = () => rig.ask('POST', '/api/mon/v1/login/token', { device_code });
  expect((await poll()).body).toEqual({ status: 'pending' });
  await rig.issuer.confirm(userCode, 'subject-1');
  const done = await poll();
  expect(done.body).toMatchObject({ status: 'done', username: 'ada' });
  const as = rig.as(done.body as never);
  expect((await as('GET', '/api/mon/v1/access')).body).toMatchObject({ name: 'ada', via: 'token', scopes: ['read'] });
  expect((await as('GET', '/api/mon/v1/events')).status).toBe(200);
  expect((await as('POST', '/api/mon/v1/silenced', { check: 'disk' })).status).toBe(403);
  expect(await poll()).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
});

test('the audit trail names the issuer and the subject of the login and of each change', async () => {
  const rig = await SsoRig.open();
  await rig.bindGroup('edit');
  const tokens = await rig.logIn();
  await rig.as(tokens)('POST', '/api/mon/v1/silenced', { check: 'disk' });
  const account = { who: 'ada', issuer: rig.issuer.url, subject: 'subject-1', from: '127.0.0.1' };
  expect(await audit(rig, 'user.log-in')).toMatchObject([
    { ...account, target: 'ada', after: { groups: ['oidc:sre'] } },
  ]);
  expect(await audit(rig, 'silence.create')).toMatchObject([account]);
});

test('a login that the user denies is rejected', async () => {
  const rig = await SsoRig.open();
  const { body } = await rig.ask('POST', '/api/mon/v1/login');
  const { user_code: userCode, device_code } = body as { readonly user_code: string; readonly device_code: string };
  await rig.issuer.confirm(userCode, 'subject-1', { denies: true });
  expect(await rig.ask('POST', '/api/mon/v1/login/token', { device_code })).toMatchObject({
    status: 403,
    body: { error: 'the login was denied in the browser: log in again' },
  });
});

test('an unknown device code is rejected', async () => {
  const rig = await SsoRig.open();
  expect(await rig.ask('POST', '/api/mon/v1/login/token', { device_code: 'invented' })).toMatchObject({
    status: 401,
    body: { error: 'the login was not confirmed in time: log in again' },
  });
});

test('an access token is valid for a minute, and a refresh extends the session', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  rig.clock.advance(CONFIRMED_MS - 1000);
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).status).toBe(200);
  rig.clock.advance(1000);
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).status).toBe(401);
  const next = await rig.refreshed(tokens);
  expect((await rig.as(next)('GET', '/api/mon/v1/access')).status).toBe(200);
  // The same request again, because the response was lost.
  expect(await rig.refreshed(tokens)).toMatchObject({ refresh_token: next.refresh_token });
});

test('concurrent refreshes of one session use the refresh token of the issuer once', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  const answers = await Promise.all([1, 2, 3, 4].map(() => rig.refresh(tokens)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await rig.refresh(answers[3]?.body as never)).status).toBe(200);
});

test('a group that the issuer removes is lost at the next refresh, and an open feed is closed', async () => {
  const rig = await SsoRig.open();
  await rig.bindGroup('view');
  const tokens = await rig.logIn();
  const states = followFeed(rig, tokens);
  expect(await reached(rig, states, 'live')).toBe(true);
  rig.issuer.accounts.set('subject-1', { groups: [], preferred_username: 'ada' });
  const next = await rig.refreshed(tokens);
  expect((await rig.as(next)('GET', '/api/mon/v1/events')).status).toBe(403);
  expect(await reached(rig, states, 'the credentials are no longer valid')).toBe(true);
  expect(await audit(rig, 'user.change')).toMatchObject([
    { who: 'mon', before: { groups: ['oidc:sre'] }, after: { groups: [] } },
  ]);
});

test('a feed is closed when its session is not refreshed for a minute', async () => {
  const rig = await SsoRig.open();
  await rig.bindGroup('view');
  const tokens = await rig.logIn();
  const states = followFeed(rig, tokens);
  expect(await reached(rig, states, 'live')).toBe(true);
  expect(await reached(rig, states, 'the credentials are no longer valid', 5000)).toBe(true);
});

test('an account that the issuer removes cannot refresh its session', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  rig.issuer.accounts.delete('subject-1');
  expect((await rig.refresh(tokens)).status).toBe(401);
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).status).toBe(401);
  expect(await audit(rig, 'user.log-out')).toMatchObject([
    { who: 'mon', target: 'ada', how: 'the identity provider answered invalid_grant' },
  ]);
});

test('while the issuer is away, sessions continue for 12 hours with their last groups', async () => {
  const rig = await SsoRig.open();
  await rig.bindGroup('view');
  let tokens = await rig.logIn();
  await rig.issuer.stop();
  for (let hours = 0; hours < 11; hours += 1) {
    rig.clock.advance(HOUR_MS);
    tokens = await rig.refreshed(tokens);
  }
  expect((await rig.as(tokens)('GET', '/api/mon/v1/events')).status).toBe(200);
  expect(await rig.ask('POST', '/api/mon/v1/login')).toMatchObject({ status: 503 });
  rig.clock.advance(HOUR_MS);
  expect((await rig.refresh(tokens)).status).toBe(401);
  expect(rig.log.records.filter(({ message }) => message.includes('does not confirm logins'))).toHaveLength(1);
});

test('a session continues after an outage of the issuer, which has new keys then', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  await rig.issuer.stop();
  rig.clock.advance(CONFIRMED_MS);
  const during = await rig.refreshed(tokens);
  await rig.issuer.start();
  rig.clock.advance(CONFIRMED_MS);
  const after = await rig.refreshed(during);
  rig.issuer.accounts.set('subject-1', { groups: ['other'], preferred_username: 'ada' });
  await rig.refreshed(after);
  const user = await rig.administer('GET', '/api/core/v2/users/ada');
  expect(user.body).toMatchObject({ groups: ['oidc:other'] });
});

test('a session continues after a restart of the backend', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  await rig.stop();
  await rig.start();
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).status).toBe(200);
  expect((await rig.refresh(tokens)).status).toBe(200);
});

test('a session ends when the setting names another issuer', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  await rig.stop();
  await rig.start({ issuer: 'https://other.example.org' });
  expect((await rig.refresh(tokens)).status).toBe(401);
});

test('a logout ends the session and revokes the login at the issuer', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  const { refresh_token } = await rig.refreshed(tokens);
  expect((await rig.as(tokens)('POST', '/auth/logout', { refresh_token })).status).toBe(200);
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).status).toBe(401);
  expect(rig.issuer.requests.at(-1)).toBe('POST /token/revocation');
  expect(rig.issuer.refreshTokenCount).toBe(0);
});

test('disabling a user ends its sessions at once, and rejects new logins', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  await rig.administer('DELETE', '/api/core/v2/users/ada');
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).status).toBe(401);
  expect((await rig.refresh(tokens)).status).toBe(401);
  expect(await rig.tryLogIn()).toMatchObject({
    status: 403,
    body: { error: 'the user ada is disabled: ask an administrator' },
  });
});

test('an administrator ends the sessions of a user at once', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  await rig.administer('DELETE', '/api/core/v2/users/ada/sessions');
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).status).toBe(401);
  expect((await rig.refresh(tokens)).status).toBe(401);
});

test('a login never takes over a local user of the same name', async () => {
  const rig = await SsoRig.open();
  await rig.administer('POST', '/api/core/v2/users', { username: 'ada', password: 'a secret', groups: ['admins'] });
  expect(await rig.tryLogIn()).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(rig.issuer.refreshTokenCount).toBe(0);
});

test('a login never takes over a user that belongs to another account', async () => {
  const rig = await SsoRig.open();
  await rig.logIn();
  rig.issuer.accounts.set('subject-2', { groups: ['sre'], preferred_username: 'ada' });
  expect(await rig.tryLogIn('subject-2')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
});

test('a user of the issuer gets neither a password nor an API key', async () => {
  const rig = await SsoRig.open();
  await rig.logIn();
  expect((await rig.administer('PUT', '/api/core/v2/users/ada/password', { password: 'a secret' })).status).toBe(409);
  expect((await rig.administer('POST', '/api/core/v2/apikeys', { username: 'ada' })).status).toBe(400);
});

test('a group of the issuer with the name of a built-in group grants nothing', async () => {
  const rig = await SsoRig.open();
  rig.issuer.accounts.set('subject-1', { groups: ['cluster-admins', 'system:agents'], preferred_username: 'ada' });
  const tokens = await rig.logIn();
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).body).toMatchObject({ scopes: [] });
});

test('a user of the issuer does not count as the last administrator', async () => {
  const rig = await SsoRig.open({ oidc: { 'groups-prefix': '' } });
  await rig.administer('POST', '/api/core/v2/users', { username: 'root', password: 'a secret', groups: ['admins'] });
  rig.issuer.accounts.set('subject-1', { groups: ['cluster-admins'], preferred_username: 'ada' });
  const tokens = await rig.logIn();
  expect((await rig.as(tokens)('GET', '/api/mon/v1/access')).body).toMatchObject({
    scopes: ['read', 'submit', 'silence', 'resolve', 'admin'],
  });
  expect((await rig.as(tokens)('DELETE', '/api/core/v2/users/root')).status).toBe(409);
});

test('tokens are neither in the log nor in the audit trail, and the store has no token of the issuer', async () => {
  const rig = await SsoRig.open();
  const tokens = await rig.logIn();
  const next = await rig.refreshed(tokens);
  const issued = rig.issuer.refreshTokens;
  expect(issued).not.toEqual([]);
  const shown = JSON.stringify([rig.log.records, (await rig.administer('GET', '/api/mon/v1/audit')).body]);
  await rig.stop();
  const names = await readdir(rig.dir, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const stored = (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
  for (const token of [tokens.access_token, tokens.refresh_token, next.access_token, next.refresh_token, ...issued]) {
    expect(shown).not.toContain(token);
    expect(stored).not.toContain(token);
  }
});

/** Opens a feed, and returns its states as they change: their kinds, and the reasons of disconnections. */
function followFeed({ url }: SsoRig, { access_token: token }: SessionTokens): readonly string[] {
  const states: string[] = [];
  const feed = openFeed(
    { backend: url, topics: ['events'], headers: { authorization: `Bearer ${token}` } },
    {
      onState: (state) => states.push(state.kind === 'waiting' ? state.reason : state.kind),
      onRows: () => undefined,
      onStats: () => undefined,
    },
  );
  onTestFinished(() => feed.close());
  return states;
}

/** Waits until a state of the feed contains a text. The backend sends frames by its clock. */
async function reached({ clock }: SsoRig, states: readonly string[], text: string, stepMs = 50): Promise<boolean> {
  return await vi.waitUntil(() => {
    clock.advance(stepMs);
    return states.some((state) => state.includes(text));
  });
}
