import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { ENTITY_LIMIT_REFUSAL } from '../../../../shared/domain/entity-limit.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../../shared/schemas/agent.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { startAgent } from '../../../support/start-agent.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const ADMIN = 'ops:secret';
const TEXT = 'text/plain; charset=utf-8';

const LIMIT = 4;

let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  backend = await startBackend({
    fixedLimits: { quarantineSeconds: 0 },
    settings: {
      api: { user: 'ops', password: 'secret' },
      'agent-listener': { port: 0 },
      'entity-limit': LIMIT,
    },
  });
  api = openApiClient({ backend: backend.url.replace('//', `//${ADMIN}@`) });
  await core('namespaces', { name: 'shop' });
});

afterAll(() => backend[Symbol.asyncDispose]());

/** Creates an object with the v2 API, and returns the response body. */
async function core(type: string, body: object): Promise<unknown> {
  const answer = await fetch(`${backend.url}/api/core/v2/${type}`, {
    method: 'POST',
    headers: { Authorization: basic(ADMIN), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`${String(answer.status)} ${await answer.text()}`);
  return (await answer.text().then((text) => (text === '' ? undefined : JSON.parse(text)))) as unknown;
}

async function key(about: object): Promise<string> {
  const granted = (await core('apikeys', { metadata: {}, username: 'ops', ...about })) as { key: string };
  return granted.key;
}

/** Performs the handshake of a `mon` agent, and returns the connection or the rejection. */
async function handshake(
  identity: { readonly name?: string; readonly namespace?: string },
  authorization = basic(ADMIN),
): Promise<{ status: number; body?: unknown; socket?: WebSocket }> {
  const { name, namespace } = identity;
  const socket = new WebSocket(backend.url.replace('http', 'ws') + AGENT_PATH, AGENT_PROTOCOL, {
    headers: {
      Authorization: authorization,
      ...(name === undefined ? {} : { 'Mon-Agent-Name': name }),
      ...(namespace === undefined ? {} : { 'Mon-Namespace': namespace }),
    },
  });
  const { promise, resolve } = Promise.withResolvers<{ status: number; body?: unknown; socket?: WebSocket }>();
  socket.on('error', () => socket.terminate());
  socket.on('open', () => resolve({ status: 101, socket }));
  socket.on('unexpected-response', (_request, response) => {
    const { statusCode: status = 0 } = response;
    void response.toArray().then((parts) => resolve({ status, body: JSON.parse(Buffer.concat(parts).toString()) }));
  });
  return await promise;
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** Sends a hello message and returns the response. */
async function greeting(socket: WebSocket, about: object): Promise<Readonly<Record<string, unknown>>> {
  const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as Record<string, unknown>));
  socket.send(JSON.stringify({ type: 'hello', spool: 's', ...about }));
  return await promise;
}

const client = (name: string): object => ({ name, address: '192.0.2.1', subscriptions: [] });

describe('a rejected handshake', () => {
  test.each<{ name: string; identity: Parameters<typeof GoAgent.connect>[1]; status: number; body: string }>([
    { name: 'wrong credentials', identity: {}, status: 401, body: 'bad credentials' },
    { name: 'a wrong key', identity: { key: 'mk_none_none' }, status: 401, body: 'bad credentials' },
    {
      name: 'an unknown namespace',
      identity: { credentials: ADMIN, namespace: 'zz' },
      status: 404,
      body: 'namespace "zz" not found',
    },
  ])('a v2 agent that connects with $name is rejected with a plain text', async ({ identity, status, body }) => {
    expect(await GoAgent.connect(backend.agentUrl, identity)).toEqual({ status, body, type: TEXT });
  });

  test('an agent whose key may not submit is rejected with 403', async () => {
    const reader = await key({ scopes: ['read'] });
    expect(await GoAgent.connect(backend.agentUrl, { key: reader })).toEqual({
      status: 403,
      body: 'Forbidden',
      type: TEXT,
    });
    expect((await handshake({ name: 'mine' }, `Key ${reader}`)).status).toBe(403);
  });

  test('a mon-agent with wrong credentials is rejected with a JSON body', async () => {
    expect(await handshake({}, basic('ops:wrong'))).toMatchObject({ status: 401 });
    expect(await handshake({ name: 'mine', namespace: 'zz' })).toEqual({
      status: 404,
      body: { error: 'namespace "zz" not found', code: 'not_found' },
    });
  });
});

describe('an API key of one namespace', () => {
  test('an API key of one namespace connects an agent to that namespace only', async () => {
    const shop = await key({ scopes: ['submit'], namespace: 'shop' });
    const other = await handshake({ name: 'till', namespace: 'default' }, `Key ${shop}`);
    expect(other).toEqual({ status: 404, body: { error: 'namespace "default" not found', code: 'not_found' } });
    expect(await GoAgent.connect(backend.agentUrl, { key: shop, name: 'till' })).toMatchObject({ status: 404 });

    const { socket } = await handshake({ name: 'till' }, `Key ${shop}`);
    if (socket === undefined) throw new Error('refused');
    expect(await greeting(socket, { client: client('till') })).toMatchObject({ type: 'welcome' });
    socket.terminate();
    const { socket: liar } = await handshake({ name: 'till' }, `Key ${shop}`);
    if (liar === undefined) throw new Error('refused');
    expect(await greeting(liar, { client: client('till'), namespace: 'default' })).toMatchObject({
      type: 'error',
      code: 'forbidden',
      message: 'this connection is for the namespace shop: set agent.namespace to that namespace',
    });
    // The v1 API shows the namespace `default`, where this client must not exist.
    expect(await api.client('till')).toBeUndefined();
  });
});

describe('the entity limit', () => {
  test('the entity limit counts all namespaces and rejects new agents before they connect', async () => {
    for (const name of ['web-1', 'web-2']) {
      const agent = await GoAgent.joined(backend.agentUrl, { name, credentials: ADMIN });
      await agent.register();
      agent.cut();
    }
    const { socket } = await handshake({ name: 'web-3' });
    if (socket === undefined) throw new Error('refused');
    expect(await greeting(socket, { client: client('web-3') })).toMatchObject({ type: 'welcome' });
    expect((await api.overview()).entities).toEqual({ total: LIMIT, proxies: 0, limit: LIMIT });

    expect(await handshake({ name: 'web-4' })).toEqual({
      status: 402,
      body: { error: ENTITY_LIMIT_REFUSAL, code: 'payment_required' },
    });
    const refused = await GoAgent.connect(backend.agentUrl, { name: 'web-4', credentials: ADMIN });
    expect(refused).toEqual({ status: 402, body: ENTITY_LIMIT_REFUSAL, type: TEXT });
    expect(ENTITY_LIMIT_REFUSAL).toMatch(
      /^entity-limit is reached: raise it.*requires a valid license with a sufficient entity limit/,
    );

    const again = await GoAgent.joined(backend.agentUrl, { name: 'web-1', credentials: ADMIN });
    again.cut();
    socket.terminate();
  });

  test('the entity limit applies to agents that send their name late and to clients that results create', async () => {
    const { socket } = await handshake({});
    if (socket === undefined) throw new Error('refused');
    expect(await greeting(socket, { client: client('web-5') })).toMatchObject({
      type: 'error',
      code: 'payment_required',
      message: ENTITY_LIMIT_REFUSAL,
    });

    const known = await GoAgent.joined(backend.agentUrl, { name: 'web-1', credentials: ADMIN });
    await known.hears('entity_config');
    known.event({ metadata: { name: 'ping' }, status: 1, output: 'lost', proxy_entity_name: 'router' });
    known.event({ metadata: { name: 'disk' }, status: 1, output: 'full' });
    await vi.waitFor(async () => expect(await api.event('web-1', 'disk')).toBeDefined());
    expect(await api.client('router')).toBeUndefined();
    expect(backend.log.records.find(({ fields }) => fields['client'] === 'web-1')).toBeDefined();
    expect(
      backend.log.records
        .filter(({ message }) => message === 'check result rejected')
        .map(({ fields }) => fields['reason']),
    ).toEqual([`router would exceed the entity limit: ${ENTITY_LIMIT_REFUSAL}`]);
    known.cut();
  });

  test('the entity limit neither applies to clients of the v1 API nor counts them', async () => {
    await api.saveClient({ name: 'legacy', address: 'a', subscriptions: [] });
    await api.submitResult({ name: 'ping', output: '', source: 'legacy-proxy' });
    expect((await api.overview()).entities).toEqual({ total: LIMIT, proxies: 0, limit: LIMIT });
    await api.deleteClient('legacy');
    await api.deleteClient('legacy-proxy');
  });

  test(
    'mon-agent logs the entity limit, keeps its results and retries until the limit allows the agent',
    { tags: 'slow' },
    async () => {
      const dir = await tempDir();
      const config = join(dir, 'agent.json');
      const closed = { socket: { enabled: false }, http_socket: { enabled: false } };
      await writeFile(
        config,
        JSON.stringify({
          agent: { namespace: 'default' },
          client: { name: 'late', address: 'a', ...closed },
          checks: { uptime: { command: 'echo up', standalone: true, interval: 1 } },
        }),
      );
      const agent = startAgent(['start', '--backend', backend.url, '--state-dir', join(dir, 'state'), '-c', config], {
        MON_AGENT_CREDENTIALS: ADMIN,
      });
      const refusals = (): Readonly<Record<string, unknown>>[] =>
        agent.records.filter(({ message }) => message === 'reconnection attempt failed');
      await vi.waitFor(() => {
        expect(refusals().length).toBeGreaterThan(1);
        expect(refusals().at(-1)?.['spooled']).toBeGreaterThan(0);
      });
      expect(refusals()[0]).toMatchObject({
        component: 'agent',
        level: 'error',
        error: 'handshake failed with status 402',
        body: JSON.stringify({ error: ENTITY_LIMIT_REFUSAL, code: 'payment_required' }),
      });
      await api.deleteClient('web-3');
      await vi.waitFor(async () => expect(await api.result('late', 'uptime')).toBeDefined());
    },
  );
});

describe('the agent listener', () => {
  test('an agent listener at an address that other machines can reach requires credentials', async () => {
    await expect(startBackend({ settings: { 'agent-listener': { bind: '0.0.0.0', port: 0 } } })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('0.0.0.0 can be reached by other hosts'),
    });
  });

  test('an agent listener on a port in use stops the start with an error that names the setting', async () => {
    const port = Number(new URL(backend.agentUrl).port);
    await expect(startBackend({ settings: { 'agent-listener': { port } } })).rejects.toMatchObject({
      code: 'conflict',
      message: `127.0.0.1:${String(port)} is in use by another program: stop that program, or set another agent-listener.port`,
    });
  });

  test('the agent listener serves only the two agent paths', async () => {
    const plain = await fetch(backend.agentUrl.replace('ws', 'http'));
    expect(plain.status).toBe(426);
    expect(await GoAgent.connect(`${backend.agentUrl}/api`, { credentials: ADMIN })).toEqual({
      status: 404,
      body: 'there is no WebSocket endpoint at /api',
      type: TEXT,
    });
  });

  test('a backend opens no agent listener without the setting for it', async () => {
    await using other = await startBackend();
    expect(other.agentUrl).toBe('');
    expect(await GoAgent.connect(other.url.replace('http', 'ws'))).toMatchObject({ status: 404 });
  });
});
