import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { administratorOf } from '../../../support/administrator.ts';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { openUpgradeClient } from '../../../../shared/client/plan-client.ts';
import { currentStep } from '../../../../shared/domain/plan/run.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { earlierStore, onClosed } from '../../../support/earlier-stores.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { PlanDriver, SESSION } from '../../../support/plan-driver.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';
import type { StoreOp } from '../../../../daemon/backend/ports.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../../../../daemon/backend/store/migrations/list.ts';
import { encodeTuple } from '../../../../daemon/backend/store/tuple.ts';

interface Rig {
  readonly url: string;
  readonly dir: string;
  readonly api: ApiClient;
  readonly plan: PlanDriver;
  stop: () => Promise<void>;
}

/** Returns true for the write with the outcome of the rule evaluation. */
function isEnd(op: StoreOp): boolean {
  return op.type === 'put' && op.value.includes('nothing blocks the upgrade');
}

/** Returns a backend with an open upgrade plan that one console holds. */
async function withPlan(
  options: Partial<Parameters<typeof openBackend>[0]> & { readonly clock?: ManualClock; readonly from?: string } = {},
): Promise<Rig> {
  const { from = '6.4.0', ...given } = options;
  const dir = given.dir ?? (await tempDir());
  const backend = await openBackend({ batcher: { batchLimit: 1 }, ...given, dir });
  onTestFinished(() => backend.stop());
  const client = openUpgradeClient({ backend: backend.url });
  const [open] = await client.plans();
  const { id } = open ?? (await client.create({ from, to: '6.5.0' }));
  const plan = new PlanDriver(() => client, id);
  if (open === undefined) await plan.take();
  return { url: backend.url, dir, api: openApiClient({ backend: backend.url }), plan, stop: () => backend.stop() };
}

const CODES: Readonly<Record<number, string>> = { 400: 'invalid', 404: 'not_found', 409: 'conflict' };

describe('commands to an upgrade plan', () => {
  test('creating a second upgrade plan is rejected while a plan is open, and the error names the open plan', async () => {
    const { url } = await withPlan();
    await expect(openUpgradeClient({ backend: url }).create({ from: '6.5.0', to: '6.5.0' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'the upgrade plan 1 from 6.4.0 to 6.5.0 is open: finish or abandon it before you create another plan',
    });
  });

  test.each([
    ['/upgrades', { from: 'x', to: '6.5.0' }, 400],
    ['/upgrades', { from: '6.5.0', to: '6.4.0' }, 400],
    ['/upgrades/2', { order: 'take', session: SESSION }, 404],
    ['/upgrades/x', { order: 'take', session: SESSION }, 404],
    ['/upgrades/1', { order: 'dance', session: SESSION }, 400],
    ['/upgrades/1', { order: 'start', session: SESSION, step: 'nope' }, 404],
    ['/upgrades/1', { order: 'start', session: SESSION, step: 'migrate' }, 409],
    ['/upgrades/1', { order: 'confirm', session: SESSION, step: 'rules' }, 409],
    ['/upgrades/1', { order: 'skip', session: SESSION, step: 'rules', reason: ' ' }, 400],
    ['/upgrades/1', { order: 'roll-back', session: SESSION, reason: 'x' }, 409],
    ['/upgrades/1', { order: 'take', session: 'another' }, 409],
    ['/upgrades/1', { order: 'start', session: 'another', step: 'rules' }, 409],
  ])('POST %s with the body %j returns %d', async (path, body, status) => {
    const { url } = await withPlan();
    const answer = await fetch(`${url}/api/mon/v1${path}`, {
      method: 'POST',
      headers: administratorOf(url),
      body: JSON.stringify(body),
    });
    expect(answer).toHaveProperty('status', status);
    expect(await answer.json()).toEqual({ error: expect.any(String), code: CODES[status] });
  });

  test('the list of upgrade plans omits the logs, and a single plan contains its log', async () => {
    const { url, plan } = await withPlan();
    const answer = await fetch(`${url}/api/mon/v1/upgrades`);
    const { log, ...summary } = await plan.plan();
    expect(await answer.json()).toEqual([summary]);
    expect(log.map(({ text }) => text)).toEqual([
      'plan from 6.4.0 to 6.5.0, created by local administrator',
      'owned by local administrator',
    ]);
  });

  test('every command to an upgrade plan except a heartbeat is recorded in the audit trail', async () => {
    const { api, plan } = await withPlan();
    await plan.take();
    await plan.skip('seen before');
    const trail = await api.audit({ action: 'upgrade.order' });
    expect(trail.map(({ after, reason, target }) => ({ after, reason, target }))).toEqual([
      { after: { order: 'skip', step: 'rules' }, reason: 'seen before', target: '1' },
      { after: { order: 'take' }, reason: null, target: '1' },
    ]);
  });

  test('facts that are sent to confirm a step of an upgrade plan are evaluated again', async () => {
    const { url } = await withPlan();
    const client = openUpgradeClient({ backend: url });
    await client.order(1, { order: 'abandon', session: SESSION, reason: 'another one' });
    const { id } = await client.create({ from: '6.3.0', to: '6.4.0' });
    const plan = new PlanDriver(() => client, id);
    await plan.take();
    await plan.until('certificates');
    await plan.start();
    const bad = { file: 'a.pem', common_name: 'a', names: [], problem: null };
    const confirm = async (names: string[]): Promise<unknown> => {
      const facts = { certificates: [{ ...bad, names }] };
      await plan.order({ order: 'confirm', session: SESSION, step: 'certificates', facts });
      return (await plan.settled()).steps.find((step) => step.id === 'certificates')?.state;
    };
    expect(await confirm([])).toBe('confirm');
    expect(await confirm(['a'])).toBe('done');
  });
});

/**
 * The version before a change of the stored form for all backends, during which no results may arrive
 * (reference 9.3, 5.8.0).
 */
const DRAINING = '5.7.0';

/** Returns a rig whose upgrade plan has completed the step `drain`, after which results are rejected. */
async function drained(): Promise<Rig> {
  const rig = await withPlan({ from: DRAINING });
  while (currentStep(await rig.plan.plan())?.id !== 'drain') await rig.plan.skip('not in this test');
  await rig.plan.start();
  return rig;
}

describe('a backend that an upgrade plan has drained', () => {
  test('a drained backend rejects results on every path, but accepts deletions and silences', async () => {
    const { url, api } = await drained();
    await expect(api.submitResult({ name: 'disk', output: '', source: 'web-1' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'results are not accepted during an upgrade: keep the results and send them again later',
    });
    const core = await new V2Peer(url).put('/namespaces/default/events/web-1/disk', {
      entity: { metadata: { name: 'web-1', namespace: 'default' } },
      check: { metadata: { name: 'disk', namespace: 'default' }, status: 1 },
    });
    expect(core).toMatchObject({ status: 503 });
    const answer = await fetch(`${url}/results`, { method: 'POST', body: '{"name":"x","output":"y"}' });
    expect(answer.headers.get('retry-after')).toBe('1');
    await api.silence({ check: 'disk' });
    expect(await api.clearSilenced({ check: 'disk' })).toBe(true);
  });

  test('ending an upgrade plan lets the backend accept results again, even those that wait at an agent', async () => {
    const { api, plan, url } = await drained();
    const agent = await AgentPeer.connect(url, 'app-1');
    await agent.join('spool-1');
    agent.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: 'full', status: 2 } }] });
    await expect(api.submitResult({ name: 'x', output: '' })).rejects.toThrow('results are not accepted');
    expect(agent).toMatchObject({ acked: 0, ending: undefined });
    await plan.order({ order: 'abandon', session: SESSION, reason: 'the window is over' });
    await agent.waitForAck(1);
    expect(await api.submitResult({ name: 'disk', output: '', source: 'web-1' })).toHaveProperty('issued');
  });

  test('a backend drained by an upgrade plan stays drained across a restart', async () => {
    const { dir, stop } = await drained();
    await stop();
    const { api } = await withPlan({ dir });
    await expect(api.submitResult({ name: 'disk', output: '' })).rejects.toThrow('results are not accepted');
  });

  test('no TTL expires while a backend is drained and shortly afterwards', async () => {
    const clock = new ManualClock();
    const { url, api, plan } = await withPlan({ clock, from: DRAINING });
    await (await AgentPeer.connect(url)).join();
    await api.submitResult({ name: 'disk', output: '', source: 'db-1', ttl: 60 });
    while (currentStep(await plan.plan())?.id !== 'drain') await plan.skip('not in this test');
    await plan.start();
    const pass = (seconds: number): void => {
      for (let passed = 0; passed < seconds; passed++) clock.advance(1000);
    };
    pass(300);
    await plan.order({ order: 'abandon', session: SESSION, reason: 'the window is over' });
    pass(29);
    expect(await api.events()).toEqual([]);
    pass(31);
    await vi.waitFor(async () => expect(await api.events()).toHaveLength(2));
  });
});

describe('steps of an upgrade plan', () => {
  test('the migrate step turns stashes into silences with the same expiry, each in one commit', async () => {
    const { api, plan, url } = await withPlan();
    await plan.order({ order: 'abandon', session: SESSION, reason: 'stashes were found' });
    await api.saveClient({ name: 'web-1', address: '', subscriptions: ['client:web-1'], version: '1.9.0' });
    await (await AgentPeer.connect(url, 'old-1')).join('spool-1', { version: '0.25.0' });
    await api.saveStash({ path: 'silence/web-1/disk', content: { reason: 'CHG-1', owner: 'ada' }, expire: 3600 });
    await api.saveStash({ path: 'silence/old-1', content: {} });
    await api.saveStash({ path: 'notes/1', content: {} });
    const client = openUpgradeClient({ backend: url });
    const { id } = await client.create({ from: '6.4.0', to: '6.5.0' });
    const migration = new PlanDriver(() => client, id);
    await migration.take();
    await migration.skip('it names the stashes');
    expect((await migration.start()).steps[1]).toMatchObject({
      id: 'migrate-stashes',
      state: 'failed',
      note: '1 stashes were converted into silences, 1 stay: silence/old-1 (old-1 runs 0.25.0, older than 0.26: upgrade the agent of this client first)',
    });
    expect(await api.silenced()).toMatchObject([{ id: 'client:web-1:disk', reason: 'CHG-1', creator: 'ada' }]);
    expect((await api.stashes()).map(({ path }) => path)).toEqual(['notes/1', 'silence/old-1']);
  });

  test('the fix-namespaces step keeps a namespace that contains other objects than checks and names them', async () => {
    const dir = await earlierStore({ schema: 2, checks: { gone: ['db'] } });
    await onClosed(dir, async (database) => {
      const client = { name: 'db-1', address: '', subscriptions: [], timestamp: 1_790_000_000, version: '1.0.0' };
      await database.put(encodeTuple(['client', 'gone', 'db-1']), JSON.stringify({ client, signature: '' }));
    });
    const { plan, url } = await withPlan({ dir, from: '6.1.0' });
    await plan.skip('the next step mends it');
    expect((await plan.start()).steps[1]).toMatchObject({
      id: 'fix-namespaces',
      state: 'done',
      note: 'deleted 1 checks of gone; gone stays: namespace is not empty: it contains 1 entity; delete these first',
    });
    expect((await new V2Peer(url).get('/namespaces')).body).toEqual([{ name: 'default' }, { name: 'gone' }]);
  });

  test('the migrate step says so if there is nothing to migrate, and a failed step can be started again', async () => {
    const { plan } = await withPlan();
    await plan.until('install');
    for (let at = 0; at < 5; at++) await plan.skip('not in this test');
    await plan.until('migrate');
    expect((await plan.start()).steps.find(({ id }) => id === 'migrate')).toMatchObject({
      note: `the database is up to date already, at schema ${String(schemaAfterMigrations(MIGRATIONS))}`,
    });
  });

  test('a step that was interrupted by a stop is failed after the restart and can be started again', async () => {
    const { dir, plan, stop } = await withPlan();
    await plan.skip('not in this test');
    await stop();
    await onClosed(dir, async (database) => {
      const key = encodeTuple(['upgrade', 1]);
      const stored = (await database.get(key)) ?? '';
      await database.put(key, stored.replace(/("id":"backup".*?"state":)"waiting"/, '$1"running"'));
    });
    const again = await withPlan({ dir });
    expect((await again.plan.plan()).steps[1]).toMatchObject({
      state: 'failed',
      note: 'the backend was restarted meanwhile: start it again',
    });
    expect((await again.plan.start()).steps[1]).toMatchObject({ state: 'done' });
  });

  test('a stopping backend does not wait for an upgrade step of a large store', async () => {
    const dir = await earlierStore({ schema: 1, clients: 100, checksEach: 100 });
    const { plan, stop } = await withPlan({ dir });
    while (currentStep(await plan.plan())?.id !== 'migrate') await plan.skip('not in this test');
    await plan.order({ order: 'start', session: SESSION, step: 'migrate', typed: '6.5.0' });
    await stop();
    const again = await withPlan({ dir });
    expect((await again.plan.plan()).steps.find(({ id }) => id === 'migrate')).toMatchObject({
      state: 'failed',
      note: 'the backend was stopped during this step: start the step again',
    });
  });

  test('the end of an upgrade step is stored as soon as the disk accepts writes', async () => {
    let refusals = 0;
    const { plan } = await withPlan({
      around: (store) => {
        const faulty = new FaultyStore(store);
        faulty.refuses = (ops) => ops.some(isEnd) && ++refusals === 1;
        return faulty;
      },
    });
    await plan.start();
    await vi.waitFor(() => expect(refusals).toBe(2));
    expect((await plan.settled()).steps[0]).toMatchObject({ state: 'done' });
  });
});
