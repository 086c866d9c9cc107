import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../../shared/schemas/feed.ts';
import type { BackendOptions } from '../../../../daemon/backend/compose/options.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

async function backendUrl(definitions: Partial<Pick<BackendOptions['config'], 'api'>> = {}): Promise<string> {
  const backend = await openBackend({ dir: await tempDir(), definitions });
  onTestFinished(() => backend.stop());
  return backend.url;
}

/** Tries a WebSocket handshake, and returns 101 and the protocol, or the status and error of the rejection. */
async function handshake(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; error?: unknown; protocol?: string | undefined }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpRequest(url + path, {
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    },
  });
  request.on('upgrade', (response, socket) => {
    socket.destroy();
    resolve(response);
  });
  request.on('response', resolve);
  request.on('error', reject);
  request.end();
  const response = await promise;
  if (response.statusCode === 101) return { status: 101, protocol: response.headers['sec-websocket-protocol'] };
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { error } = JSON.parse(Buffer.concat(chunks).toString()) as { error: unknown };
  return { status: response.statusCode ?? 0, error };
}

const feed = { 'Sec-WebSocket-Protocol': FEED_PROTOCOL };

test('a handshake that offers the subprotocol among others is accepted', async () => {
  const url = await backendUrl();
  const answer = await handshake(url, FEED_PATH, { 'Sec-WebSocket-Protocol': `other, ${FEED_PROTOCOL}` });
  expect(answer).toEqual({ status: 101, protocol: FEED_PROTOCOL });
});

test.each([
  {
    name: 'no subprotocol',
    path: FEED_PATH,
    headers: {},
    status: 400,
    error: `the WebSocket subprotocol ${FEED_PROTOCOL} is required`,
  },
  {
    name: 'the subprotocol of the other endpoint',
    path: AGENT_PATH,
    headers: feed,
    status: 400,
    error: `the WebSocket subprotocol ${AGENT_PROTOCOL} is required`,
  },
  {
    name: 'an unknown path',
    path: '/events',
    headers: feed,
    status: 404,
    error: 'there is no WebSocket endpoint at /events',
  },
  {
    name: 'the Origin of a page of another host',
    path: FEED_PATH,
    headers: { ...feed, Origin: 'https://evil.example' },
    status: 403,
    error: 'web pages from https://evil.example cannot connect to this backend: allow the origin in api.cors.Origin',
  },
  {
    name: 'an Origin without a host',
    path: FEED_PATH,
    headers: { ...feed, Origin: 'null' },
    status: 403,
    error: 'web pages from null cannot connect to this backend: allow the origin in api.cors.Origin',
  },
])('a handshake with $name is rejected with a reason', async ({ path, headers, status, error }) => {
  expect(await handshake(await backendUrl(), path, headers)).toEqual({ status, error });
});

test('a browser page that the backend itself serves may open a WebSocket', async () => {
  const url = await backendUrl();
  expect((await handshake(url, FEED_PATH, { ...feed, Origin: url })).status).toBe(101);
});

/** Opens a WebSocket that offers compression, and returns the negotiated extensions. */
async function extensionsOf(url: string, protocols: string[]): Promise<string> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, {
    perMessageDeflate: true,
    headers: { 'Sensu-AgentName': 'go-1', 'Sensu-Namespace': 'default', 'Sensu-Subscriptions': 'linux' },
  });
  await once(socket, 'open');
  const { extensions } = socket;
  socket.terminate();
  return extensions;
}

test('no WebSocket endpoint compresses, even if the client offers compression', async () => {
  await using backend = await startBackend({ settings: { 'agent-listener': { port: 0 } } });
  expect(await extensionsOf(backend.url + FEED_PATH, [FEED_PROTOCOL])).toBe('');
  expect(await extensionsOf(backend.url + AGENT_PATH, [AGENT_PROTOCOL])).toBe('');
  expect(await extensionsOf(backend.agentUrl, [])).toBe('');
});

test('a message of a feed consumer may have 64 KiB and no more', async () => {
  const url = await backendUrl();
  const say = async (bytes: number): Promise<FeedPeer> => {
    const peer = await FeedPeer.connect(url);
    peer.sayText(JSON.stringify({ type: 'ping' }).padEnd(bytes));
    return peer;
  };
  const longest = await say(64 * 1024);
  await longest.hears('pong');
  longest.socket.terminate();
  expect((await (await say(64 * 1024 + 1)).ends()).code).toBe(1009);
});

test('the WebSockets of agents and of feed consumers require credentials', async () => {
  const url = await backendUrl({ api: { bind: '127.0.0.1', port: 0, user: 'ops', password: 'a:b' } });
  const agent = { 'Sec-WebSocket-Protocol': AGENT_PROTOCOL };
  const right = { Authorization: `Basic ${Buffer.from('ops:a:b').toString('base64')}` };
  const wrong = { Authorization: `Basic ${Buffer.from('ops:a').toString('base64')}` };
  expect((await handshake(url, AGENT_PATH, agent)).status).toBe(401);
  expect((await handshake(url, FEED_PATH, { ...feed, ...wrong })).status).toBe(401);
  expect((await handshake(url, AGENT_PATH, { ...agent, ...right })).status).toBe(101);
});

test('a stopping backend closes WebSockets and does not wait for a client that does not read', async () => {
  const backend = await openBackend({ dir: await tempDir() });
  const agent = await AgentPeer.connect(backend.url);
  await agent.join();
  const deaf = new WebSocket(backend.url.replace(/^http/, 'ws') + FEED_PATH, FEED_PROTOCOL);
  await once(deaf, 'open');
  deaf.pause();
  await backend.stop();
  expect(await agent.ends()).toEqual({ code: 1001, reason: 'the backend is stopping' });
  deaf.terminate();
});

test('a stopping backend does not wait for a request that is never completed', { tags: 'slow' }, async () => {
  const backend = await openBackend({ dir: await tempDir() });
  const { hostname, port } = new URL(backend.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write('POST /results HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"name":');
  // The response on another connection shows that the unfinished request has arrived.
  await openApiClient({ backend: backend.url }).info();
  await expect(backend.stop()).resolves.toBeUndefined();
  socket.destroy();
});

test('a stopping backend responds to the requests that it has accepted, even under load', async () => {
  const stores: FaultyStore[] = [];
  const backend = await openBackend({
    dir: await tempDir(),
    around: (store) => (stores[0] = new FaultyStore(store)),
  });
  const release = stores[0]?.hold();
  const before = stores[0]?.writes ?? 0;
  const report = (name: string): Promise<Response> =>
    fetch(`${backend.url}/results`, {
      method: 'POST',
      body: JSON.stringify({ source: 'web-1', name, output: 'ok' }),
    });
  const answers = [report('being-written')];
  await vi.waitFor(() => expect(stores[0]?.writes).toBe(before + 1));
  answers.push(...['a', 'b', 'c', 'd'].map(report));
  // All five results are accepted, including the one that is being written, before the backend stops.
  await vi.waitFor(async () => {
    const figures = await (await fetch(`${backend.url}/metrics`)).text();
    expect(figures).toMatch(/^mon_queued_results 5$/m);
  });
  const stopped = backend.stop();
  release?.();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  await stopped;
});

test('a stopping backend commits accepted results and disconnects an agent whose frames still wait', async () => {
  const dir = await tempDir();
  const stores: FaultyStore[] = [];
  const backend = await openBackend({
    dir,
    batcher: { queueLimit: 2 },
    around: (store) => (stores[0] = new FaultyStore(store)),
  });
  const agent = await AgentPeer.connect(backend.url);
  await agent.join();
  const release = stores[0]?.hold();
  const before = stores[0]?.writes ?? 0;
  for (let id = 1; id <= 5; id++) {
    agent.say({ type: 'results', results: [{ id, check: { name: 'disk', output: `run ${String(id)}`, status: 2 } }] });
  }
  await vi.waitFor(() => expect(stores[0]?.writes).toBe(before + 1));
  const stopped = backend.stop();
  await agent.ends();
  release?.();
  await stopped;

  const again = await openBackend({ dir });
  onTestFinished(() => again.stop());
  const { acked } = await (await AgentPeer.connect(again.url)).join();
  expect(acked).toBeGreaterThan(0);
  expect((await openApiClient({ backend: again.url }).result('web-1', 'disk'))?.check.output).toBe(
    `run ${String(acked)}`,
  );
});
