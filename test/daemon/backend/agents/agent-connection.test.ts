import { expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { AGENT_WINDOW } from '../../../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import type { BatcherOptions } from '../../../../daemon/backend/commit/batcher.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

interface Rig {
  readonly url: string;
  readonly api: ApiClient;
  readonly store: FaultyStore;
  readonly log: RecordedLog;
}

async function openRig(options: { readonly batcher?: BatcherOptions } = {}): Promise<Rig> {
  const log = new RecordedLog();
  const stores: FaultyStore[] = [];
  const around = (store: ConstructorParameters<typeof FaultyStore>[0]): FaultyStore => {
    const faulty = new FaultyStore(store);
    stores.push(faulty);
    return faulty;
  };
  const backend = await openBackend({ dir: await tempDir(), around, log, ...options });
  onTestFinished(() => backend.stop());
  const [store] = stores;
  if (store === undefined) throw new Error('the store was not opened');
  return { url: backend.url, api: openApiClient({ backend: backend.url }), store, log };
}

const run = (id: number, about: Partial<SubmittedResult> = {}): { id: number; check: SubmittedResult } => ({
  id,
  check: { name: 'disk', output: `run ${String(id)}`, status: id, ...about },
});

/** Returns the number of results that wait for their commit. */
async function queuedResults(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^mon_queued_results (\d+)$/m.exec(metrics)?.[1]);
}

/** Waits until the value no longer changes, and returns it. */
async function settledValue(read: () => number): Promise<number> {
  let [last, times] = [NaN, 0];
  return await vi.waitFor(() => {
    const figure = read();
    [last, times] = [figure, figure === last ? times + 1 : 0];
    if (times < 30) throw new Error(`${String(figure)} is not the end`);
    return figure;
  });
}

async function historyOf(api: ApiClient, client = 'web-1'): Promise<readonly number[] | undefined> {
  return (await api.result(client, 'disk'))?.check.history;
}

test('a hello registers the client, and the welcome contains the last acknowledged id and the window', async () => {
  const { url, api } = await openRig();
  const agent = await AgentPeer.connect(url);
  expect(await agent.join()).toMatchObject({ type: 'welcome', acked: 0, window: 64 });
  expect((await api.client('web-1'))?.subscriptions).toEqual(['web', 'client:web-1']);
});

test('the backend acknowledges results by the highest id that is committed', async () => {
  const { url, api } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join();
  agent.say({ type: 'results', results: [run(1), run(2)] });
  agent.say({ type: 'results', results: [run(3)] });
  await agent.waitForAck(3);
  expect(await historyOf(api)).toEqual([1, 2, 3]);
  const acks = agent.heard.filter(({ type }) => type === 'ack').map((message) => ('id' in message ? message.id : 0));
  expect(acks).toEqual(acks.toSorted((a, b) => a - b));
});

test('short frames behind a long frame that is parsed in chunks are processed after the long frame', async () => {
  const { url, api } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join();
  const long = Array.from({ length: 900 }, (_, at) => run(at + 1, { status: 0, output: 'x'.repeat(1000) }));
  agent.say({ type: 'results', results: long });
  for (let id = 901; id <= 905; id++) agent.say({ type: 'results', results: [run(id, { status: 2 })] });
  await agent.waitForAck(905);
  expect((await historyOf(api))?.slice(-6)).toEqual([0, 2, 2, 2, 2, 2]);
});

test('a result that is sent again after its commit has no effect, on the same or the next connection', async () => {
  const { url, api } = await openRig();
  const first = await AgentPeer.connect(url);
  await first.join();
  first.say({ type: 'results', results: [run(1), run(2)] });
  first.say({ type: 'results', results: [run(1), run(2), run(3)] });
  await first.waitForAck(3);
  first.cut();
  const second = await AgentPeer.connect(url);
  expect(await second.join()).toMatchObject({ acked: 3 });
  second.say({ type: 'results', results: [run(2), run(3), run(4)] });
  await second.waitForAck(4);
  expect(await historyOf(api)).toEqual([1, 2, 3, 4]);
});

test('result ids of a new spool of the same client start over', async () => {
  const { url, api } = await openRig();
  const before = await AgentPeer.connect(url);
  await before.join('spool-1');
  before.say({ type: 'results', results: [run(1), run(2)] });
  await before.waitForAck(2);
  before.cut();
  const after = await AgentPeer.connect(url);
  expect(await after.join('spool-2')).toMatchObject({ acked: 0 });
  after.say({ type: 'results', results: [run(1)] });
  await after.waitForAck(1);
  expect(await historyOf(api)).toEqual([1, 2, 1]);
});

test('a backend accepts gaps in result ids, because a full spool drops its oldest results', async () => {
  const { url, api } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join();
  agent.say({ type: 'results', results: [run(7), run(9)] });
  await agent.waitForAck(9);
  expect(await historyOf(api)).toEqual([7, 9]);
});

test('a backend rejects an invalid result with its id and accepts the other results of the frame', async () => {
  const { url, api, log } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join();
  agent.say({
    type: 'results',
    results: [run(1, { handlers: [] }), run(2, { name: 'not a name' }), run(3, { handlers: [] })],
  });
  await agent.waitForAck(3);
  expect(await agent.hears('rejected')).toEqual({
    type: 'rejected',
    id: 2,
    error: 'name: must be word characters, dots, hyphens and colons only',
  });
  expect(await historyOf(api)).toEqual([1, 3]);
  expect(log.messages('error')).toEqual(['check result rejected']);
});

test('a backend rejects only the result that is nested too deep, but closes for a client nested too deep', async () => {
  const { url, api } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join();
  agent.say({ type: 'results', results: [run(1, { deep: nested(31) }), run(2, { deep: nested(32) }), run(3)] });
  await agent.waitForAck(3);
  expect(await agent.hears('rejected')).toEqual({
    type: 'rejected',
    id: 2,
    error: 'the result is nested deeper than 32 levels',
  });
  expect(await historyOf(api)).toEqual([1, 3]);
  agent.say({
    type: 'keepalive',
    client: { name: 'web-1', address: '192.0.2.1', subscriptions: [], deep: nested(4000) },
  });
  expect(await agent.hears('error')).toMatchObject({
    code: 'invalid',
    message: 'the client is nested deeper than 32 levels',
  });
  expect((await agent.ends()).code).toBe(1008);
  expect((await api.client('web-1'))?.['deep']).toBeUndefined();
});

function nested(levels: number): unknown {
  return levels === 0 ? 0 : [nested(levels - 1)];
}

test('a full queue of the backend delays acknowledgments and loses no result', async () => {
  const { url, api, store } = await openRig({ batcher: { queueLimit: 3, batchLimit: 1 } });
  const agent = await AgentPeer.connect(url);
  await agent.join();
  const release = store.hold();
  for (let id = 1; id <= 20; id++) agent.say({ type: 'results', results: [run(id)] });
  await vi.waitFor(() => expect(store.writes).toBe(2));
  expect(agent.acked).toBe(0);
  release();
  await agent.waitForAck(20);
  expect(await historyOf(api)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
});

test(
  'a backend does not read from an agent that exceeds the window until the store has committed',
  { tags: 'slow' },
  async () => {
    const { url, store } = await openRig();
    const agent = await AgentPeer.connect(url);
    await agent.join();
    const release = store.hold();
    onTestFinished(release);
    // 60 MB in total, far more than the socket buffers of both ends hold.
    const output = 'x'.repeat(100_000);
    for (let id = 1; id <= 600; id++) agent.say({ type: 'results', results: [run(id, { output, status: 2 })] });
    await vi.waitFor(async () => expect(await queuedResults(url)).toBeGreaterThan(3 * AGENT_WINDOW));
    expect(await settledValue(() => agent.unsentBytes)).toBeGreaterThan(15_000_000);
    expect(await queuedResults(url)).toBeLessThanOrEqual(4 * AGENT_WINDOW);
    release();
    await agent.waitForAck(600);
  },
);

test('an invalid result is rejected once, even if its frame waits for a full queue', async () => {
  const { url, store } = await openRig({ batcher: { queueLimit: 1, batchLimit: 1 } });
  const agent = await AgentPeer.connect(url);
  await agent.join();
  const release = store.hold();
  for (let id = 1; id <= 5; id++) agent.say({ type: 'results', results: [run(id, { name: 'not a name' })] });
  agent.say({ type: 'results', results: [run(6), run(7)] });
  release();
  await agent.waitForAck(7);
  expect(agent.heard.filter(({ type }) => type === 'rejected')).toHaveLength(5);
});

test('the welcome does not acknowledge results that are still being written', async () => {
  const { url, store } = await openRig({ batcher: { batchLimit: 1 } });
  const old = await AgentPeer.connect(url);
  await old.join();
  const release = store.hold();
  old.say({ type: 'results', results: [run(1)] });
  await vi.waitFor(() => expect(store.writes).toBe(2));
  const young = await AgentPeer.connect(url);
  young.greet();
  old.say({ type: 'results', results: [run(2)] });
  // The store accepts the first result and rejects the second.
  store.refuses = (ops) => ops.some((op) => op.type === 'put' && op.value.includes('run 2'));
  release();
  expect(await young.hears('welcome')).toMatchObject({ acked: 1 });
});

test('after a failed write the backend closes the connection, so that no later result overtakes a failed one', async () => {
  const { url, api, store } = await openRig({ batcher: { batchLimit: 1 } });
  const agent = await AgentPeer.connect(url);
  await agent.join();
  const release = store.hold();
  for (let id = 1; id <= 5; id++) agent.say({ type: 'results', results: [run(id)] });
  await vi.waitFor(() => expect(store.writes).toBe(2));
  // The store rejects the write in progress and accepts all later ones.
  let refusals = 0;
  store.refuses = () => refusals++ === 0;
  release();
  expect(await agent.ends()).toEqual({ code: 1013, reason: 'results could not be stored' });

  const again = await AgentPeer.connect(url);
  const { acked } = await again.join();
  for (let id = acked + 1; id <= 5; id++) again.say({ type: 'results', results: [run(id)] });
  await again.waitForAck(5);
  expect(await historyOf(api)).toEqual([1, 2, 3, 4, 5]);
});

test('after a failed write results that waited for a full queue do not overtake the failed ones', async () => {
  const { url, api, store } = await openRig({ batcher: { batchLimit: 1, queueLimit: 2 } });
  const agent = await AgentPeer.connect(url);
  await agent.join();
  const release = store.hold();
  for (let id = 1; id <= 6; id++) agent.say({ type: 'results', results: [run(id)] });
  await vi.waitFor(() => expect(store.writes).toBe(2));
  let refusals = 0;
  store.refuses = () => refusals++ === 0;
  release();
  await agent.ends();
  const again = await AgentPeer.connect(url);
  const { acked } = await again.join();
  for (let id = acked + 1; id <= 6; id++) again.say({ type: 'results', results: [run(id)] });
  await again.waitForAck(6);
  expect(await historyOf(api)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('an agent that reconnects replaces its previous connection', async () => {
  const { url } = await openRig();
  const old = await AgentPeer.connect(url);
  await old.join();
  const young = await AgentPeer.connect(url);
  await young.join();
  expect(await old.ends()).toEqual({ code: 4001, reason: 'another agent with this name has connected' });
  young.say({ type: 'results', results: [run(1)] });
  await young.waitForAck(1);
});

test('results and hellos require the signature of the client once the client has sent a signature', async () => {
  const { url, api, log } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join('spool-1', { signature: 'mine' });
  agent.say({
    type: 'results',
    results: [{ ...run(1), signature: 'mine' }, run(2), { ...run(3), signature: 'other' }],
  });
  await agent.waitForAck(3);
  expect(await historyOf(api)).toEqual([1]);
  expect(await api.client('web-1')).not.toHaveProperty('signature', 'other');

  const impostor = await AgentPeer.connect(url);
  impostor.greet('spool-2');
  expect(await impostor.hears('error')).toEqual({
    type: 'error',
    code: 'forbidden',
    message: 'invalid client signature of web-1',
  });
  expect((await impostor.ends()).code).toBe(1008);
  expect(log.messages('warn')).toContain('agent rejected');
});

test('a deleted client with a ban cannot reconnect before the ban ends', async () => {
  const { url, api } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join();
  await fetch(`${url}/clients/web-1?invalidate=true&invalidate_expire=3600`, { method: 'DELETE' });
  agent.say({ type: 'results', results: [run(1)] });
  await agent.waitForAck(1);
  expect(await api.result('web-1', 'disk')).toBeUndefined();
  agent.say({ type: 'keepalive', client: { name: 'web-1', address: '192.0.2.1' } });
  expect(await agent.hears('error')).toMatchObject({ code: 'forbidden' });
  expect(await api.client('web-1')).toBeUndefined();
});

test.each<{ name: string; hello?: boolean; frame: string; error: string | RegExp }>([
  { name: 'a frame that is not JSON', frame: '{', error: 'WebSocket frames must contain valid JSON' },
  { name: 'a frame of an unknown type', frame: '{"type":"shout"}', error: /type/ },
  {
    name: 'results before hello',
    frame: JSON.stringify({ type: 'results', results: [run(1)] }),
    error: 'the first frame must have the type hello',
  },
  {
    name: 'a result id that is not a number',
    frame: '{"type":"results","results":[{"id":"1","check":{}}]}',
    error: /id/,
  },
  {
    name: 'a frame whose ids do not grow',
    hello: true,
    frame: JSON.stringify({ type: 'results', results: [run(2), run(1)] }),
    error: 'the result IDs in a WebSocket frame must be in ascending order',
  },
  { name: 'a frame without results', frame: '{"type":"results","results":[]}', error: /results/ },
  {
    name: 'a hello whose client has no address',
    frame: '{"type":"hello","spool":"s","client":{"name":"web-1"}}',
    error: /^client: address/,
  },
  {
    name: 'a keepalive before hello',
    frame: '{"type":"keepalive","client":{"name":"web-1","address":"a"}}',
    error: 'the first frame must have the type hello',
  },
])(
  'the backend closes the connection of an agent that sends $name, and gives a reason',
  async ({ hello = false, frame, error }) => {
    const { url } = await openRig();
    const agent = await AgentPeer.connect(url);
    if (hello) await agent.join();
    agent.sayText(frame);
    const { code, message } = await agent.hears('error');
    expect(code).toBe('invalid');
    expect(message).toMatch(error);
    expect((await agent.ends()).code).toBe(1008);
  },
);

test('an agent cannot name another client in a keepalive', async () => {
  const { url } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join();
  agent.say({ type: 'keepalive', client: { name: 'db-1', address: '192.0.2.2' } });
  expect((await agent.hears('error')).message).toBe(
    'this connection belongs to the client web-1: use that name, or open another connection',
  );
});
