import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { CHANNELS_PATH, V2_AGENT_TUNNEL_PATH } from '../../../../daemon/backend/cluster/forwarding/peer-headers.ts';
import { administratorOf } from '../../../support/administrator.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import {
  PEER_KEY,
  placeOf,
  SECRET,
  startMember,
  startPair,
  type Member,
  signedHeaders,
} from '../../../support/forwarding-rig.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { makeCertificate } from '../../../support/make-certificate.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { send } from '../../../support/raw-http.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { writePair } from '../../../support/tls-files.ts';

const bodyOf = async (url: string, target: string): Promise<unknown> =>
  (await send(url, { method: 'GET', target, headers: administratorOf(url) })).body;
const makeNamespace = async ({ url }: Member, name: string): Promise<void> => {
  const body = JSON.stringify({ name });
  const headers = administratorOf(url);
  expect((await send(url, { method: 'POST', target: '/api/core/v2/namespaces', body, headers })).status).toBe(201);
};
const result = (id: number, output = 'full') => ({ id, check: { name: 'disk', output, status: 2, source: 'web-1' } });

test('an agent that connects to a follower is connected to the leader', async () => {
  const { writer, member } = await startPair();
  const agent = await AgentPeer.connect(member.url);
  await agent.join();
  agent.say({ type: 'results', results: [result(1)] });
  await agent.waitForAck(1);
  expect(await bodyOf(writer.url, '/events')).toMatchObject([{ client: { name: 'web-1' } }]);
  expect(await bodyOf(member.url, '/events')).toEqual([]);
  expect(member.forwarding.agents).toBe(1);
  const metrics = await send(member.url, { method: 'GET', target: '/metrics' });
  expect(metrics.text).toContain('\nmon_forwarded_agents 1\n');
  agent.cut();
  await vi.waitFor(() => expect(member.forwarding.agents).toBe(0));
  await vi.waitFor(() => expect(writer.log.messages('info')).toContain('agent disconnected'));
});

test('large frames pass completely through a tunnel in both directions', async () => {
  const { writer, member } = await startPair();
  const agent = await AgentPeer.connect(member.url);
  await agent.join();
  for (let id = 1; id <= 8; id++) agent.say({ type: 'results', results: [result(id, 'x'.repeat(3_000_000))] });
  await agent.waitForAck(8);
  expect(await bodyOf(writer.url, '/results/web-1/disk')).toMatchObject({ check: { output: 'x'.repeat(3_000_000) } });
});

test('v2 agents can connect through a follower to a leader without an agent listener', async () => {
  const [writer, member] = await Promise.all([
    startMember(true),
    startMember(false, { settings: { 'agent-listener': { port: 0 } } }),
  ]);
  member.leadership.follow(placeOf(writer));
  const agent = await GoAgent.joined(member.agentUrl, { name: 'web-02' });
  expect(agent.answer).toMatchObject({ accept: 'application/json' });
  expect((await agent.hears('entity_config'))['metadata']).toMatchObject({ name: 'not found' });
  expect(member.forwarding.agents).toBe(1);
  // Agents of `mon` can use the listener for v2 agents, too.
  const own = await AgentPeer.connect(member.agentUrl);
  await own.join();
  expect(member.forwarding.agents).toBe(2);
});

const figure = async ({ url }: Member, name: string): Promise<number> => {
  const { text } = await send(url, { method: 'GET', target: '/metrics' });
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
};

test('a hundred agents share one tunnel connection and are treated as separate agents', async () => {
  const { writer, member } = await startPair();
  const first = await AgentPeer.connect(member.url);
  await first.join();
  const connections = await figure(writer, 'mon_connections');
  const agents = await Promise.all(
    Array.from({ length: 99 }, async (_, at) => AgentPeer.connect(member.url, `web-${String(2 + at)}`)),
  );
  await Promise.all(agents.map(async (agent) => agent.join()));
  expect(await figure(writer, 'mon_connections')).toBe(connections);
  expect(await figure(writer, 'mon_connections_forwarded')).toBe(100);
  expect(await figure(writer, 'mon_agents_connected')).toBe(100);
  for (const agent of agents) agent.cut();
  await vi.waitFor(async () => expect(await figure(writer, 'mon_connections_forwarded')).toBe(1));
  first.say({ type: 'results', results: [result(1)] });
  await first.waitForAck(1);
});

test('a tunneled agent that does not read, or that sends part of a frame, blocks no other agent', async () => {
  const { writer, member } = await startPair();
  const [deaf, talker, agent] = await Promise.all(
    ['web-1', 'web-2', 'web-3'].map(async (name) => AgentPeer.connect(member.url, name)),
  );
  for (const one of [deaf, talker, agent]) await one?.join();
  deaf?.pauseReading();
  for (let id = 1; id <= 5; id++) deaf?.say({ type: 'results', results: [result(id, 'x'.repeat(1_000_000))] });
  talker?.sayPart('{"type":"results",'.padEnd(8_000_000));
  await vi.waitFor(async () => expect(await figure(writer, 'mon_buffered_bytes')).toBeGreaterThan(7_000_000));
  for (let id = 1; id <= 5; id++) {
    agent?.say({ type: 'results', results: [result(id)] });
    await agent?.waitForAck(id);
  }
});

test('tunneled agents count toward the connection limit of the leader', async () => {
  const [writer, member] = await Promise.all([
    startMember(true, { settings: { 'connection-limit': 10 } }),
    startMember(false),
  ]);
  member.leadership.follow(placeOf(writer));
  const come = async (): Promise<AgentPeer> => AgentPeer.connect(member.url);
  // The connection limit is 10; the tunnels share one connection between the members.
  await Promise.all(Array.from({ length: 9 }, come));
  await expect(come()).rejects.toThrow('503');
  expect(member.forwarding.agents).toBe(9);
});

/** Starts a proxy that hides the channels of a backend, so that it looks like a backend of an earlier version. */
async function startEarlier({ url }: Member): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.upgrade !== 'websocket') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const behind = connect(Number(new URL(url).port), '127.0.0.1');
    const lines = request.rawHeaders.flatMap((name, at, all) =>
      at % 2 === 0 ? [`${name}: ${all[at + 1] ?? ''}`] : [],
    );
    behind.write([`GET ${request.url ?? ''} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    behind.write(head);
    for (const end of [behind, socket]) end.on('error', () => end.destroy());
    behind.pipe(socket).pipe(behind);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

test('a follower does not tunnel agents to a leader of an earlier version', async () => {
  const { writer, member } = await startPair();
  member.leadership.follow(placeOf({ url: await startEarlier(writer) }));
  const agents = await Promise.all(['web-1', 'web-2'].map(async (name) => AgentPeer.connect(member.url, name)));
  for (const agent of agents) await agent.join();
  expect(member.forwarding.agents).toBe(2);
  expect(await figure(writer, 'mon_connections_forwarded')).toBe(0);
  expect(await figure(writer, 'mon_agents_connected')).toBe(2);
});

test('agents reconnect over a new tunnel connection when the tunnel connection is lost', async () => {
  const { writer, member } = await startPair();
  const agent = await AgentPeer.connect(member.url);
  await agent.join();
  await writer[Symbol.asyncDispose]();
  expect(await agent.ends()).toMatchObject({ code: 1001 });
  const next = await startMember(true);
  member.leadership.follow(placeOf(next));
  await (await AgentPeer.connect(member.url)).join();
  expect(await figure(next, 'mon_connections_forwarded')).toBe(1);
});

test('a request without a signature opens no tunnel connection', async () => {
  const writer = await startMember(true);
  const upgrade = { connection: 'Upgrade', upgrade: 'mon-channels' };
  const ask = (headers: Readonly<Record<string, string>>, target = CHANNELS_PATH): ReturnType<typeof send> =>
    send(writer.url, { method: 'GET', target, headers: { ...upgrade, ...headers } });
  const signed = (target = CHANNELS_PATH): Record<string, string> =>
    signedHeaders({ method: 'GET', target }, { headers: upgrade });
  expect((await ask({})).status).toBe(401);
  expect((await ask({ 'mon-peer': SECRET })).status).toBe(401);
  expect((await ask(signed('/other'))).status).toBe(401);
  expect((await ask(signed('/elsewhere'), '/elsewhere')).status).toBe(404);
  writer.leadership.isLeader = false;
  expect((await ask(signed())).status).toBe(503);
});

test('the tunnel endpoint for v2 agents accepts no direct connection', async () => {
  const writer = await startMember(true);
  expect(await GoAgent.connect(writer.url.replace('http', 'ws') + V2_AGENT_TUNNEL_PATH)).toMatchObject({ status: 404 });
});

test('a rejection by the leader reaches an agent in the format of the follower listener that the agent uses', async () => {
  const settings = { 'agent-listener': { port: 0 } };
  const { writer, member } = await startPair({ settings });
  // The namespace exists only on this follower, so only the leader rejects the agent.
  member.leadership.isLeader = true;
  await makeNamespace(member, 'prod');
  member.leadership.follow(placeOf(writer));
  const refused = await GoAgent.connect(member.agentUrl, { namespace: 'prod' });
  expect(refused).toMatchObject({ status: 404, type: 'text/plain; charset=utf-8' });
  expect(refused).toEqual(await GoAgent.connect(writer.agentUrl, { namespace: 'prod' }));
  expect(await GoAgent.connect(`${member.url.replace('http', 'ws')}/agent`)).toMatchObject({ status: 400 });
  await expect(AgentPeer.connect(member.url, 'web-1', 'prod')).rejects.toThrow('404');
  expect(member.forwarding.agents).toBe(0);
});

test('a follower rejects agents with 503 while there is no leader', async () => {
  const member = await startMember(false);
  await expect(AgentPeer.connect(member.url)).rejects.toThrow('503');
});

test('a follower with another peer key than the leader rejects agents with 503', async () => {
  const writer = await startMember(true);
  const member = await startMember(false, { proof: { key: 'x'.repeat(43) } });
  member.leadership.follow(placeOf(writer));
  await expect(AgentPeer.connect(member.url)).rejects.toThrow('503');
});

test('an agent that connects to a follower during a failover waits for the next leader', async () => {
  const { writer, member } = await startPair();
  member.leadership.follow(undefined);
  const agent = AgentPeer.connect(member.url);
  setTimeout(() => member.leadership.follow(placeOf(writer)), 100);
  expect(await (await agent).join()).toMatchObject({ type: 'welcome' });
});

test.each([
  { name: 'with a peer key', proof: { key: PEER_KEY } },
  { name: 'without a peer key', proof: { secret: SECRET } },
])('the certificate of an agent limits the agent even through another member $name', async ({ proof }) => {
  const authority = makeCertificate('agents', { isAuthority: true });
  const web1 = makeCertificate('web-1', { issuer: authority, names: ['web-1'], organization: 'Shop' });
  const ofBank = makeCertificate('web-1', { issuer: authority, organization: 'Bank' });
  const server = makeCertificate('127.0.0.1', { names: ['127.0.0.1'] });
  const dir = await tempDir();
  const pair = await writePair(dir, server);
  const authorities = join(dir, 'agents.pem');
  await writeFile(authorities, authority.cert);
  const { writer, member } = await startPair({
    settings: {
      tls: { ...pair, 'client-ca-file': authorities },
      api: { user: 'ops', password: 'secret' },
      'certificate-namespaces': [{ organization: 'Shop', namespaces: ['default'] }],
    },
    proof,
  });
  const { fingerprint256: fingerprint } = new X509Certificate(server.cert);
  member.leadership.follow({ id: 'the writer', url: writer.url, fingerprint });
  const showing = { rejectUnauthorized: false, cert: web1.cert, key: web1.key };
  const agent = await AgentPeer.connect(member.url, 'web-1', 'default', showing);
  await agent.join();
  await expect(AgentPeer.connect(member.url, 'web-2', 'default', showing)).rejects.toThrow('403');
  await expect(AgentPeer.connect(member.url, 'web-1', 'default', { rejectUnauthorized: false })).rejects.toThrow('401');
  const showingBank = { rejectUnauthorized: false, cert: ofBank.cert, key: ofBank.key };
  await expect(AgentPeer.connect(member.url, 'web-1', 'default', showingBank)).rejects.toThrow('403');
  // The headers of this agent contain no name, so the leader learns the claimed name only from its hello.
  const other = await AgentPeer.connect(member.url, 'web-2', undefined, showing);
  other.greet();
  await other.ends();
  expect(other.heard.map(({ type }) => type)).not.toContain('welcome');
});

test('a tunneled agent is disconnected when its key is revoked', async () => {
  const dir = await tempDir();
  const first = await openBackend({ dir });
  const headers = administratorOf(first.url);
  const ask = (url: string, method: string, target: string, body?: object): ReturnType<typeof send> =>
    send(url, {
      method,
      target: `/api/core/v2${target}`,
      headers: { ...headers, ...administratorOf(url) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  await ask(first.url, 'POST', '/users', { username: 'eva', password: 'longenough', groups: ['admins'] });
  const { body } = await ask(first.url, 'POST', '/apikeys', { username: 'eva', scopes: ['submit'] });
  const { key } = body as { key: string };
  await first.stop();
  const { writer, member } = await startPair({ stored: dir });
  const agent = await AgentPeer.connect(member.url, 'web-1', undefined, undefined, key);
  await agent.join();
  const [id] = (await bodyOf(writer.url, '/api/core/v2/apikeys')) as { metadata: { name: string } }[];
  expect((await ask(writer.url, 'DELETE', `/apikeys/${id?.metadata.name ?? ''}`)).status).toBe(204);
  expect(await agent.ends()).toMatchObject({ code: 1008 });
  await vi.waitFor(() => expect(member.forwarding.agents).toBe(0));
});

test('direct and tunneled agents reconnect after a failover', async () => {
  const { writer, member } = await startPair();
  const [tunnelled, own] = await Promise.all([AgentPeer.connect(member.url), AgentPeer.connect(writer.url, 'web-2')]);
  await Promise.all([tunnelled.join(), own.join()]);
  writer.forwarding.closeAgents();
  expect(await Promise.all([tunnelled.ends(), own.ends()])).toMatchObject([{ code: 1012 }, { code: 1012 }]);
  await vi.waitFor(() => expect(member.forwarding.agents).toBe(0));

  const again = await AgentPeer.connect(member.url);
  await again.join();
  member.leadership.isLeader = true;
  member.forwarding.closeAgents();
  await again.ends();
  await (await AgentPeer.connect(member.url)).join();
  expect(member.forwarding.agents).toBe(0);
});

test('tunneled agents are disconnected when the leader or their follower stops', async () => {
  const { writer, member } = await startPair();
  const agent = await AgentPeer.connect(member.url);
  await agent.join();
  const other = await startMember(false);
  other.leadership.follow(placeOf(writer));
  const left = await AgentPeer.connect(other.url, 'web-2');
  await left.join();
  await other[Symbol.asyncDispose]();
  await left.ends();
  await writer[Symbol.asyncDispose]();
  expect(await agent.ends()).toMatchObject({ code: 1001 });
});

/** Starts a server that accepts every agent like a leader, but never reads their messages. */
async function startFrozen(): Promise<string> {
  const server = createServer();
  const handshakes = new WebSocketServer({ noServer: true });
  const sockets: Duplex[] = [];
  server.on('upgrade', (request, socket, head) => {
    sockets.push(socket);
    handshakes.handleUpgrade(request, socket, head, (peer) => peer.pause());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

test('agents of a frozen leader are disconnected when another backend becomes leader', async () => {
  const { writer, member } = await startPair();
  member.leadership.follow(placeOf({ url: await startFrozen() }, 'frozen'));
  const agent = await AgentPeer.connect(member.url);
  member.leadership.follow(placeOf(writer));
  await agent.ends();
  await (await AgentPeer.connect(member.url)).join();
  expect(member.forwarding.agents).toBe(1);
});

test('backpressure of the leader reaches agents that are connected to a follower', async () => {
  const member = await startMember(false);
  member.leadership.follow(placeOf({ url: await startFrozen() }, 'frozen'));
  const agent = await AgentPeer.connect(member.url);
  for (let at = 0; at < 64; at++) agent.sayText('x'.repeat(1024 * 1024));
  // The agent sends 64 MiB, of which the socket buffers between agent, follower and leader hold only some megabytes.
  await vi.waitFor(() => expect(agent.unsentBytes).toBeLessThan(64 * 1024 * 1024));
  const { text } = await send(member.url, { method: 'GET', target: '/metrics' });
  expect(Number(/^mon_buffered_bytes (\d+)/m.exec(text)?.[1])).toBeLessThan(4 * 1024 * 1024);
  expect(agent.unsentBytes).toBeGreaterThan(32 * 1024 * 1024);
});
