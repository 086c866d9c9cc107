import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AgentPeer } from '../support/agent-peer.ts';
import { FeedPeer } from '../support/feed-peer.ts';
import { send, type Answer, type RawRequest } from '../support/raw-http.ts';
import { runMonctl } from '../support/run-monctl.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';

/** A text that every secret of this test contains: if it appears anywhere, a secret has leaked. */
const SECRET = 'hunter2';
const CREDENTIALS = `ops:${SECRET}-api`;

const nested = {
  list: [{ api_key: SECRET }, [{ secret: SECRET }]],
  deeper: { access_token: 'plain', pass: { x: SECRET } },
};

/** A configuration that contains secrets of every kind. */
const settings = (more: object = {}): object => ({
  api: { user: 'ops', password: `${SECRET}-api` },
  client: { redact: ['pin'], pin: SECRET, password: SECRET, socket: { port: 3030 } },
  checks: {
    disk: { command: 'df', interval: 60, subscribers: ['web'], aggregate: 'app', secret: SECRET, smtp: nested },
  },
  handlers: { chat: { type: 'pipe', command: 'chat', webhook_url: SECRET, accounts: [{ password: SECRET }] } },
  filters: { odd: { attributes: { client: { password: SECRET } } } },
  mutators: { sign: { command: 'sign', private_key: SECRET } },
  slack: { webhook_url: SECRET },
  ...more,
});

let dir: string;
let daemon: DaemonProcess;
const configFile = (): string => join(dir, 'backend.json');

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  await writeFile(configFile(), JSON.stringify(settings()));
  daemon = await startDaemon({
    stateDir: join(dir, 'state'),
    args: ['--config', configFile(), '--log-level', 'debug'],
  });
  await plant();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const authorized = (): string => daemon.url.replace('//', `//${CREDENTIALS}@`);

const ask = (method: string, target: string, rest: Partial<RawRequest> = {}): Promise<Answer> =>
  send(daemon.url, {
    method,
    target,
    ...rest,
    headers: { Authorization: `Basic ${Buffer.from(CREDENTIALS).toString('base64')}`, ...rest.headers },
  });
const post = (target: string, body: unknown): Promise<Answer> => ask('POST', target, { body: JSON.stringify(body) });

/**
 * Creates a client that redacts the default keys and one that redacts its own list of keys. Each has a result whose
 * check contains a secret under such a key.
 */
async function plant(): Promise<void> {
  const usual = { name: 'web-1', password: SECRET, ...nested, http_socket: { user: 'u', password: SECRET } };
  const agent = await AgentPeer.connect(authorized(), 'web-1');
  await agent.join('spool', usual);
  const hooks = { critical: { command: 'ps', output: 'plain', env: { api_token: SECRET } } };
  const result = { name: 'disk', output: 'plain', status: 2, password: SECRET, hooks, ...nested };
  agent.say({ type: 'results', results: [{ id: 1, check: result }] });
  await agent.waitForAck(1);
  agent.cut();

  const own = { redact: ['pin', 'output', 'address'], pin: [SECRET], vault: { pin: SECRET } };
  await post('/clients', { name: 'web-2', address: SECRET, ...own });
  await post('/results', {
    source: 'web-2',
    name: 'disk',
    output: SECRET,
    status: 2,
    pin: SECRET,
    hooks,
    // The command of this handler does not exist, so the event becomes a dead letter.
    handlers: ['chat', 'debug'],
  });
  await post('/results', {
    source: 'web-2',
    name: 'long',
    output: SECRET,
    status: 1,
    truncate_output: true,
    aggregates: ['app'],
  });
  await post('/silenced', { subscription: 'client:web-1', reason: 'plain' });
}

const LISTS = ['/clients', '/events', '/incidents', '/results', '/checks', '/silenced', '/aggregates'];
const TARGETS = [
  ...LISTS,
  ...LISTS.map((list) => `${list}?limit=10`),
  // A filter makes the backend search every item.
  ...LISTS.map((list) => `${list}?filter.none=`),
  ...['web-1', 'web-2'].flatMap((client) => [
    `/clients/${client}`,
    `/clients/${client}/history`,
    `/events/${client}`,
    `/events/${client}/disk`,
    `/incidents/${client}/disk`,
    `/results/${client}`,
    `/results/${client}/disk`,
    `/results/${client}/long`,
    `/events/${client}/long`,
  ]),
  '/checks/disk',
  '/aggregates/app',
  '/aggregates/app/clients',
  '/aggregates/app/checks',
  '/aggregates/app/results/critical',
  '/aggregates/app/results/warning',
  '/aggregates/app/results/critical?filter.none=',
  '/silenced/subscriptions/client:web-1',
  '/silenced/ids/client:web-1:*',
  '/info',
  '/health?consumers=9',
  '/settings',
  '/metrics',
  '/api/mon/v1/handlers',
  '/api/mon/v1/dead-letters',
  '/api/mon/v1/silenced',
  '/api/mon/v1/events/web-1/disk/explain',
  '/api/mon/v1/events/web-2/disk/explain',
];

describe('secrets in the responses of the API', () => {
  test.each(TARGETS)('the response of %s shows no secret', async (target) => {
    const { status, text } = await ask('GET', target);
    expect([200, 404, 412]).toContain(status);
    expect(text).not.toContain(SECRET);
  });

  test('the API responses that hide secrets are not empty', async () => {
    expect((await ask('GET', '/events/web-1/disk')).body).toMatchObject({
      client: { password: 'REDACTED', http_socket: { password: 'REDACTED' }, deeper: { access_token: 'plain' } },
      check: { output: 'plain', password: 'REDACTED', secret: 'REDACTED', hooks: { critical: { output: 'plain' } } },
    });
    expect((await ask('GET', '/settings')).body).toMatchObject({
      api: { user: 'ops', password: 'REDACTED' },
      client: { pin: 'REDACTED', password: 'REDACTED', socket: { port: 3030 } },
      handlers: { chat: { command: 'chat', webhook_url: 'REDACTED', accounts: [{ password: 'REDACTED' }] } },
    });
  });

  test('a dead letter and a simulation show no secret', async () => {
    const letters = await vi.waitFor(async () => {
      const { body } = await ask('GET', '/api/mon/v1/dead-letters?filter.handler=chat');
      expect(body).not.toEqual([]);
      return body as readonly { readonly id: number }[];
    });
    for (const { id } of letters) {
      const { text, body } = await ask('GET', `/api/mon/v1/dead-letters/${String(id)}`);
      expect(body).toMatchObject({ event: { client: { pin: 'REDACTED' }, check: { pin: 'REDACTED' } } });
      expect(text).not.toContain(SECRET);
    }
    const result = { source: 'web-1', name: 'disk', output: 'plain', status: 2, secret: SECRET };
    const { text, body } = await post('/api/mon/v1/simulate', result);
    expect(body).toMatchObject({ event: { client: { password: 'REDACTED' }, check: { secret: 'REDACTED' } } });
    expect(text).not.toContain(SECRET);
  });

  test('the redact list of a client can hide more of its attributes, but cannot reveal secrets of a check', async () => {
    await post('/clients', { name: 'web-3', address: '', redact: ['pin'], pin: SECRET, community: 'of-practice' });
    await post('/results', { source: 'web-3', name: 'disk', output: '', status: 1, pin: SECRET });
    expect((await ask('GET', '/events/web-3/disk')).body).toMatchObject({
      client: { pin: 'REDACTED', community: 'of-practice' },
      check: {
        pin: 'REDACTED',
        secret: 'REDACTED',
        smtp: { list: [{ api_key: 'REDACTED' }, [{ secret: 'REDACTED' }]] },
      },
    });
  });

  test.each([
    '/clients?filter.password=',
    '/clients?filter.pin=',
    '/events?filter.client.password=',
    '/results?filter.check.secret=',
  ])('the filter %s cannot be used to guess a secret', async (target) => {
    expect(await ask('GET', target + SECRET)).toMatchObject({ status: 200, body: [] });
  });

  test('a stash is returned as it was created, including its secrets', async () => {
    await post('/stashes', { path: 'own', content: { password: 'a-password' } });
    expect((await ask('GET', '/stashes/own')).body).toEqual({ password: 'a-password' });
  });
});

describe('secrets in rejections', () => {
  const text = JSON.stringify(SECRET);
  test.each([
    { target: '/clients', body: `{"name": "a", "address": "b", "password": ${SECRET}}` },
    { target: '/clients', body: `{"name": "a", "address": "b", "http_socket": {"password": [${text}]}}` },
    { target: '/clients', body: `{"name": "a", "address": [${text}], "redact": ${text}}` },
    { target: '/results', body: `{"name": "a", "output": [${text}], "status": ${text}, "handlers": ["", ${text}]}` },
    {
      target: '/results',
      body: `{"name": "a", "output": "b", "ttl": ${text}, "aggregates": [${text}, "${SECRET} x"]}`,
    },
    { target: '/api/mon/v1/results', body: `[{"name": "a", "secret": ${text}, "output": 1}]` },
    { target: '/silenced', body: `{"check": "a", "expire": ${text}, "reason": [${text}]}` },
    { target: '/stashes', body: `{"path": "a", "content": ${text}, "expire": ${text}}` },
    { target: '/request', body: `{"check": "disk", "subscribers": ${text}}` },
    { target: '/resolve', body: `{"client": [${text}], "check": ${text}` },
  ])('the rejection of $target with $body repeats no secret', async ({ target, body }) => {
    const answer = await ask('POST', target, { body });
    expect(answer.status).toBe(target.startsWith('/api') ? 202 : 400);
    expect(answer.text).not.toContain(SECRET);
  });

  test('a rejection of credentials does not repeat the secret', async () => {
    for (const Authorization of [`Basic ${SECRET}`, `Basic ${Buffer.from(`ops:${SECRET}`).toString('base64')}`]) {
      const { status, text: refusal } = await ask('GET', '/events', { headers: { Authorization } });
      expect(status).toBe(401);
      expect(refusal).not.toContain(SECRET);
    }
  });

  test('the rejection of an agent message repeats no secret', async () => {
    const agent = await AgentPeer.connect(authorized(), 'web-9');
    await agent.join('spool', { password: SECRET });
    const check = { name: 'disk', output: [SECRET], secret: SECRET };
    agent.sayText(JSON.stringify({ type: 'results', results: [{ id: 1, check }] }));
    await agent.hears('rejected');
    agent.sayText(
      `{"type": "keepalive", "client": {"name": "web-9", "password": "${SECRET}", "address": ["${SECRET}"]}}`,
    );
    await agent.ends();
    expect(JSON.stringify(agent.heard)).not.toContain(SECRET);
  });
});

test('the feed shows no secret', async () => {
  const feed = await FeedPeer.subscribe(authorized(), { topics: ['events', 'clients', 'silenced'] });
  await feed.hears('live');
  await post('/results', { source: 'web-2', name: 'disk', output: `${SECRET} again`, status: 2, pin: SECRET });
  await post('/clients', {
    name: 'web-2',
    address: SECRET,
    redact: ['pin', 'output', 'address'],
    password: 'not hidden',
  });
  await vi.waitFor(() => {
    const changed = feed.all('changes').flatMap(({ rows }) => Object.keys({ ...rows.events, ...rows.clients }));
    expect(changed).toEqual(expect.arrayContaining(['web-2/disk', 'web-2']));
  });
  expect(JSON.stringify(feed.heard)).not.toContain(SECRET);
  expect(JSON.stringify(feed.heard)).toContain('web-2/disk');
  feed.socket.terminate();
});

describe('secrets in the output of monctl', () => {
  test.each([
    'event list',
    'event info web-1 disk',
    'event info web-2 disk',
    'client list',
    'client info web-1',
    'client info web-2',
    'client history web-1',
    'client history web-2',
    'check list',
    'check info disk',
    'result list',
    'result info web-1 disk',
    'result info web-2 long',
    'aggregate info app',
    'aggregate results app critical',
    'silenced list',
    'event explain web-2 disk',
    'handler list',
    'dead-letter list',
    'info',
    'health --consumers 9',
    'settings',
    'version',
    'client info nobody',
  ])('monctl %s shows no secret', async (command) => {
    for (const format of ['table', 'json', 'yaml']) {
      const args = [...command.split(' '), '--output', format, '--backend', authorized()];
      const { stdout, stderr } = await runMonctl(args);
      expect(stdout + stderr).not.toBe('');
      expect(stdout + stderr).not.toContain(SECRET);
    }
  });

  test('monctl shows no secret when there is no backend or when its credentials are rejected', async () => {
    for (const backend of [
      `http://ops:${SECRET}@127.0.0.1:1`,
      daemon.url.replace('//', `//ops:${SECRET}@`),
      `ops:${SECRET}@x`,
    ]) {
      const { code, stdout, stderr } = await runMonctl(['event', 'list', '--backend', backend]);
      expect(code).not.toBe(0);
      expect(stdout + stderr).not.toContain(SECRET);
    }
  });
});

const logged = (message: RegExp): Promise<void> =>
  vi.waitFor(() => expect(daemon.records.some((record) => message.test(record.message))).toBe(true));
async function reload(text: string): Promise<void> {
  await writeFile(configFile(), text);
  process.kill(daemon.pid, 'SIGHUP');
}

describe('secrets in the log', () => {
  test('the log shows no secret of a configuration that changed or was rejected', async () => {
    await reload(
      JSON.stringify(
        settings({ slack: { webhook_url: `${SECRET}-new` }, client: { redact: ['pin'], pin: `${SECRET}-new` } }),
      ),
    );
    await logged(/config file applied changes/);
    await reload(`{"slack": {"webhook_url": ${SECRET}}}`);
    await logged(/configuration rejected/);
    const { text, body } = await ask('GET', '/info');
    expect(body).toMatchObject({
      mon: { config: { error: expect.stringContaining('new configuration') as string } },
    });
    expect(text).not.toContain(SECRET);
  });

  test('the log shows no secret of the requests that the other tests of this file have sent', () => {
    expect(daemon.records.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['api response', 'authentication failed', 'check result rejected', 'agent rejected']),
    );
    expect(daemon.records.filter((record) => JSON.stringify(record).includes(SECRET))).toEqual([]);
  });
});
