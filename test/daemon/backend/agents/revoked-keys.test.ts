import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

const REVOKED = { code: 1008, reason: 'the credentials are no longer valid: authenticate again' };

let backend: RunningBackend;
let store: FaultyStore;
let ask: Ask;
/** An API key with the scope `submit`, which the agents use. */
let key: string;
let id: string;

beforeEach(async () => {
  backend = await startBackend({
    settings: { api: { user: 'root', password: 'long enough' }, 'agent-listener': { port: 0 } },
    around: (real) => (store = new FaultyStore(real)),
  });
  const { [Symbol.asyncDispose]: stop } = backend;
  onTestFinished(() => stop());
  ask = asking(backend.url, basic('root', 'long enough'));
  const { body } = await ask('POST', '/api/core/v2/apikeys', { username: 'root', scopes: ['submit'] });
  ({ key } = body as { readonly key: string });
  id = key.split('_')[1] ?? '';
});

const storedResultCount = async (): Promise<number> => ((await ask('GET', '/results')).body as unknown[]).length;
const revokeKey = (): Promise<unknown> => ask('DELETE', `/api/core/v2/apikeys/${id}`);
const aResult = (name: string): { readonly name: string; readonly output: string } => ({ name, output: 'o' });

/** Runs `act` while the revocation of the key waits in the queue, so that results of `act` are queued behind it. */
async function behindRevocation(act: () => Promise<void> | void): Promise<void> {
  const release = store.hold();
  const before = store.writes;
  const held = ask('POST', '/stashes', { path: 'held', content: {} });
  await vi.waitFor(() => expect(store.writes).toBe(before + 1));
  const revoked = revokeKey();
  await pause(20);
  await act();
  await pause(20);
  release();
  await Promise.all([held, revoked]);
}

test('an agent whose key is revoked while it sends at full speed stores no result after the revocation', async () => {
  const agent = await AgentPeer.connect(backend.url, 'web-1', undefined, undefined, key);
  await agent.join();
  agent.pauseReading();
  const ended = new AbortController();
  const sending = (async () => {
    for (let result = 1; !ended.signal.aborted; result++) {
      agent.say({ type: 'results', results: [{ id: result, check: aResult(`check-${String(result)}`) }] });
      if (result % 20 === 0) await turn();
    }
  })();
  await vi.waitFor(async () => expect(await storedResultCount()).toBeGreaterThan(100));
  await revokeKey();
  const then = await storedResultCount();
  await pause(500);
  expect(await storedResultCount()).toBe(then);
  ended.abort();
  await sending;
  agent.cut();
});

test('a result that is queued behind the revocation of its key is not stored, and the agent gets the reason', async () => {
  const agent = await AgentPeer.connect(backend.url, 'web-1', undefined, undefined, key);
  await agent.join();
  await behindRevocation(() =>
    agent.say({
      type: 'results',
      results: [
        { id: 1, check: aResult('disk') },
        { id: 2, check: aResult('load') },
      ],
    }),
  );
  expect(await agent.ends()).toEqual(REVOKED);
  expect(await storedResultCount()).toBe(0);
});

test('a keepalive that is queued behind the revocation of its key is not stored', async () => {
  const agent = await AgentPeer.connect(backend.url, 'web-1', undefined, undefined, key);
  await agent.join();
  await ask('DELETE', '/clients/web-1');
  const timestamp = Math.floor(Date.now() / 1000) + 10;
  await behindRevocation(() =>
    agent.say({ type: 'keepalive', client: { name: 'web-1', address: 'a', subscriptions: [], timestamp } }),
  );
  expect(await agent.ends()).toMatchObject({ code: 1008 });
  expect((await ask('GET', '/clients')).body).toEqual([]);
});

test('an event that a v2 agent queued behind the revocation of its key is not stored', async () => {
  const agent = await GoAgent.joined(backend.agentUrl, { key });
  agent.keepalive();
  await vi.waitFor(async () => expect((await ask('GET', '/clients')).body).toHaveLength(1));
  const before = await storedResultCount();
  await behindRevocation(() => agent.event({ metadata: { name: 'disk' }, output: 'o', status: 0 }));
  expect(await agent.ends()).toEqual(REVOKED);
  // This commit would also store an event that was still queued.
  await ask('POST', '/stashes', { path: 'another', content: {} });
  await pause(50);
  expect(await storedResultCount()).toBe(before);
});

test('a request that is queued behind the revocation of its key is rejected', async () => {
  const asAgent = asking(backend.url, `Key ${key}`);
  let answer: ReturnType<Ask> | undefined;
  await behindRevocation(() => {
    answer = asAgent('POST', '/results', { ...aResult('disk'), source: 'web-1' });
  });
  expect(await answer).toMatchObject({ status: 401 });
  expect(await storedResultCount()).toBe(0);
});

test('a request whose body arrives after the revocation of its key is rejected', async () => {
  const { hostname, port } = new URL(backend.url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({ ...aResult('disk'), source: 'web-1' });
  const head = `POST /api/mon/v1/results HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Key ${key}\r\nConnection: close\r\n`;
  socket.write(`${head}Content-Length: ${String(body.length + 2)}\r\n\r\n[`);
  await pause(50);
  await revokeKey();
  socket.write(`${body}]`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
  expect(await storedResultCount()).toBe(0);
});
