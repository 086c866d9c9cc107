import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import type { Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { SkippingClock } from '../../../support/skipping-clock.ts';

const USERS = '/api/core/v2/users';

/** A bcrypt hash of "correct horse" with the lowest cost. */
const HASH = '$2b$04$5344ST3XhlAGx959etVgFOVKNdj4dabhF7t.bkZgOKSoGFcdALMZ.';

/** A bcrypt hash of "battery staple". */
const OTHER_HASH = '$2b$04$qW96ZUZ0ZXBIyycU3g1Gye4DsLo2iNgd2kuEICAMEzqxa4lfbpZ/S';

let clock: SkippingClock;
let backend: RunningBackend;
let requestAsRoot: Ask;

beforeAll(async () => {
  clock = new SkippingClock();
  backend = await startBackend({ clock, settings: { api: { user: 'root', password: 'long enough' } } });
  requestAsRoot = asking(backend.url, basic('root', 'long enough'));
});
afterAll(() => backend[Symbol.asyncDispose]());

const as = (user: string, password: string): Ask => asking(backend.url, basic(user, password));
const viewer = (username: string): object => ({ username, password_hash: HASH, groups: ['viewers'] });
const decodeTokenPart = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const statusOf = async (asked: Promise<Answer>): Promise<number> => (await asked).status;

test('a user can log in with a password on every API and has the rights of the groups of the user', async () => {
  const made = await requestAsRoot('POST', USERS, { username: 'eve', password: 'battery staple', groups: ['viewers'] });
  expect(made).toMatchObject({ status: 201, headers: { location: `${USERS}/eve` } });
  const eve = as('eve', 'battery staple');
  expect(await statusOf(eve('GET', '/events'))).toBe(200);
  expect(await statusOf(eve('GET', '/api/core/v2/namespaces'))).toBe(200);
  expect(await statusOf(eve('POST', '/silenced', { check: 'disk' }))).toBe(403);
  expect(await statusOf(eve('GET', USERS))).toBe(403);
  expect(await statusOf(as('eve', 'battery stable')('GET', '/events'))).toBe(401);
  const { text } = await requestAsRoot('GET', USERS);
  expect(text).not.toContain('$2b$');
  expect((await requestAsRoot('GET', '/api/mon/v1/dump/User')).text).toContain('$2b$10$');
  expect(text + (await requestAsRoot('GET', '/api/mon/v1/audit')).text).not.toContain('battery');
});

test('a user with a password hash from a dump can log in', async () => {
  const user = { username: 'dump', password_hash: HASH, groups: ['operators', 'of-another-cluster'], disabled: false };
  expect(await statusOf(requestAsRoot('PUT', `${USERS}/dump`, user))).toBe(201);
  const { password_hash: _hash, ...shown } = user;
  expect((await requestAsRoot('GET', `${USERS}/dump`)).body).toEqual(shown);
  expect(await statusOf(as('dump', 'correct horse')('GET', '/info'))).toBe(200);
});

test.each([
  { name: 'short', user: { username: 'x', password: 'seven77' } },
  { name: 'longer than bcrypt supports', user: { username: 'x', password: 'é'.repeat(37) } },
  { name: 'missing', user: { username: 'x' } },
  { name: 'given both as text and as hash', user: { username: 'x', password: 'long enough', password_hash: HASH } },
  { name: 'not a bcrypt hash', user: { username: 'x', password_hash: 'x' } },
  { name: 'a bcrypt hash with too high a cost', user: { username: 'x', password_hash: HASH.replace('$04$', '$31$') } },
  { name: 'valid, but the name contains a colon', user: { username: 'x:y', password: 'long enough' } },
  { name: 'valid, but the name is that of the backend', user: { username: 'mon', password: 'long enough' } },
])('creating a user returns 400 if the password is $name', async ({ user }) => {
  expect(await requestAsRoot('POST', USERS, user)).toMatchObject({ status: 400, body: { code: 1 } });
});

test('creating a user with the name of an existing user is rejected', async () => {
  expect(await statusOf(requestAsRoot('POST', USERS, { username: 'one', password_hash: HASH }))).toBe(201);
  expect(await requestAsRoot('POST', USERS, { username: 'one', password_hash: HASH })).toMatchObject({
    status: 409,
    body: { code: 3 },
  });
  expect(await statusOf(requestAsRoot('PUT', `${USERS}/two`, { username: 'one' }))).toBe(400);
});

test('a changed password is valid at once, and the old password no longer is', async () => {
  await requestAsRoot('POST', USERS, { username: 'bob', password_hash: HASH, groups: ['viewers'] });
  const old = as('bob', 'correct horse');
  expect(await statusOf(old('GET', '/info'))).toBe(200);
  expect(
    await statusOf(requestAsRoot('PUT', `${USERS}/bob/password`, { username: 'bob', password: 'another one' })),
  ).toBe(201);
  expect(await statusOf(old('GET', '/info'))).toBe(401);
  expect(await statusOf(as('bob', 'another one')('GET', '/info'))).toBe(200);
  expect(await statusOf(requestAsRoot('PUT', `${USERS}/nobody/password`, { password: 'another one' }))).toBe(404);
});

test('a user without groups is shown without the attribute groups, as in Sensu Go', async () => {
  await requestAsRoot('POST', USERS, { username: 'loner', password_hash: HASH });
  expect((await requestAsRoot('GET', `${USERS}/loner`)).body).toEqual({ username: 'loner', disabled: false });
  await requestAsRoot('PUT', `${USERS}/loner/groups/viewers`);
  const grouped = { username: 'loner', groups: ['viewers'], disabled: false };
  expect((await requestAsRoot('GET', `${USERS}/loner`)).body).toEqual(grouped);
});

describe('a password change as clients of Sensu Go send it', () => {
  const NEXT = { password: 'correct horse', password_hash: OTHER_HASH };

  test('a user changes the own password with the current password', async () => {
    await requestAsRoot('POST', USERS, viewer('kim'));
    const kim = as('kim', 'correct horse');
    expect(await kim('PUT', `${USERS}/kim/password`, NEXT)).toMatchObject({ status: 201, text: '' });
    expect(await statusOf(kim('GET', '/info'))).toBe(401);
    expect(await statusOf(as('kim', 'battery staple')('GET', '/info'))).toBe(200);
  });

  test('an administrator can change the password of a user repeatedly', async () => {
    await requestAsRoot('POST', USERS, viewer('lee'));
    expect(await statusOf(requestAsRoot('PUT', `${USERS}/lee/password`, NEXT))).toBe(201);
    expect(await statusOf(requestAsRoot('PUT', `${USERS}/lee/password`, { ...NEXT, password: 'battery staple' }))).toBe(
      201,
    );
    expect(await statusOf(requestAsRoot('PUT', `${USERS}/lee/reset_password`, { password_hash: HASH }))).toBe(201);
    expect(await statusOf(as('lee', 'correct horse')('GET', '/info'))).toBe(200);
  });

  test('only the user with the current password, or an administrator, can change a password', async () => {
    await requestAsRoot('POST', USERS, viewer('max'));
    await requestAsRoot('POST', USERS, viewer('mia'));
    const max = as('max', 'correct horse');
    expect(await statusOf(max('PUT', `${USERS}/mia/password`, NEXT))).toBe(403);
    expect(await statusOf(max('PUT', `${USERS}/max/reset_password`, { password_hash: OTHER_HASH }))).toBe(403);
    const wrong = { ...NEXT, password: 'wrong horse' };
    expect(await max('PUT', `${USERS}/max/password`, wrong)).toMatchObject({ status: 400, body: { code: 1 } });
    expect(await requestAsRoot('PUT', `${USERS}/max/password`, wrong)).toMatchObject({
      status: 400,
      body: { code: 1 },
    });
    // The current password is required, so that nobody can change the password at an unattended terminal.
    expect(await statusOf(max('PUT', `${USERS}/max/password`, { password_hash: OTHER_HASH }))).toBe(400);
    expect(await statusOf(requestAsRoot('PUT', `${USERS}/nobody/password`, NEXT))).toBe(404);
    expect(await statusOf(as('mia', 'correct horse')('GET', '/info'))).toBe(200);
  });

  test('a user may read the own user record, and nobody sees the password hash', async () => {
    await requestAsRoot('POST', USERS, viewer('ned'));
    const ned = as('ned', 'correct horse');
    const open = { username: 'ned', groups: ['viewers'], disabled: false };
    expect((await ned('GET', `${USERS}/ned`)).body).toEqual(open);
    expect((await requestAsRoot('GET', `${USERS}/ned`)).body).toEqual(open);
    expect(await statusOf(ned('GET', `${USERS}/max`))).toBe(403);
  });
});

test('a deleted user is disabled and can be reinstated', async () => {
  await requestAsRoot('POST', USERS, { username: 'leaver', password_hash: HASH, groups: ['viewers'] });
  const leaver = as('leaver', 'correct horse');
  expect(await statusOf(leaver('GET', '/info'))).toBe(200);
  expect(await statusOf(requestAsRoot('DELETE', `${USERS}/leaver`))).toBe(204);
  expect(await statusOf(leaver('GET', '/info'))).toBe(401);
  expect((await requestAsRoot('GET', `${USERS}/leaver`)).body).toMatchObject({ disabled: true });
  expect(await statusOf(requestAsRoot('PUT', `${USERS}/leaver/reinstate`))).toBe(201);
  expect(await statusOf(leaver('GET', '/info'))).toBe(200);
});

test('the audit trail shows which user was changed by whom', async () => {
  await requestAsRoot('POST', USERS, { username: 'traced', password_hash: HASH });
  await requestAsRoot('PUT', `${USERS}/traced/groups/viewers`);
  await requestAsRoot('DELETE', `${USERS}/traced`);
  const { body } = await requestAsRoot('GET', '/api/mon/v1/audit?filter.target=traced');
  expect(body).toMatchObject([
    { action: 'user.disable', who: 'root', before: { groups: ['viewers'] }, after: { disabled: true } },
    { action: 'user.change', who: 'root', after: { groups: ['viewers'] } },
    { action: 'user.create', who: 'root', before: null, after: { groups: [], disabled: false } },
  ]);
});

describe('access tokens and refresh tokens', () => {
  interface Tokens {
    readonly access_token: string;
    readonly expires_at: number;
    readonly refresh_token: string;
  }
  const bearer = ({ access_token: token }: Tokens): Ask => asking(backend.url, `Bearer ${token}`);
  const logIn = async (): Promise<Tokens> => (await as('user', 'correct horse')('GET', '/auth')).body as Tokens;
  beforeAll(() =>
    requestAsRoot('PUT', `${USERS}/user`, { username: 'user', password_hash: HASH, groups: ['viewers'] }),
  );

  test('a login returns an access token and a refresh token for the password', async () => {
    const before = Math.floor(clock.now() / 1000);
    const tokens = await logIn();
    expect(tokens).toEqual({
      access_token: expect.any(String),
      expires_at: expect.any(Number),
      refresh_token: expect.any(String),
    });
    const lifetime = tokens.expires_at - before;
    // `before` was read earlier, so the measured lifetime can be a little longer than 900 seconds.
    expect(lifetime >= 900 && lifetime <= 905).toBe(true);
    const ask = bearer(tokens);
    expect(await statusOf(ask('GET', '/events'))).toBe(200);
    expect(await statusOf(ask('GET', '/api/core/v2/namespaces'))).toBe(200);
    expect(await statusOf(ask('POST', '/silenced', { check: 'disk' }))).toBe(403);
    expect(await ask('GET', '/auth/test')).toMatchObject({ status: 200, text: '' });
  });

  test('an access token expires and is renewed with the refresh token', async () => {
    const tokens = await logIn();
    clock.skip(900_000);
    expect(await statusOf(bearer(tokens)('GET', '/events'))).toBe(401);
    const next = await bearer(tokens)('POST', '/auth/token', { refresh_token: tokens.refresh_token });
    expect(next.status).toBe(200);
    expect(await statusOf(bearer(next.body as Tokens)('GET', '/events'))).toBe(200);
  });

  test('an access token is still accepted after the next access token was issued', async () => {
    const tokens = await logIn();
    const next = await bearer(tokens)('POST', '/auth/token', { refresh_token: tokens.refresh_token });
    expect(await statusOf(bearer(tokens)('GET', '/events'))).toBe(200);
    expect(await statusOf(bearer(next.body as Tokens)('GET', '/events'))).toBe(200);
  });

  test('a logout invalidates both tokens at once', async () => {
    const tokens = await logIn();
    const out = await bearer(tokens)('POST', '/auth/logout', { refresh_token: tokens.refresh_token });
    expect(out).toMatchObject({ status: 200, text: '' });
    expect(await statusOf(bearer(tokens)('GET', '/events'))).toBe(401);
    expect(await statusOf(bearer(tokens)('POST', '/auth/token', { refresh_token: tokens.refresh_token }))).toBe(401);
  });

  test('a refresh token expires after twelve hours without use', async () => {
    const tokens = await logIn();
    clock.skip(12 * 3_600_000);
    expect(await statusOf(bearer(tokens)('POST', '/auth/token', { refresh_token: tokens.refresh_token }))).toBe(401);
  });

  test('the access token of one login cannot be used with the refresh token of another login', async () => {
    const [one, two] = [await logIn(), await logIn()];
    expect(await statusOf(bearer(one)('POST', '/auth/token', { refresh_token: two.refresh_token }))).toBe(401);
    expect(await statusOf(bearer(one)('POST', '/auth/token', { refresh_token: one.access_token }))).toBe(401);
    expect(await statusOf(asking(backend.url, `Bearer ${one.refresh_token}`)('GET', '/events'))).toBe(401);
  });

  test('rejected logins have the same two texts as in Sensu Go', async () => {
    expect(await as('user', 'wrong')('GET', '/auth')).toMatchObject({ status: 401, text: 'Unauthorized\n' });
    const nobody = asking(backend.url, null);
    const refused = { status: 401, text: 'Request unauthorized\n' };
    expect(await nobody('GET', '/auth')).toMatchObject(refused);
    expect(await nobody('GET', '/auth/test')).toMatchObject(refused);
    expect(await nobody('POST', '/auth/token', { refresh_token: 'x' })).toMatchObject(refused);
    expect(await bearer(await logIn())('POST', '/auth/token', {})).toMatchObject(refused);
  });

  test('an access token contains the claims that clients of Sensu Go read', async () => {
    const { access_token: token, expires_at: expires } = await logIn();
    const [header = '', claims = '', signature] = token.split('.');
    expect(decodeTokenPart(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(decodeTokenPart(claims)).toEqual({
      sub: 'user',
      groups: ['viewers'],
      provider: { provider_id: 'basic', provider_type: 'basic', user_id: 'user' },
      api_key: false,
      exp: expires,
      jti: expect.any(String),
    });
    expect(signature).toMatch(/^[\w-]{43}$/);
  });

  test('a forged access token is rejected', async () => {
    const { access_token: token } = await logIn();
    const [header = '', claims = '', signature = ''] = token.split('.');
    const forged = encode({ ...(decodeTokenPart(claims) as object), sub: 'root' });
    const none = encode({ alg: 'none', typ: 'JWT' });
    for (const text of [`${header}.${forged}.${signature}`, `${none}.${claims}.`, `${header}.${claims}.`]) {
      expect(await statusOf(asking(backend.url, `Bearer ${text}`)('GET', '/events'))).toBe(401);
    }
    expect(await statusOf(asking(backend.url, `Bearer ${token}`)('GET', '/events'))).toBe(200);
  });
});

describe('the settings', () => {
  test.each([
    {
      name: 'an administrator reads the settings with secrets on request',
      ask: () => requestAsRoot,
      target: '/settings?redacted=false',
      shown: true,
    },
    {
      name: 'an administrator reads the settings without secrets by default',
      ask: () => requestAsRoot,
      target: '/settings',
      shown: false,
    },
    {
      name: 'another user reads the settings without secrets',
      ask: () => as('dump', 'correct horse'),
      target: '/settings?redacted=false',
      shown: false,
    },
  ])('$name', async ({ ask, target, shown }) => {
    expect((await ask()('GET', target)).text.includes('long enough')).toBe(shown);
  });

  test('reading the settings is recorded in the audit trail', async () => {
    const { body } = await requestAsRoot('GET', '/api/mon/v1/audit?filter.action=settings.read');
    expect(body).toMatchObject([{ who: 'root', target: 'settings' }]);
  });
});

describe('a backend without users', () => {
  test('the first user ends anonymous access, and the last administrator cannot be deleted', async () => {
    await using open = await startBackend();
    const anybody = asking(open.url, null);
    const local = asking(open.url);
    expect(await statusOf(anybody('GET', '/events'))).toBe(200);
    expect(await statusOf(anybody('GET', '/auth'))).toBe(401);
    const admin = { username: 'root', password_hash: HASH, groups: ['cluster-admins'] };
    expect(await statusOf(anybody('POST', USERS, admin))).toBe(403);
    expect(await statusOf(local('POST', USERS, admin))).toBe(201);
    expect(await statusOf(anybody('GET', '/events'))).toBe(401);
    const root = asking(open.url, basic('root', 'correct horse'));
    expect(await root('DELETE', `${USERS}/root`)).toMatchObject({ status: 409, body: { code: 3 } });
    expect(await statusOf(root('DELETE', `${USERS}/root/groups/cluster-admins`))).toBe(409);
    expect(await statusOf(root('POST', USERS, { ...admin, username: 'second' }))).toBe(201);
    expect(await statusOf(root('DELETE', `${USERS}/root`))).toBe(204);
  });
});
