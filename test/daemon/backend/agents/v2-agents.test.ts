import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const INTERVAL_S = 10;

const clock = new ManualClock(Date.now());
let dir: string;
let backend: RunningBackend;
let api: ApiClient;
let url: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  backend = await startBackend({
    clock,
    batcher: { batchLimit: 1 },
    fixedLimits: { quarantineSeconds: 0 },
    settings: {
      'agent-listener': { port: 0 },
      handlers: { cmdb: { type: 'pipe', command: `cat > ${dir}/departed` } },
      checks: {
        disk: { command: 'check-disk', subscribers: ['web'], interval: INTERVAL_S, handlers: ['pager'], team: 'ops' },
        long: { command: `echo ${'x'.repeat(100_000)}`, subscribers: ['slow'], interval: 3600 },
        labelled: { command: 'check :::labels.region:::', subscribers: ['labelled'], interval: INTERVAL_S },
      },
    },
  });
  api = openApiClient({ backend: backend.url });
  url = backend.agentUrl;
});

afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

test('keepalives of an agent that names pipelines are handled by these pipelines and by its handlers', async () => {
  const v2 = new V2Peer(backend.url);
  const handler = { name: 'cmdb', type: 'Handler', api_version: 'core/v2' };
  const pipelines = [{ name: 'silent', type: 'Pipeline', api_version: 'core/v2' }];
  await v2.put('/namespaces/default/pipelines/silent', {
    metadata: { name: 'silent' },
    workflows: [{ name: 'page', handler }],
  });
  const agent = await GoAgent.joined(url, { name: 'piped' });
  const check = { metadata: { name: 'keepalive' }, interval: 20, timeout: 30, ttl: 60 };
  agent.send('keepalive', { timestamp: Math.floor(clock.now() / 1000), entity: agent.entity, check, pipelines });
  await vi.waitFor(async () => {
    const { body } = await v2.get('/namespaces/default/events/piped/keepalive');
    expect(body).toMatchObject({ pipelines, check: { handlers: ['keepalive'], status: 0 } });
  });
  expect((await api.explainEvent('piped', 'keepalive'))?.handlers.map(({ handler: name }) => name)).toEqual([
    'keepalive',
    'silent#page',
  ]);
  agent.send('keepalive', { timestamp: Math.floor(clock.now() / 1000), entity: agent.entity, check, pipelines: null });
  await vi.waitFor(async () => {
    const { body } = await v2.get('/namespaces/default/events/piped/keepalive');
    expect(body).not.toHaveProperty('pipelines');
  });
  agent.leave();
});

test('a v2 agent gets an empty configuration before it registers, and its stored configuration afterwards', async () => {
  const agent = await GoAgent.joined(url, { name: 'new', subscriptions: ['web', 'linux'] });
  expect(agent.answer).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
  expect(await agent.hears('entity_config')).toEqual({
    metadata: { name: 'not found', namespace: 'default' },
    entity_class: 'agent',
    subscriptions: null,
    deregister: false,
    deregistration: {},
  });
  await agent.register({ timeout: 40, ttl: 90 });
  expect(agent.configurations.at(-1)).toMatchObject({
    metadata: { name: 'new', namespace: 'default' },
    entity_class: 'agent',
    subscriptions: ['web', 'linux', 'entity:new'],
    deregister: false,
  });
  expect(await api.client('new')).toMatchObject({
    name: 'new',
    address: '192.0.2.7',
    subscriptions: ['web', 'linux', 'client:new'],
    keepalives: true,
    keepalive: { interval: 20, timeout: 40, ttl: 90 },
  });
  agent.cut();
});

test('a v2 agent runs the checks of its subscriptions, and its results are stored like those of mon-agent', async () => {
  const agent = await GoAgent.joined(url, { name: 'runner' });
  await agent.register();
  clock.advance(INTERVAL_S * 1000);
  const request = await agent.hears('check_request');
  expect(request).toEqual({
    config: expect.objectContaining({
      metadata: { name: 'disk', namespace: 'default' },
      command: 'check-disk',
      handlers: ['pager'],
      subscriptions: ['web'],
      interval: INTERVAL_S,
    }),
    assets: null,
    hooks: null,
    hook_assets: {},
    issued: expect.any(Number),
  });
  agent.answerRequest(request, { status: 2, output: 'disk is full\n' });
  await vi.waitFor(async () => expect(await api.event('runner', 'disk')).toMatchObject({ check: { status: 2 } }));
  expect((await api.event('runner', 'disk'))?.check).toMatchObject({
    output: 'disk is full\n',
    issued: request['issued'],
    duration: 0.25,
    handlers: ['pager'],
    team: 'ops',
  });
  agent.answerRequest(request, { status: 0, output: 'fine\n' });
  await vi.waitFor(async () => expect(await api.event('runner', 'disk')).toBeUndefined());
  agent.cut();
});

test('a silence on the entity subscription of a v2 agent covers the events of the agent', async () => {
  const agent = await GoAgent.joined(url, { name: 'quiet' });
  await agent.register();
  await api.silence({ subscription: 'client:quiet', reason: 'work', creator: 'me' });
  agent.event({ metadata: { name: 'backup' }, status: 1, output: 'late' });
  await vi.waitFor(async () =>
    expect(await api.event('quiet', 'backup')).toMatchObject({ silenced: true, silenced_by: ['client:quiet:*'] }),
  );
  agent.cut();
});

test('stored settings of an agent override those that the agent sends, and the agent gets them when they change', async () => {
  const agent = await GoAgent.joined(url, { name: 'kept', subscriptions: ['web'] });
  await agent.register();
  await api.saveClient({ ...(await api.client('kept')), name: 'kept', address: '192.0.2.7', subscriptions: ['db'] });
  await agent.hears('entity_config', ({ subscriptions }) => String(subscriptions) === 'db,entity:kept');
  agent.cut();
  await vi.waitFor(() => expect(backend.log.records.at(-1)).toMatchObject({ message: 'agent disconnected' }));

  // After a restart, the agent still sends its own subscriptions, which differ from the stored ones.
  const again = await GoAgent.joined(url, { name: 'kept', subscriptions: ['web'] });
  expect((await again.hears('entity_config'))['subscriptions']).toEqual(['db', 'entity:kept']);
  again.keepalive();
  again.event({ metadata: { name: 'after' }, status: 0, output: '' });
  await vi.waitFor(async () => expect(await api.result('kept', 'after')).toBeDefined());
  expect((await api.client('kept'))?.subscriptions).toEqual(['db', 'client:kept']);
  again.cut();
});

test('agents of version 5 and agents that manage their own entity override the stored settings', async () => {
  const old = await GoAgent.joined(url, { name: 'five', version: '5.11.1', subscriptions: ['old'] });
  await old.register();
  await api.saveClient({ ...(await api.client('five')), name: 'five', address: '192.0.2.7', subscriptions: ['db'] });
  old.keepalive();
  await vi.waitFor(async () => expect((await api.client('five'))?.subscriptions).toEqual(['old', 'client:five']));
  old.cut();

  const labels = { 'sensu.io/managed_by': 'sensu-agent', region: 'eu' };
  const entity = { metadata: { name: 'own', namespace: 'default', labels }, subscriptions: ['own'] };
  const own = await GoAgent.joined(url, { name: 'own', entity });
  await own.register();
  await api.saveClient({ ...(await api.client('own')), name: 'own', address: '192.0.2.7', subscriptions: ['db'] });
  own.send('keepalive', {
    timestamp: 1,
    entity: { ...entity, entity_class: 'agent' },
    check: { metadata: { name: 'keepalive' } },
  });
  await vi.waitFor(async () => expect((await api.client('own'))?.subscriptions).toEqual(['own', 'client:own']));
  own.cut();
});

function labelled(name: string, labels: unknown): Promise<GoAgent> {
  const metadata = { name, namespace: 'default', labels };
  return GoAgent.joined(url, { name, subscriptions: ['labelled'], entity: { metadata } });
}

test('a check request has its tokens substituted, and is not sent to an agent without a value for a token', async () => {
  const [known, unknown] = [await labelled('known', { region: 'eu' }), await labelled('unknown', null)];
  await Promise.all([known.register(), unknown.register()]);
  clock.advance(INTERVAL_S * 1000);
  expect((await known.hears('check_request'))['config']).toMatchObject({ command: 'check eu' });
  await vi.waitFor(() =>
    expect(backend.log.records.find(({ fields }) => fields['unmatched_tokens'] !== undefined)).toMatchObject({
      level: 'warn',
      fields: { client: 'unknown', check: 'labelled', unmatched_tokens: ['labels.region'] },
    }),
  );
  expect(unknown.payloads('check_request')).toEqual([]);
  known.cut();
  unknown.cut();
});

test('a v2 agent may send events of other entities and of undefined checks', async () => {
  const agent = await GoAgent.joined(url, { name: 'prober' });
  await agent.register();
  agent.event({ metadata: { name: 'ping' }, status: 1, output: 'lost', proxy_entity_name: 'router-1' });
  agent.event({ metadata: { name: 'ping' }, status: 0, output: 'ok' }, { metadata: { name: 'router-2' } });
  await vi.waitFor(async () => expect(await api.result('router-2', 'ping')).toBeDefined());
  expect((await api.result('router-1', 'ping'))?.check).toMatchObject({ origin: 'prober', source: 'router-1' });
  expect(await api.client('router-2')).toMatchObject({ type: 'proxy' });
  agent.cut();
});

test('the keepalive event of a v2 agent that stopped sending follows the thresholds of the agent', async () => {
  const agent = await GoAgent.joined(url, { name: 'silent' });
  await agent.register({ timeout: 60, ttl: 3600 });
  agent.cut();
  await vi.waitFor(async () => {
    clock.advance(30_000);
    expect(await api.event('silent', 'keepalive')).toMatchObject({ check: { status: 1 } });
  });
});

test('pings of a v2 agent are acknowledged', async () => {
  const agent = await GoAgent.joined(url, { name: 'pinger' });
  agent.ping();
  await vi.waitFor(() => expect(agent.pongs).toBe(1));
  agent.cut();
});

test('deleting the entity of a v2 agent closes its connection, and the agent can register again', async () => {
  const agent = await GoAgent.joined(url, { name: 'deleted' });
  await agent.register();
  await api.deleteClient('deleted');
  expect(await agent.ends()).toEqual({ code: 1000, reason: '' });
  const again = await GoAgent.joined(url, { name: 'deleted' });
  expect((await again.hears('entity_config'))['metadata']).toMatchObject({ name: 'not found' });
  // Keepalives have a precision of one second, so this one has the same time as the deletion.
  await again.register();
  expect(again.ending).toBeUndefined();
  again.cut();
});

test('the keepalive event of a v2 agent opens as soon as the thresholds in its first keepalive are exceeded', async () => {
  const agent = await GoAgent.joined(url, { name: 'punctual' });
  const begun = Math.floor(clock.now() / 1000);
  const check = { metadata: { name: 'keepalive' }, interval: 4, timeout: 8, ttl: 16, status: 0, output: '' };
  agent.send('keepalive', { timestamp: begun, entity: agent.entity, check });
  await agent.hears('entity_config', ({ metadata }) => (metadata as { name: string }).name === 'punctual');
  const core = new V2Peer(backend.url);
  const statusAfter = async (seconds: number): Promise<unknown> => {
    return await vi.waitFor(async () => {
      const { body } = await core.get('/namespaces/default/events/punctual/keepalive');
      const { executed, status } = (body as { check?: { executed: number; status: number } }).check ?? {};
      if (executed !== undefined && executed >= begun + seconds) return status;
      clock.advance(500);
      throw new Error('there was no news');
    });
  };
  expect(await statusAfter(0)).toBe(0);
  expect(await statusAfter(8)).toBe(1);
  expect(await statusAfter(16)).toBe(2);
  agent.cut();
});

test('a missing keepalive without a critical threshold stays a warning for a v2 agent, but not for a v1 agent', async () => {
  const silent = await GoAgent.joined(url, { name: 'calm' });
  await silent.register({ timeout: 60 });
  silent.cut();
  const other = await AgentPeer.connect(url, 'strict');
  await other.join('spool');
  other.cut();
  const statusOf = async (name: string): Promise<number | undefined> =>
    (await api.result(name, 'keepalive'))?.check.status;
  await vi.waitFor(async () => {
    clock.advance(10_000);
    expect(await statusOf('strict')).toBe(2);
  });
  expect((await api.result('calm', 'keepalive'))?.check).toMatchObject({
    status: 1,
    output: expect.stringMatching(/^No keepalive sent from calm for \d{3} seconds \(>= 60\)$/),
    handlers: ['keepalive'],
    interval: 20,
    timeout: 60,
    ttl: 0,
  });
});

test(
  'each keepalive of a v2 agent is an OK event, which resolves an expired keepalive event',
  { tags: 'slow' },
  async () => {
    const agent = await GoAgent.joined(url, { name: 'back' });
    const core = new V2Peer(backend.url);
    const event = async (): Promise<unknown> => (await core.get('/namespaces/default/events/back/keepalive')).body;
    const keepAlive = (): void => {
      const check = { metadata: { name: 'keepalive' }, interval: 5, timeout: 30, ttl: 60, status: 0 };
      agent.send('keepalive', { timestamp: Math.floor(clock.now() / 1000), entity: agent.entity, check });
    };
    keepAlive();
    await agent.hears('entity_config', ({ metadata }) => (metadata as { name: string }).name === 'back');
    expect(await event()).toMatchObject({
      check: {
        status: 0,
        output: expect.stringMatching(/^Keepalive last sent from back at [\d-]+ [\d:]+ \+0000 UTC$/),
        interval: 5,
        timeout: 30,
        ttl: 60,
        history: null,
      },
    });
    await vi.waitFor(async () => {
      clock.advance(1000);
      expect(await api.event('back', 'keepalive')).toMatchObject({ check: { status: 2 } });
    });
    keepAlive();
    await vi.waitFor(async () => expect(await api.event('back', 'keepalive')).toBeUndefined());
    expect(await event()).toMatchObject({ check: { status: 0, occurrences: 1, occurrences_watermark: 1 } });
    agent.cut();
  },
);

test('a v2 agent with deregister: true is deleted when it says goodbye, not when its connection is lost', async () => {
  const entity = { deregister: true, deregistration: { handler: 'cmdb' } };
  const agent = await GoAgent.joined(url, { name: 'cattle', entity });
  await agent.register();
  agent.event({ metadata: { name: 'disk' }, status: 2, output: 'full' });
  await vi.waitFor(async () => expect(await api.event('cattle', 'disk')).toBeDefined());
  agent.cut();
  const again = await GoAgent.joined(url, { name: 'cattle', entity });
  expect((await again.hears('entity_config'))['deregister']).toBe(true);
  again.leave();
  await vi.waitFor(async () => expect(await api.client('cattle')).toBeUndefined());
  expect(await api.event('cattle', 'disk')).toBeUndefined();
  await vi.waitFor(async () =>
    expect(JSON.parse(await readFile(join(dir, 'departed'), 'utf8'))).toMatchObject({
      client: { name: 'cattle' },
      check: { name: 'deregistration', status: 1, output: 'client initiated deregistration' },
      action: 'create',
    }),
  );
});

test('a v2 agent with deregister: true is deleted when its keepalive expires', async () => {
  const agent = await GoAgent.joined(url, { name: 'gone', entity: { deregister: true } });
  await agent.register({ timeout: 60 });
  agent.cut();
  await vi.waitFor(async () => {
    clock.advance(30_000);
    expect(await api.client('gone')).toBeUndefined();
  });
});

test('mon-agent can connect to the agent listener, which v2 agents use', async () => {
  const peer = await AgentPeer.connect(url, 'mine');
  expect(await peer.join()).toMatchObject({ type: 'welcome' });
  peer.cut();
});

test.each<{ name: string; identity: Parameters<typeof GoAgent.connect>[1]; status: number; body: string }>([
  {
    name: 'of an unknown namespace',
    identity: { namespace: 'zz' },
    status: 404,
    body: 'namespace "zz" not found',
  },
  {
    name: 'without a usable name',
    identity: { name: 'not a name' },
    status: 400,
    body: 'Sensu-AgentName: must be word characters, dots, hyphens and colons only',
  },
])('a v2 agent $name is rejected in the handshake', async ({ identity, status, body }) => {
  expect(await GoAgent.connect(url, identity)).toEqual({ status, body, type: 'text/plain; charset=utf-8' });
});

test.each<{ name: string; frame: string | Buffer; reason: string }>([
  { name: 'no type', frame: '{"a":1}', reason: 'a WebSocket frame must consist of a type, a line feed and JSON' },
  { name: 'a payload that is not JSON', frame: 'event\n{', reason: 'the payload must be JSON' },
  { name: 'a protobuf payload', frame: Buffer.from('event\n\u0001\u0002'), reason: 'the payload must be JSON' },
  {
    name: 'a keepalive of another entity',
    frame: 'keepalive\n{"entity":{"metadata":{"name":"other"}}}',
    reason: 'not to other',
  },
  { name: 'a keepalive that is no event', frame: 'keepalive\n[]', reason: 'expected' },
])('a v2 agent that sends a frame with $name is disconnected with a reason', async ({ frame, reason }) => {
  const agent = await GoAgent.joined(url, { name: 'hostile' });
  agent.sendRaw(frame);
  expect(await agent.ends()).toEqual({ code: 1008, reason: expect.stringContaining(reason) });
});

test.each<{ name: string; event: unknown; reason: string }>([
  { name: 'no event', event: [], reason: 'expected object' },
  { name: 'a status that is text', event: { check: { metadata: { name: 'a' }, status: '1' } }, reason: 'check.status' },
  {
    name: 'an invalid name',
    event: { check: { metadata: { name: 'a b' }, status: 1 } },
    reason: 'check.metadata.name',
  },
  {
    name: 'too many levels',
    event: { check: { metadata: { name: 'a' }, deep: nested(200) } },
    reason: 'nested deeper than',
  },
])(
  'an event message with $name from a v2 agent is rejected and does not affect the next event',
  async ({ event, reason }) => {
    const agent = await GoAgent.joined(url, { name: 'careless' });
    await agent.register();
    const before = backend.log.records.length;
    agent.send('event', event);
    agent.event({ metadata: { name: 'next' }, status: 0, output: reason });
    await vi.waitFor(async () => expect((await api.result('careless', 'next'))?.check.output).toBe(reason));
    const refusals = backend.log.records.slice(before).filter(({ message }) => message === 'check result rejected');
    expect(refusals.map(({ fields }) => fields['reason'])).toEqual([expect.stringContaining(reason)]);
    agent.cut();
  },
);

function nested(levels: number): unknown {
  return levels === 0 ? 0 : [nested(levels - 1)];
}

test('a frame that is too long closes the connection of a v2 agent, a frame of an unknown type does not', async () => {
  const agent = await GoAgent.joined(url, { name: 'long' });
  agent.send('surprise', {});
  agent.event({ metadata: { name: 'x' }, status: 0, output: 'y'.repeat(1024 * 1024) });
  await vi.waitFor(async () => expect(await api.result('long', 'x')).toBeDefined());
  agent.event({ metadata: { name: 'x' }, status: 0, output: 'y'.repeat(3 * 1024 * 1024) });
  expect((await agent.ends()).code).toBe(1009);
});

const KEYS = [
  'check',
  'entity',
  'metadata',
  'name',
  'status',
  'output',
  'metrics',
  'timestamp',
  '__proto__',
  'handlers',
];

const ENTITY_KEYS = (
  'system subscriptions deregister deregistration redact user keepalive socket signature ' +
  'address type labels timeout ttl handlers entity_class sensu_agent_version safe_mode'
).split(' ');

test('a v2 agent that sends random frames disturbs neither the backend nor other agents', async () => {
  const steady = await GoAgent.joined(url, { name: 'steady' });
  await steady.register();
  const payload = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constant({ name: 'fuzz' }),
      fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 5 }),
    ),
  })).value;
  const frame = fc.oneof(
    { weight: 4, arbitrary: payload.map((value) => `event\n${JSON.stringify(value)}`) },
    { weight: 1, arbitrary: payload.map((value) => `keepalive\n${JSON.stringify(value)}`) },
    {
      weight: 2,
      arbitrary: fc.dictionary(fc.constantFrom(...ENTITY_KEYS), fc.jsonValue({ maxDepth: 2 })).map((about) => {
        const entity = { ...about, metadata: { name: 'fuzz' } };
        return `keepalive\n${JSON.stringify({ entity, check: about, timestamp: 1 })}`;
      }),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
  );
  let beats = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 6 }), async (frames) => {
      beats++;
      const agent = await GoAgent.joined(url, { name: 'fuzz' });
      for (const data of frames) agent.sendRaw(data);
      steady.event({ metadata: { name: 'beat' }, status: 0, output: String(beats) });
      await vi.waitFor(async () => expect((await api.result('steady', 'beat'))?.check.output).toBe(String(beats)));
      agent.cut();
    }),
    { numRuns: propertyRuns(60) },
  );
  expect(backend.log.records.filter(({ fields }) => fields['code'] === 'internal')).toEqual([]);
  steady.cut();
});

test('an event of a v2 agent with metrics but without a check is ignored', async () => {
  const agent = await GoAgent.joined(url, { name: 'metrics' });
  agent.send('event', { entity: agent.entity, metrics: { handlers: [], points: [{ name: 'a', value: 1 }] } });
  agent.event({ metadata: { name: 'y' }, status: 0, output: '' });
  await vi.waitFor(async () => expect(await api.result('metrics', 'y')).toBeDefined());
  agent.cut();
});

function isGone(client: string): boolean {
  return backend.log.records.some(
    ({ message, fields }) => message === 'agent disconnected' && fields['client'] === client,
  );
}

test('a v2 agent that does not read is disconnected before queued check requests fill the memory', async () => {
  const agent = await GoAgent.joined(url, { name: 'slow', subscriptions: ['slow'] });
  await agent.register();
  agent.pauseReading();
  let asked = 0;
  for (; asked < 1000 && !isGone('slow'); asked++) await api.requestCheck({ check: 'long' });
  expect(isGone('slow')).toBe(true);
  agent.cut();
});

interface Troubled {
  readonly other: RunningBackend;
  readonly store: FaultyStore;
}

async function troubledBackend(): Promise<Troubled> {
  const stores: FaultyStore[] = [];
  const other = await startBackend({
    settings: { 'agent-listener': { port: 0 } },
    around: (store) => {
      const faulty = new FaultyStore(store);
      stores.push(faulty);
      return faulty;
    },
  });
  onTestFinished(() => other[Symbol.asyncDispose]());
  const [store] = stores;
  if (store === undefined) throw new Error('the store was not opened');
  return { other, store };
}

test.each(['stays', 'hangs up'])(
  'results that a failing store rejects are stored later, once and in order: the agent %s',
  async (then) => {
    const { other, store } = await troubledBackend();
    const agent = await GoAgent.joined(other.agentUrl, { name: 'patient' });
    await agent.register();
    store.refuses = () => true;
    const statuses = Array.from({ length: 15 }, (_, at) => at % 4);
    for (const status of statuses) agent.event({ metadata: { name: 'disk' }, status, output: String(status) });
    if (then === 'hangs up') agent.leave();
    const writes = store.writes;
    await vi.waitFor(() => expect(store.writes).toBeGreaterThan(writes));
    store.refuses = () => false;
    const history = async (): Promise<unknown> =>
      (await openApiClient({ backend: other.url }).result('patient', 'disk'))?.check.history;
    await vi.waitFor(async () => expect(await history()).toEqual(statuses));
    agent.cut();
  },
);

test('a stopping backend does not treat the disconnect of an agent as a deregistration', async () => {
  const state = await tempDir();
  const { program } = await loadConfig({ directories: [], env: {}, flags: { 'agent-listener': { port: 0 } } });
  const open = (): ReturnType<typeof openBackend> => openBackend({ dir: state, definitions: { program } });
  const first = await open();
  const agent = await GoAgent.joined(first.agentUrl ?? '', { name: 'loyal', entity: { deregister: true } });
  await agent.register();
  await first.stop();
  expect((await agent.ends()).code).toBe(1001);
  const second = await open();
  onTestFinished(() => second.stop());
  expect(await openApiClient({ backend: second.url }).client('loyal')).toMatchObject({ name: 'loyal' });
});
