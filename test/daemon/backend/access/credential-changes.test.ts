import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { compose } from '../../../../daemon/backend/compose.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../../shared/schemas/feed.ts';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { SkippingClock } from '../../../support/skipping-clock.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const V2 = '/api/core/v2';
const PASSWORD = 'correct horse';
/** A bcrypt hash of "correct horse" with the lowest cost. */
const HASH = '$2b$04$5344ST3XhlAGx959etVgFOVKNdj4dabhF7t.bkZgOKSoGFcdALMZ.';
/** A bcrypt hash of "battery staple". */
const OTHER_HASH = '$2b$04$qW96ZUZ0ZXBIyycU3g1Gye4DsLo2iNgd2kuEICAMEzqxa4lfbpZ/S';
const KEY_HASH = `sha256$${'s'.repeat(22)}$${'h'.repeat(43)}`;

let clock: SkippingClock;
let backend: RunningBackend;
let requestAsRoot: Ask;
let count = 0;

beforeAll(async () => {
  clock = new SkippingClock();
  backend = await startBackend({
    clock,
    settings: { api: { user: 'root', password: 'long enough' }, 'entity-limit': 10_000 },
  });
  requestAsRoot = asking(backend.url, basic('root', 'long enough'));
});
afterAll(() => backend[Symbol.asyncDispose]());
// Skips a minute, so that invalid credentials of the previous test do not delay the requests of the next one.
beforeEach(() => clock.skip(61_000));

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** A user with an API key and a session, and the sockets that were opened with each kind of credential. */
interface Opened {
  readonly user: string;
  readonly key: string;
  readonly keyId: string;
  readonly tokens: Tokens;
  readonly sockets: Readonly<Record<SocketKind, WebSocket>>;
}

const SOCKETS = [
  'feed by password',
  'feed by token',
  'feed by key',
  'agent by password',
  'agent by token',
  'agent by key',
] as const;
type SocketKind = (typeof SOCKETS)[number];
const TOKENS = ['access token', 'refresh token'] as const;
const KINDS = [...TOKENS, ...SOCKETS, 'API key'] as const;
type Kind = (typeof KINDS)[number];

const BY_PASSWORD: readonly Kind[] = ['feed by password', 'agent by password'];
const BY_TOKEN: readonly Kind[] = ['feed by token', 'agent by token'];
const BY_KEY: readonly Kind[] = ['feed by key', 'agent by key'];
const AGENTS: readonly Kind[] = ['agent by password', 'agent by token', 'agent by key'];
const FEEDS: readonly Kind[] = ['feed by password', 'feed by token', 'feed by key'];

async function openSocket(
  path: string,
  protocol: string,
  authorization: string,
  url = backend.url,
): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, protocol, { headers: { authorization } });
  socket.on('error', () => socket.terminate());
  await once(socket, 'open');
  onTestFinished(() => socket.terminate());
  return socket;
}

/** Opens an agent connection and completes its hello, so that from then on only its credentials can end it. */
async function openAgent(name: string, authorization: string): Promise<WebSocket> {
  const socket = await openSocket(AGENT_PATH, AGENT_PROTOCOL, authorization);
  const welcome = once(socket, 'message');
  socket.send(JSON.stringify({ type: 'hello', spool: 's', client: { name, address: '192.0.2.1', subscriptions: [] } }));
  await welcome;
  return socket;
}

/** Opens a feed that subscribes to the topic `events` and the transport `metrics`. */
async function openFeed(authorization: string, url?: string): Promise<WebSocket> {
  const socket = await openSocket(FEED_PATH, FEED_PROTOCOL, authorization, url);
  socket.send(JSON.stringify({ type: 'subscribe', topics: ['events'], transports: ['metrics'] }));
  return socket;
}

async function logIn(user: string, password = PASSWORD): Promise<Tokens> {
  return (await asking(backend.url, basic(user, password))('GET', '/auth')).body as Tokens;
}

async function open(groups: readonly string[] = ['viewers', 'system:agents']): Promise<Opened> {
  const user = `user-${String(++count)}`;
  await requestAsRoot('PUT', `${V2}/users/${user}`, { username: user, password_hash: HASH, groups });
  const granted = await requestAsRoot('POST', `${V2}/apikeys`, { username: user });
  const { key, metadata } = granted.body as { readonly key: string; readonly metadata: { readonly name: string } };
  const tokens = await logIn(user);
  const shown = { password: basic(user, PASSWORD), token: `Bearer ${tokens.access_token}`, key: `Key ${key}` };
  const sockets = {
    'feed by password': await openFeed(shown.password),
    'feed by token': await openFeed(shown.token),
    'feed by key': await openFeed(shown.key),
    'agent by password': await openAgent(`${user}-password`, shown.password),
    'agent by token': await openAgent(`${user}-token`, shown.token),
    'agent by key': await openAgent(`${user}-key`, shown.key),
  };
  return { user, key, keyId: metadata.name, tokens, sockets };
}

async function refresh({ access_token: access, refresh_token: token }: Tokens): Promise<number> {
  return (await asking(backend.url, `Bearer ${access}`)('POST', '/auth/token', { refresh_token: token })).status;
}

/**
 * Returns whether a socket has ended. If the backend has closed it, the close arrives before the response to a ping.
 */
async function hasEnded(socket: WebSocket): Promise<boolean> {
  if (socket.readyState === WebSocket.OPEN) {
    const answered = Promise.race([once(socket, 'pong'), once(socket, 'close')]);
    socket.ping();
    await answered;
  }
  return socket.readyState !== WebSocket.OPEN;
}

/** Returns the response status of `GET /auth/test` with an access token. */
async function statusOf({ url }: { readonly url: string }, token: string): Promise<number> {
  return (await asking(url, `Bearer ${token}`)('GET', '/auth/test')).status;
}

async function endedOf({ key, tokens, sockets }: Opened): Promise<Kind[]> {
  const ended: Kind[] = [];
  if ((await statusOf(backend, tokens.access_token)) === 401) ended.push('access token');
  if ((await refresh(tokens)) === 401) ended.push('refresh token');
  for (const kind of SOCKETS) if (await hasEnded(sockets[kind])) ended.push(kind);
  if ((await asking(backend.url, `Key ${key}`)('GET', '/auth/test')).status === 401) ended.push('API key');
  return ended;
}

const inOrderOfKinds = (kinds: readonly Kind[]): Kind[] => KINDS.filter((kind) => kinds.includes(kind));

/** Creates a user and logs in, and returns the tokens of the session. */
async function begin(): Promise<Tokens> {
  const username = `user-${String(++count)}`;
  await requestAsRoot('PUT', `${V2}/users/${username}`, { username, password_hash: HASH, groups: ['viewers'] });
  return logIn(username);
}

interface Change {
  readonly title: string;
  readonly change: (opened: Opened) => Promise<unknown>;
  readonly endedKinds: readonly Kind[];
}

const put = (path: string, body?: unknown): ReturnType<Ask> => requestAsRoot('PUT', `${V2}${path}`, body);
const ofPassword = [...TOKENS, ...BY_TOKEN, ...BY_PASSWORD];

const CHANGES: readonly Change[] = [
  {
    title: 'a password change by the user ends all sessions and connections except those of the API key',
    change: ({ user }) =>
      asking(backend.url, basic(user, PASSWORD))('PUT', `${V2}/users/${user}/password`, {
        password: PASSWORD,
        password_hash: OTHER_HASH,
      }),
    endedKinds: ofPassword,
  },
  {
    title: 'a password reset by an administrator ends all sessions and connections except those of the API key',
    change: ({ user }) => put(`/users/${user}/reset_password`, { password_hash: OTHER_HASH }),
    endedKinds: ofPassword,
  },
  {
    title: 'setting the same password again ends all sessions and connections except those of the API key',
    change: ({ user }) => put(`/users/${user}/reset_password`, { password_hash: HASH }),
    endedKinds: ofPassword,
  },
  {
    title: 'replacing a user with another password ends all sessions and connections except those of the API key',
    change: ({ user }) =>
      put(`/users/${user}`, { username: user, password_hash: OTHER_HASH, groups: ['viewers', 'system:agents'] }),
    endedKinds: ofPassword,
  },
  {
    title: 'restoring a user with another password ends all sessions and connections except those of the API key',
    change: ({ user }) =>
      requestAsRoot('POST', '/api/mon/v1/restore', {
        objects: [
          {
            type: 'User',
            api_version: 'core/v2',
            metadata: {},
            spec: { username: user, password_hash: OTHER_HASH, groups: ['viewers', 'system:agents'], disabled: false },
          },
        ],
      }),
    endedKinds: ofPassword,
  },
  {
    title: 'replacing a user with the same password ends no session and no connection',
    change: ({ user }) =>
      put(`/users/${user}`, { username: user, password_hash: HASH, groups: ['viewers', 'system:agents'] }),
    endedKinds: [],
  },
  {
    title: 'disabling a user ends all sessions, API keys and connections of the user',
    change: ({ user }) => requestAsRoot('DELETE', `${V2}/users/${user}`),
    endedKinds: KINDS,
  },
  {
    title: 'replacing a user by a disabled user ends all sessions, API keys and connections of the user',
    change: ({ user }) => put(`/users/${user}`, { username: user, disabled: true }),
    endedKinds: KINDS,
  },
  {
    title: 'reinstating a user restores only the API key, which is a separate credential',
    change: async ({ user, sockets }) => {
      await requestAsRoot('DELETE', `${V2}/users/${user}`);
      for (const kind of SOCKETS) await vi.waitFor(async () => expect(await hasEnded(sockets[kind])).toBe(true));
      await put(`/users/${user}/reinstate`);
    },
    endedKinds: KINDS.filter((kind) => kind !== 'API key'),
  },
  {
    title: 'a logout by an administrator ends sessions and connections of the password, but no API key',
    change: ({ user }) => requestAsRoot('DELETE', `${V2}/users/${user}/sessions`),
    endedKinds: ofPassword,
  },
  {
    title: 'a user may end their own sessions',
    change: ({ user, tokens }) =>
      asking(backend.url, `Bearer ${tokens.access_token}`)('DELETE', `${V2}/users/${user}/sessions`),
    endedKinds: ofPassword,
  },
  {
    title: 'a logout with tokens ends only the session of the tokens',
    change: ({ tokens }) =>
      asking(backend.url, `Bearer ${tokens.access_token}`)('POST', '/auth/logout', {
        refresh_token: tokens.refresh_token,
      }),
    endedKinds: [...TOKENS, ...BY_TOKEN],
  },
  {
    title: 'removing a user from all groups ends the connections of the user but not the session',
    change: ({ user }) => requestAsRoot('DELETE', `${V2}/users/${user}/groups`),
    endedKinds: [...FEEDS, ...AGENTS],
  },
  {
    title: 'removing a user from one of two groups ends only the connections that this group allowed',
    change: ({ user }) => requestAsRoot('DELETE', `${V2}/users/${user}/groups/system:agents`),
    endedKinds: AGENTS,
  },
  {
    title: 'a binding that replaces the default rights of a group ends the connections that these rights allowed',
    change: async () => {
      await put('/clusterrolebindings/nothing', {
        metadata: { name: 'nothing' },
        subjects: [{ type: 'Group', name: 'viewers' }],
        role_ref: { type: 'ClusterRole', name: 'missing' },
      });
      onTestFinished(async () => void (await requestAsRoot('DELETE', `${V2}/clusterrolebindings/nothing`)));
    },
    endedKinds: FEEDS,
  },
  {
    title: 'revoking a key ends its connections',
    change: ({ keyId }) => requestAsRoot('DELETE', `${V2}/apikeys/${keyId}`),
    endedKinds: [...BY_KEY, 'API key'],
  },
  {
    title: 'removing one scope of a key ends the connections that need it',
    change: ({ keyId }) => patchKey(keyId, { scopes: ['read'] }),
    endedKinds: ['agent by key'],
  },
  {
    title: 'limiting a key to one namespace ends its connections',
    change: ({ keyId }) => patchKey(keyId, { namespace: 'default' }),
    endedKinds: BY_KEY,
  },
  {
    title: 'giving a key to another user gives it the rights of that user',
    change: async ({ keyId }) => {
      await put('/users/reader', { username: 'reader', password_hash: HASH, groups: ['viewers'] });
      await patchKey(keyId, { username: 'reader' });
    },
    endedKinds: ['agent by key'],
  },
  {
    title: 'replacing the secret of a key ends the connections of the old secret',
    change: ({ user, keyId }) =>
      put(`/apikeys/${keyId}`, { metadata: { name: keyId }, username: user, hash: KEY_HASH }),
    endedKinds: [...BY_KEY, 'API key'],
  },
  {
    title: 'adding an expiry to a key ends its connections at that time',
    change: async ({ keyId }) => {
      await patchKey(keyId, { expires_at: Math.floor(clock.now() / 1000) + 5 });
      clock.skip(6000);
    },
    endedKinds: [...BY_KEY, 'API key'],
  },
];

async function patchKey(id: string, patch: object): Promise<void> {
  const answer = await requestAsRoot('PATCH', `${V2}/apikeys/${id}`, patch, {
    'Content-Type': 'application/merge-patch+json',
  });
  expect(answer.status).toBe(200);
}

test.each(CHANGES)('$title', async ({ change, endedKinds }) => {
  const opened = await open();
  const others = await open();
  await change(opened);
  const isOfAll = endedKinds === FEEDS;
  const expectedEnds = inOrderOfKinds(endedKinds);
  for (const kind of SOCKETS) {
    if (!expectedEnds.includes(kind)) continue;
    await vi.waitFor(async () => expect([kind, await hasEnded(opened.sockets[kind])]).toEqual([kind, true]), {
      timeout: 4000,
    });
  }
  expect(await endedOf(opened)).toEqual(expectedEnds);
  // Other users of the same groups are affected only if the change is about the rights of a group.
  expect(await endedOf(others)).toEqual(isOfAll ? expectedEnds : []);
});

const rules = (...resources: readonly string[]): object[] => [{ verbs: ['*'], resources }];

function binding(subjects: readonly object[]): object {
  return { metadata: { name: 'changing' }, role_ref: { type: 'ClusterRole', name: 'changing' }, subjects };
}

describe('changes of roles and bindings', () => {
  const ROLE = '/clusterroles/changing';
  const BINDING = '/clusterrolebindings/changing';
  const READ = ['assets', 'checks', 'entities', 'events', 'filters', 'handlers', 'hooks', 'mutators', 'silenced'];

  test.each<{ title: string; change: () => Promise<unknown>; endedKinds: readonly Kind[] }>([
    {
      title: 'removing a rule from a role ends only the connections that needed the rule',
      change: () => put(ROLE, { metadata: { name: 'changing' }, rules: rules('events', 'entities') }),
      endedKinds: FEEDS,
    },
    {
      title: 'deleting a role ends the connections that the role allowed',
      change: () => requestAsRoot('DELETE', `${V2}${ROLE}`),
      endedKinds: [...FEEDS, ...AGENTS],
    },
    {
      title: 'deleting a binding ends the connections that the binding allowed',
      change: () => requestAsRoot('DELETE', `${V2}${BINDING}`),
      endedKinds: [...FEEDS, ...AGENTS],
    },
    {
      title: 'replacing the user in a binding ends the connections that the binding allowed',
      change: () => put(BINDING, binding([{ type: 'User', name: 'somebody else' }])),
      endedKinds: [...FEEDS, ...AGENTS],
    },
  ])('$title', async ({ change, endedKinds }) => {
    await put(ROLE, { metadata: { name: 'changing' }, rules: rules(...READ) });
    await put(BINDING, binding([{ type: 'Group', name: 'changing' }]));
    const opened = await open(['changing']);
    await change();
    for (const kind of endedKinds) {
      const socket = opened.sockets[kind as SocketKind];
      await vi.waitFor(async () => expect([kind, await hasEnded(socket)]).toEqual([kind, true]));
    }
    expect(await endedOf(opened)).toEqual(inOrderOfKinds(endedKinds));
  });
});

describe('the user of the settings', () => {
  test.each([
    { title: 'a changed password', next: { user: 'root', password: 'the new one' } },
    { title: 'a changed user name', next: { user: 'other', password: 'the old one' } },
    { title: 'a removed user', next: {} },
  ])(
    '$title in a reload ends the sessions and connections of the old credentials, even after a restart',
    async ({ next }) => {
      const dir = await tempDir();
      const file = join(dir, 'config.json');
      const configure = (api: object): Promise<void> => writeFile(file, JSON.stringify({ api }));
      const load = (): ReturnType<typeof loadConfig> => loadConfig({ file, directories: [], env: {} });
      const start = async (): ReturnType<typeof compose> =>
        compose({
          config: await load(),
          loadConfig: load,
          openStore: () => openLevelStore(join(dir, 'store')),
          clock: new SkippingClock(),
          log: new RecordedLog(),
          bind: '127.0.0.1',
          port: 0,
        });
      await configure({ user: 'root', password: 'the old one' });
      const first = await start();
      const asRootThere = asking(first.url, basic('root', 'the old one'));
      await asRootThere('PUT', `${V2}/users/stays`, { username: 'stays', password_hash: HASH });
      const tokens = (await asRootThere('GET', '/auth')).body as Tokens;
      const feed = await openFeed(basic('root', 'the old one'), first.url);
      const byToken = await openFeed(`Bearer ${tokens.access_token}`, first.url);
      const stays = (await asking(first.url, basic('stays', PASSWORD))('GET', '/auth')).body as Tokens;
      await first.reload();
      expect(await statusOf(first, tokens.access_token)).toBe(200);

      await configure(next);
      await first.reload();
      await vi.waitFor(async () => expect([await hasEnded(feed), await hasEnded(byToken)]).toEqual([true, true]));
      expect(await statusOf(first, tokens.access_token)).toBe(401);
      await first.stop();

      const second = await start();
      onTestFinished(() => second.stop());
      expect(await statusOf(second, tokens.access_token)).toBe(401);
      const refreshed = await asking(second.url, `Bearer ${tokens.access_token}`)('POST', '/auth/token', {
        refresh_token: tokens.refresh_token,
      });
      expect(refreshed.status).toBe(401);
      expect(await statusOf(second, stays.access_token)).toBe(200);
    },
  );

  test('a restart with the same credentials ends no session', async () => {
    const dir = await tempDir();
    const settings = { api: { user: 'root', password: 'long enough' } };
    const file = join(dir, 'config.json');
    await writeFile(file, JSON.stringify(settings));
    const start = async (): ReturnType<typeof compose> =>
      compose({
        config: await loadConfig({ file, directories: [], env: {} }),
        openStore: () => openLevelStore(join(dir, 'store')),
        clock: new SkippingClock(),
        log: new RecordedLog(),
        bind: '127.0.0.1',
        port: 0,
      });
    const first = await start();
    const { access_token: token } = (await asking(first.url, basic('root', 'long enough'))('GET', '/auth'))
      .body as Tokens;
    await first.stop();
    const second = await start();
    onTestFinished(() => second.stop());
    expect((await asking(second.url, `Bearer ${token}`)('GET', '/auth/test')).status).toBe(200);
  });
});

const exchange = async (tokens: Tokens, shown = tokens.refresh_token): Promise<Tokens | number> => {
  const { status, body } = await asking(backend.url, `Bearer ${tokens.access_token}`)('POST', '/auth/token', {
    refresh_token: shown,
  });
  return status === 200 ? (body as Tokens) : status;
};

const isOpen = async (tokens: Tokens): Promise<boolean> => (await statusOf(backend, tokens.access_token)) === 200;

const exchanged = async (tokens: Tokens): Promise<Tokens> => {
  const next = await exchange(tokens);
  if (typeof next === 'number') throw new Error(`refused with ${String(next)}`);
  return next;
};

describe('refresh tokens', () => {
  test('each refresh returns a new refresh token, which is valid for the next refresh', async () => {
    const first = await begin();
    const second = await exchanged(first);
    const third = await exchanged(second);
    expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
    expect(await isOpen(third)).toBe(true);
  });

  test('the last four access tokens of a session stay valid, so that requests in transit succeed', async () => {
    const tokens = [await begin()];
    for (let refreshes = 0; refreshes < 4; refreshes++) tokens.push(await exchanged(tokens.at(-1) as Tokens));
    expect(await Promise.all(tokens.map(isOpen))).toEqual([false, true, true, true, true]);
  });

  test('a refresh that is repeated because its response was lost returns the same refresh token', async () => {
    const first = await begin();
    const answers = [];
    for (let attempt = 0; attempt < 8; attempt++) answers.push(await exchanged(first));
    expect(new Set(answers.map((tokens) => tokens.refresh_token)).size).toBe(1);
    clock.skip(600_000);
    const [answer = first] = answers;
    expect(await isOpen(await exchanged(answer))).toBe(true);
  });

  test('two programs that refresh the same session concurrently both stay logged in', async () => {
    const first = await begin();
    const [one, other] = await Promise.all([exchanged(first), exchanged(first)]);
    expect(one.refresh_token).toBe(other.refresh_token);
    expect(await isOpen(one)).toBe(true);
    expect(await isOpen(other)).toBe(true);
  });

  test.each([
    { title: 'the previous token, after half a minute', refreshes: 1, skipMs: 31_000 },
    { title: 'an older token, at once', refreshes: 2, skipMs: 0 },
  ])('a reused refresh token ends its session: $title', async ({ refreshes, skipMs }) => {
    const first = await begin();
    let last = first;
    for (let refreshed = 0; refreshed < refreshes; refreshed++) last = await exchanged(last);
    const feed = await openFeed(`Bearer ${last.access_token}`);
    clock.skip(skipMs);
    expect(await exchange(first)).toBe(401);
    expect(await isOpen(last)).toBe(false);
    expect(await exchange(last)).toBe(401);
    await vi.waitFor(async () => expect(await hasEnded(feed)).toBe(true));
    const { body } = await requestAsRoot('GET', '/api/mon/v1/audit?filter.action=user.log-out&limit=1');
    expect(body).toMatchObject([{ who: 'mon', how: 'a refresh token was used twice' }]);
  });

  test('a logout with a reused refresh token is rejected and ends the session', async () => {
    const first = await begin();
    const last = await exchanged(await exchanged(first));
    const answer = await asking(backend.url, `Bearer ${last.access_token}`)('POST', '/auth/logout', {
      refresh_token: first.refresh_token,
    });
    expect([answer.status, await isOpen(last)]).toEqual([401, false]);
    const { body } = await requestAsRoot('GET', '/api/mon/v1/audit?filter.action=user.log-out&limit=1');
    expect(body).toMatchObject([{ who: 'mon', how: 'a refresh token was used twice' }]);
  });

  test('a refresh with an invalid token or a token of another session ends no session', async () => {
    const [own, other] = [await begin(), await begin()];
    expect(await exchange(own, 'x')).toBe(401);
    expect(await exchange(own, other.refresh_token)).toBe(401);
    expect(await isOpen(own)).toBe(true);
    expect(await isOpen(other)).toBe(true);
  });
});

test('ending the sessions of a user is recorded in the audit trail, and an unknown user is 404', async () => {
  const { user } = await open();
  expect((await requestAsRoot('DELETE', `${V2}/users/${user}/sessions`)).status).toBe(204);
  const { body } = await requestAsRoot('GET', `/api/mon/v1/audit?filter.target=${user}&limit=1`);
  expect(body).toMatchObject([{ action: 'user.log-out', who: 'root', before: { sessions: 1 } }]);
  expect((await requestAsRoot('DELETE', `${V2}/users/nobody/sessions`)).status).toBe(404);
  const bystander = asking(backend.url, basic(user, PASSWORD));
  expect((await bystander('DELETE', `${V2}/users/root/sessions`)).status).toBe(403);
  expect((await requestAsRoot('DELETE', `${V2}/users/root/sessions`)).status).toBe(204);
});
