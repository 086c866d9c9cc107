import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, UnsecuredJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { Issuer } from '../../../../../daemon/backend/access/oidc/issuer.ts';
import { oidcSettingsSchema } from '../../../../../shared/schemas/oidc.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const KEY_ID = 'key-1';
const NOW_SECONDS = ManualClock.START_MS / 1000;

/** An issuer whose every response the test decides, with an RSA key as most issuers have. */
async function openHostile() {
  const requests: string[] = [];
  const replies: Record<string, Reply> = {};
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    request.resume();
    const { status = 200, headers = {}, body } = replies[path] ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: KEY_ID };
  const discovery = {
    issuer: url,
    jwks_uri: `${url}/jwks`,
    token_endpoint: `${url}/token`,
    device_authorization_endpoint: `${url}/device`,
    userinfo_endpoint: `${url}/userinfo`,
  };
  replies['/.well-known/openid-configuration'] = { body: discovery };
  replies['/jwks'] = { body: { keys: [jwk] } };
  const clock = new ManualClock();
  const settings = oidcSettingsSchema.parse({ issuer: url, 'client-id': 'mon' });
  const issuer = new Issuer({ settings, clock });
  const claims = {
    iss: url,
    aud: 'mon',
    sub: 'subject-1',
    preferred_username: 'ada',
    groups: ['sre'],
    iat: NOW_SECONDS,
    exp: NOW_SECONDS + 300,
  };
  const answerWith = (idToken: string): void => {
    replies['/token'] = { body: { access_token: 'access', id_token: idToken, refresh_token: 'refresh' } };
  };
  const sign = (
    changes: Readonly<Record<string, unknown>> = {},
    { key = keys.privateKey, kid = KEY_ID }: { readonly key?: KeyObject; readonly kid?: string } = {},
  ): Promise<string> => new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
  const logInWith = async (idToken: string) => {
    answerWith(idToken);
    return issuer.pollLogin('device');
  };
  return { url, requests, replies, discovery, keys, clock, issuer, claims, sign, logInWith };
}

const REJECTED = { code: 'unauthenticated' };

test('a valid token of the issuer is accepted', async () => {
  const { sign, logInWith, url } = await openHostile();
  expect(await logInWith(await sign())).toEqual({
    kind: 'done',
    identity: { issuer: url, subject: 'subject-1', username: 'ada', groups: ['oidc:sre'] },
    refreshToken: 'refresh',
  });
});

test('a token that is signed with another key is rejected', async () => {
  const { sign, logInWith } = await openHostile();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await expect(logInWith(await sign({}, { key: privateKey }))).rejects.toMatchObject(REJECTED);
});

test('a token without a signature (alg none) is rejected', async () => {
  const { claims, logInWith } = await openHostile();
  await expect(logInWith(new UnsecuredJWT(claims).encode())).rejects.toMatchObject(REJECTED);
});

test('a token that is signed with the public key as an HMAC secret is rejected', async () => {
  const { claims, keys, logInWith } = await openHostile();
  const [header, body] = [{ alg: 'HS256', kid: KEY_ID }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const secret = keys.publicKey.export({ type: 'spki', format: 'pem' });
  const signature = createHmac('sha256', secret)
    .update(`${String(header)}.${String(body)}`)
    .digest('base64url');
  await expect(logInWith(`${String(header)}.${String(body)}.${signature}`)).rejects.toMatchObject(REJECTED);
});

test.each<{ readonly name: string; readonly changes: Readonly<Record<string, unknown>> }>([
  { name: 'a token for another audience is rejected', changes: { aud: 'other' } },
  { name: 'a token without an audience is rejected', changes: { aud: undefined } },
  { name: 'a token for several audiences without azp is rejected', changes: { aud: ['mon', 'other'] } },
  { name: 'a token that was issued to another client is rejected', changes: { aud: ['mon', 'other'], azp: 'other' } },
  { name: 'a token of another issuer is rejected', changes: { iss: 'https://other.example.org' } },
  { name: 'a token that expired more than a minute ago is rejected', changes: { exp: NOW_SECONDS - 61 } },
  { name: 'a token without an expiry is rejected', changes: { exp: undefined } },
  { name: 'a token that is valid only later is rejected', changes: { nbf: NOW_SECONDS + 61 } },
  { name: 'a token without a subject is rejected', changes: { sub: undefined } },
  { name: 'a token whose user name has forbidden characters is rejected', changes: { preferred_username: 'a\nb' } },
  { name: 'a token with a reserved user name is rejected', changes: { preferred_username: 'anonymous' } },
])('$name', async ({ changes }) => {
  const { sign, logInWith } = await openHostile();
  await expect(logInWith(await sign(changes))).rejects.toMatchObject(REJECTED);
});

test('a token that expired a moment ago is accepted, because clocks differ', async () => {
  const { sign, logInWith } = await openHostile();
  expect(await logInWith(await sign({ exp: NOW_SECONDS - 30 }))).toMatchObject({ kind: 'done' });
});

test('a discovery document of another issuer is rejected', async () => {
  const { replies, discovery, issuer } = await openHostile();
  replies['/.well-known/openid-configuration'] = { body: { ...discovery, issuer: 'https://other.example.org' } };
  await expect(issuer.startLogin()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('names the issuer https://other.example.org') as string,
  });
});

test('a discovery document with an http endpoint beyond loopback is rejected', async () => {
  const { replies, discovery, issuer } = await openHostile();
  const body = { ...discovery, token_endpoint: 'http://attacker.example.org/token' };
  replies['/.well-known/openid-configuration'] = { body };
  await expect(issuer.startLogin()).rejects.toMatchObject({ code: 'unavailable' });
});

test.each(['/.well-known/openid-configuration', '/device'])('a huge response at %s is cut off', async (path) => {
  const { replies, issuer } = await openHostile();
  replies[path] = { body: JSON.stringify({ text: 'x'.repeat(8 * 1024 * 1024) }) };
  await expect(issuer.startLogin()).rejects.toMatchObject({
    message: expect.stringContaining('its response is too large') as string,
  });
});

test.each(['/.well-known/openid-configuration', '/device'])('a redirect of %s is not followed', async (path) => {
  const { replies, issuer, requests, url } = await openHostile();
  replies[path] = { status: 302, headers: { location: `${url}/elsewhere` }, body: {} };
  await expect(issuer.startLogin()).rejects.toMatchObject({
    message: expect.stringContaining('it redirects the request') as string,
  });
  expect(requests).not.toContain('/elsewhere');
});

test('a response that is not JSON is rejected', async () => {
  const { replies, issuer } = await openHostile();
  replies['/.well-known/openid-configuration'] = { body: '<html>' };
  await expect(issuer.startLogin()).rejects.toMatchObject({ code: 'unavailable' });
});

test('the userinfo of another user is rejected', async () => {
  const { replies, sign, logInWith } = await openHostile();
  replies['/userinfo'] = { body: { sub: 'subject-2', groups: ['admins'] } };
  await expect(logInWith(await sign({ groups: undefined }))).rejects.toMatchObject(REJECTED);
});

test('the userinfo completes an ID token without groups, and does not replace its claims', async () => {
  const { replies, sign, logInWith } = await openHostile();
  replies['/userinfo'] = { body: { sub: 'subject-1', groups: ['sre'], preferred_username: 'mallory' } };
  expect(await logInWith(await sign({ groups: undefined }))).toMatchObject({
    identity: { username: 'ada', groups: ['oidc:sre'] },
  });
});

test('a new key is fetched once, and invented keys cause no further requests', async () => {
  const { replies, requests, sign, logInWith, clock } = await openHostile();
  await logInWith(await sign());
  const next = generateKeyPairSync('rsa', { modulusLength: 2048 });
  replies['/jwks'] = { body: { keys: [{ ...next.publicKey.export({ format: 'jwk' }), kid: 'key-2' }] } };
  clock.advance(30_000);
  expect(await logInWith(await sign({}, { key: next.privateKey, kid: 'key-2' }))).toMatchObject({ kind: 'done' });
  for (let count = 0; count < 5; count += 1) {
    await expect(logInWith(await sign({}, { kid: `invented-${String(count)}` }))).rejects.toMatchObject(REJECTED);
  }
  expect(requests.filter((path) => path === '/jwks')).toHaveLength(2);
  // The withdrawn key is not accepted any more.
  await expect(logInWith(await sign())).rejects.toMatchObject(REJECTED);
});

test('a withdrawn key is not trusted for more than ten minutes', async () => {
  const { replies, sign, logInWith, clock } = await openHostile();
  await logInWith(await sign());
  replies['/jwks'] = { body: { keys: [] } };
  clock.advance(10 * 60_000);
  await expect(logInWith(await sign({ exp: NOW_SECONDS + 3600 }))).rejects.toMatchObject(REJECTED);
});

test('a login without a refresh token is rejected, because it could not be checked again', async () => {
  const { replies, issuer, sign } = await openHostile();
  replies['/token'] = { body: { access_token: 'access', id_token: await sign() } };
  expect(await issuer.pollLogin('device')).toMatchObject({
    kind: 'refused',
    error: { message: expect.stringContaining('offline_access') as string },
  });
});

test('a refresh that describes another subject does not confirm the login', async () => {
  const { issuer, url, sign, replies } = await openHostile();
  replies['/token'] = { body: { access_token: 'access', id_token: await sign({ sub: 'subject-2' }) } };
  expect(await issuer.confirm({ issuer: url, subject: 'subject-1' }, 'refresh')).toMatchObject({
    kind: 'confirmed',
    identity: { subject: 'subject-2' },
  });
});

test('an error of the issuer keeps the login, and invalid_grant ends it', async () => {
  const { issuer, url, replies } = await openHostile();
  const account = { issuer: url, subject: 'subject-1' };
  replies['/token'] = { status: 500, body: { error: 'server_error' } };
  expect(await issuer.confirm(account, 'refresh')).toMatchObject({ kind: 'away', refreshToken: 'refresh' });
  replies['/token'] = { status: 400, body: { error: 'invalid_grant' } };
  expect(await issuer.confirm(account, 'refresh')).toMatchObject({ kind: 'ended' });
});

test('errors contain no token', async () => {
  const { issuer, url, replies, sign } = await openHostile();
  const idToken = await sign({ aud: 'other' });
  replies['/token'] = { body: { access_token: 'access-secret', id_token: idToken, refresh_token: 'refresh-secret' } };
  const answer = JSON.stringify(await issuer.confirm({ issuer: url, subject: 'subject-1' }, 'old-secret'));
  for (const token of [idToken, 'access-secret', 'refresh-secret', 'old-secret']) expect(answer).not.toContain(token);
});

test.each([
  'http://issuer.example.org',
  'http://127.0.0.1.example.org',
  'http://127.0.0.1@example.org',
  'https://user:password@example.org',
  'https://example.org/?tenant=1',
  'ftp://example.org',
])('the issuer %s is not accepted as a setting', (issuer) => {
  expect(oidcSettingsSchema.safeParse({ issuer, 'client-id': 'mon' }).success).toBe(false);
});

test.each([
  'https://example.org',
  'https://example.org:8443/realms/ops',
  'http://localhost:8080/realms/ops',
  'http://[::1]:1',
])('the issuer %s is accepted as a setting', (issuer) => {
  expect(oidcSettingsSchema.safeParse({ issuer, 'client-id': 'mon' }).success).toBe(true);
});
