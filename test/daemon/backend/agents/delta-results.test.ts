import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import type { DeltaResult } from '../../../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import type { StoreOp } from '../../../../daemon/backend/ports.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { earlierStore } from '../../../support/earlier-stores.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

const NOW = 1_700_000_000;

interface Rig {
  readonly url: string;
  readonly api: ApiClient;
  readonly backend: Backend;
  readonly clock: ManualClock;
  readonly store: FaultyStore;
  /** Returns the store operations since the last call, without those that store the progress of spools. */
  takeStoreOps(): readonly StoreOp[];
}

/** A function that loads the current settings. */
type Configured = () => Promise<Awaited<ReturnType<typeof loadConfig>>>;

/** Returns a function that loads a configuration file with these settings. */
function configured(settings: object): Configured {
  return async () => {
    const file = join(await tempDir(), 'config.json');
    await writeFile(file, JSON.stringify(settings));
    return await loadConfig({ file, directories: [], env: {} });
  };
}

async function openRig(options: { readonly dir?: string; readonly loadConfig?: Configured } = {}): Promise<Rig> {
  const ops: StoreOp[] = [];
  const stores: FaultyStore[] = [];
  const around = (real: ConstructorParameters<typeof FaultyStore>[0]): FaultyStore => {
    const store = new FaultyStore(real);
    store.refuses = (some) => {
      ops.push(...some);
      return false;
    };
    stores.push(store);
    return store;
  };
  const clock = new ManualClock(NOW * 1000);
  const { loadConfig: load } = options;
  const backend = await openBackend({
    dir: options.dir ?? (await tempDir()),
    clock,
    around,
    ...(load !== undefined && { loadConfig: load, definitions: await load() }),
  });
  onTestFinished(() => backend.stop());
  const [store] = stores;
  if (store === undefined) throw new Error('the store was not opened');
  const takeStoreOps = (): readonly StoreOp[] => ops.splice(0).filter(({ key }) => key[0] === 'check');
  return { url: backend.url, api: openApiClient({ backend: backend.url }), backend, clock, store, takeStoreOps };
}

const DISK: SubmittedResult = {
  name: 'disk',
  command: 'check-disk',
  output: 'OK',
  status: 0,
  executed: NOW - 60,
  issued: NOW - 61,
  duration: 0.5,
  team: 'storage',
};

const full = (id: number, about: Partial<SubmittedResult> = {}): { id: number; check: SubmittedResult } => ({
  id,
  check: { ...DISK, ...about },
});

const delta = (id: number, baseline: number, about: Partial<DeltaResult> = {}): DeltaResult => ({
  id,
  baseline,
  executed: NOW - 30,
  issued: NOW - 31,
  duration: 0.75,
  ...about,
});

/** Returns an agent that has sent one full result, the baseline of later delta results. */
async function connectWithBaseline(
  { url, clock }: Rig,
  about: Partial<SubmittedResult> = {},
  name = 'web-1',
): Promise<AgentPeer> {
  const agent = await AgentPeer.connect(url, name);
  agent.greet('spool-1', {}, true);
  await vi.waitFor(() => {
    clock.advance(1);
    if (!agent.heard.some(({ type }) => type === 'welcome')) throw new Error('it is not welcome yet');
  });
  await sendAndAwaitAck(agent, clock, 1, full(1, about));
  return agent;
}

/** Sends results and waits until this id is acknowledged. */
async function sendAndAwaitAck(
  agent: AgentPeer,
  clock: ManualClock,
  acked: number,
  ...results: readonly (ReturnType<typeof full> | DeltaResult)[]
): Promise<void> {
  agent.say({ type: 'results', results });
  await commits(clock, () => expect(agent.acked).toBeGreaterThanOrEqual(acked));
}

async function commits(clock: ManualClock, isThere: () => void): Promise<void> {
  await vi.waitFor(() => {
    clock.advance(1);
    isThere();
  });
}

async function whileCommitting(clock: ManualClock, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  await commits(clock, () => expect(isOver).toBe(true));
  await over;
}

async function countResentResults(agent: AgentPeer, clock: ManualClock, times = 1): Promise<number> {
  const acknowledgedIds = (): readonly number[] =>
    agent.heard.flatMap((message) => (message.type === 'resend' ? [message.after] : []));
  await commits(clock, () => expect(acknowledgedIds()).toHaveLength(times));
  return acknowledgedIds().at(-1) ?? -1;
}

/** Returns the number of results that wait for their commit. */
async function queued({ url }: Rig): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^mon_queued_results (\d+)$/m.exec(metrics)?.[1]);
}

async function disk({ api }: Rig, client = 'web-1'): Promise<Record<string, unknown> | undefined> {
  return (await api.result(client, 'disk'))?.check;
}

test('an OK result without an event becomes a baseline only for agents that announced delta results', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig);
  expect(agent.baselines).toEqual([1]);
  const other = await AgentPeer.connect(rig.url, 'web-2');
  other.greet('spool-1');
  await commits(rig.clock, () => expect(other.heard).toHaveLength(1));
  await sendAndAwaitAck(other, rig.clock, 1, full(1));
  expect(other.baselines).toEqual([]);
});

test('a delta result has its own times, takes all other values from its baseline, and extends the history', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig);
  await sendAndAwaitAck(agent, rig.clock, 2, delta(2, 1));
  expect(await disk(rig)).toEqual({
    ...DISK,
    type: 'standard',
    executed: NOW - 30,
    issued: NOW - 31,
    duration: 0.75,
    history: [0, 0],
  });
});

test('a delta result may contain another output, which the next delta result does not inherit', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig);
  await sendAndAwaitAck(agent, rig.clock, 2, delta(2, 1, { output: 'OK "still"\n✓' }));
  expect(await disk(rig)).toMatchObject({ output: 'OK "still"\n✓', history: [0, 0] });
  await sendAndAwaitAck(agent, rig.clock, 3, delta(3, 1));
  expect(await disk(rig)).toMatchObject({ output: 'OK', history: [0, 0, 0] });
});

test('only the difference of a delta result is stored, and the full result survives a restart', async () => {
  const dir = await tempDir();
  const rig = await openRig({ dir });
  const agent = await connectWithBaseline(rig);
  rig.takeStoreOps();
  await sendAndAwaitAck(agent, rig.clock, 2, delta(2, 1));
  expect(rig.takeStoreOps()).toEqual([
    expect.objectContaining({ type: 'amend', parts: [expect.any(String), undefined, undefined, expect.any(String)] }),
  ]);
  const before = await disk(rig);
  await rig.backend.stop();
  expect(await disk(await openRig({ dir }))).toEqual(before);
});

test('an execution time in the future in a delta result is replaced by the current time', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig);
  await sendAndAwaitAck(agent, rig.clock, 2, delta(2, 1, { executed: NOW + 3600 }));
  expect(await disk(rig)).toMatchObject({ executed: Math.floor(rig.clock.now() / 1000) });
});

test('a result of a proxy client can be a baseline as well', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig, { source: 'router' });
  expect(agent.baselines).toEqual([1]);
  await sendAndAwaitAck(agent, rig.clock, 2, delta(2, 1));
  expect(await disk(rig, 'router')).toMatchObject({ source: 'router', origin: 'web-1', executed: NOW - 30 });
});

test('delta results reset the TTL of their check like full results', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig, { ttl: 120 });
  await sendAndAwaitAck(agent, rig.clock, 2, delta(2, 1, { executed: NOW }));
  rig.clock.advance(100_000);
  await commits(rig.clock, () => expect(agent.acked).toBe(2));
  expect(await rig.api.events()).toEqual([]);
  rig.clock.advance(60_000);
  await vi.waitFor(async () => {
    rig.clock.advance(1000);
    expect(await rig.api.events()).toContainEqual(
      expect.objectContaining({ check: expect.objectContaining({ name: 'disk', status: 1 }) }),
    );
  });
});

test.each<{ what: string; attributes: Partial<SubmittedResult> }>([
  { what: 'that fails', attributes: { status: 1 } },
  { what: 'whose output is cut', attributes: { truncate_output: true } },
  { what: 'whose definition limits the output', attributes: { max_output_size: 10 } },
  { what: 'that may flap', attributes: { low_flap_threshold: 10, high_flap_threshold: 20 } },
  { what: 'of metrics', attributes: { type: 'metric' } },
])('a result $what is no baseline', async ({ attributes }) => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig, attributes);
  expect(agent.baselines).toEqual([]);
});

test('an OK result that leaves its event open is no baseline', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig, { status: 2 });
  await sendAndAwaitAck(agent, rig.clock, 2, full(2, { auto_resolve: false }));
  expect(agent.baselines).toEqual([]);
  await sendAndAwaitAck(agent, rig.clock, 3, full(3));
  expect(agent.baselines).toEqual([3]);
});

test('no result is a baseline while a handler receives every result of its check', async () => {
  const rig = await openRig({
    loadConfig: configured({ handlers: { all: { type: 'pipe', command: 'true', event_format: 'core' } } }),
  });
  expect((await connectWithBaseline(rig, { handlers: ['all'] })).baselines).toEqual([]);
  expect((await connectWithBaseline(rig, { handlers: ['other'] }, 'web-2')).baselines).toEqual([1]);
});

test.each<{ what: string; change: (rig: Rig) => Promise<unknown> }>([
  {
    what: 'another full result of the check arrived',
    change: ({ api }) => api.submitResult({ name: 'disk', source: 'web-1', output: 'fine', status: 0 }),
  },
  {
    what: 'the check has an event',
    change: ({ api }) => api.submitResult({ name: 'disk', source: 'web-1', output: '', status: 2 }),
  },
  { what: 'the result was deleted', change: ({ api }) => api.deleteResult('web-1', 'disk') },
])('a delta result is rejected when $what, and the agent sends all results from there on again', async ({ change }) => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig);
  await whileCommitting(rig.clock, change(rig));
  agent.say({ type: 'results', results: [full(2, { name: 'load' }), delta(3, 1), full(4, { name: 'load' })] });
  agent.say({ type: 'results', results: [delta(5, 1)] });
  expect(await countResentResults(agent, rig.clock)).toBe(2);
  expect(agent.acked).toBe(2);
  // The agent sent this delta result before it received the resend request.
  agent.say({ type: 'results', results: [delta(6, 1)] });
  agent.say({ type: 'results', resume_after: 2, results: [full(3), full(4, { name: 'load' })] });
  await commits(rig.clock, () => expect(agent.acked).toBe(4));
  expect(await disk(rig)).toMatchObject({ output: 'OK', executed: DISK.executed });
  expect(agent.baselines).toEqual(expect.arrayContaining([3, 4]));
  await sendAndAwaitAck(agent, rig.clock, 6, delta(5, 3), delta(6, 4));
  expect(await countResentResults(agent, rig.clock)).toBe(2);
});

test('after a configuration change each agent sends full results once, which are merged with the new definitions', async () => {
  const settings = {
    checks: { disk: { command: 'check-disk', subscribers: ['web'], interval: 60, team: 'before', tier: 1 } },
  };
  const rig = await openRig({ loadConfig: () => configured(settings)() });
  const agent = await connectWithBaseline(rig, { team: 'agent' });
  await sendAndAwaitAck(agent, rig.clock, 2, delta(2, 1));
  expect(await disk(rig)).toMatchObject({ tier: 1 });
  settings.checks.disk.tier = 2;
  await rig.backend.reload();
  agent.say({ type: 'results', results: [delta(3, 1)] });
  expect(await countResentResults(agent, rig.clock)).toBe(2);
  agent.say({ type: 'results', resume_after: 2, results: [full(3)] });
  await commits(rig.clock, () => expect(agent.acked).toBe(3));
  await sendAndAwaitAck(agent, rig.clock, 4, delta(4, 3));
  expect(await disk(rig)).toMatchObject({ tier: 2, history: [0, 0, 0, 0] });
});

test('a result whose definition changed before its commit is no baseline', async () => {
  const settings = { checks: { load: { command: 'check-load', subscribers: ['web'], interval: 60, tier: 1 } } };
  const rig = await openRig({ loadConfig: () => configured(settings)() });
  const agent = await connectWithBaseline(rig);
  const release = rig.store.hold();
  const { writes } = rig.store;
  agent.say({ type: 'results', results: [full(2)] });
  await commits(rig.clock, () => expect(rig.store.writes).toBe(writes + 1));
  agent.say({ type: 'results', results: [full(3, { name: 'load' })] });
  await vi.waitFor(async () => expect(await queued(rig)).toBe(2));
  settings.checks.load.tier = 2;
  await rig.backend.reload();
  release();
  await commits(rig.clock, () => expect(agent.acked).toBe(3));
  expect(agent.baselines).toEqual([1, 2]);
});

test('after an aggregate was deleted, the next delta result is rejected, so that a full result joins it again', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig, { aggregate: 'storage' });
  await whileCommitting(rig.clock, rig.api.deleteAggregate('storage'));
  agent.say({ type: 'results', results: [delta(2, 1)] });
  expect(await countResentResults(agent, rig.clock)).toBe(1);
});

test('a delta result with an unknown baseline or the baseline of another agent is rejected', async () => {
  const rig = await openRig();
  await connectWithBaseline(rig);
  const other = await connectWithBaseline(rig, { name: 'load' }, 'web-2');
  other.say({ type: 'results', results: [delta(2, 7)] });
  expect(await countResentResults(other, rig.clock)).toBe(1);
});

test('the baselines of an agent end with its connection', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig);
  agent.cut();
  const again = await AgentPeer.connect(rig.url);
  again.greet('spool-1', {}, true);
  await commits(rig.clock, () => expect(again.acked).toBe(1));
  again.say({ type: 'results', results: [delta(2, 1)] });
  expect(await countResentResults(again, rig.clock)).toBe(1);
});

test('a delta result that was committed before is ignored, even if its baseline no longer exists', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig);
  await sendAndAwaitAck(agent, rig.clock, 2, delta(2, 1));
  await sendAndAwaitAck(agent, rig.clock, 3, full(3, { output: 'other' }));
  await sendAndAwaitAck(agent, rig.clock, 4, delta(2, 1), full(4, { output: 'newest' }));
  expect(await disk(rig)).toMatchObject({ output: 'newest', history: [0, 0, 0, 0] });
});

test('a command behind a delta result in the same batch sees the state after the delta result', async () => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig);
  const release = rig.store.hold();
  const { writes } = rig.store;
  const first = rig.api.submitResult({ name: 'load', source: 'web-2', output: '', status: 0 });
  await commits(rig.clock, () => expect(rig.store.writes).toBe(writes + 1));
  agent.say({ type: 'results', results: [delta(2, 1, { output: 'newer' })] });
  await vi.waitFor(async () => expect(await queued(rig)).toBe(2));
  const renamed = rig.api.renameCheck('disk', 'disk-usage', true);
  await vi.waitFor(async () => expect(await queued(rig)).toBeGreaterThan(2));
  release();
  await commits(rig.clock, () => expect(agent.acked).toBe(2));
  await Promise.all([first, renamed]);
  const { check } = (await rig.api.result('web-1', 'disk-usage')) ?? {};
  expect(check).toMatchObject({ output: 'newer', executed: NOW - 30, history: [0, 0] });
});

test('a backend whose store awaits an upgrade offers no baselines for delta results', async () => {
  const rig = await openRig({ dir: await earlierStore({ schema: 2 }) });
  expect((await connectWithBaseline(rig)).baselines).toEqual([]);
});

test.each<{ name: string; baseline: Partial<SubmittedResult>; change: Partial<DeltaResult> }>([
  { name: 'without a duration whose baseline has one', baseline: {}, change: { duration: undefined } },
  { name: 'with a duration whose baseline has none', baseline: { duration: undefined }, change: {} },
])('a delta result $name is rejected and must be sent again in full', async ({ baseline, change }) => {
  const rig = await openRig();
  const agent = await connectWithBaseline(rig, baseline);
  agent.say({ type: 'results', results: [delta(2, 1, { ...change, executed: NOW - 20 })] });
  expect(await countResentResults(agent, rig.clock)).toBe(1);
  expect((await disk(rig))?.['executed']).not.toBe(NOW - 20);
});
