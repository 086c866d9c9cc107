import { expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const SWEEP_S = 30;

interface Rig {
  readonly url: string;
  readonly api: ApiClient;
  /** Advances the clock in steps of one sweep, and waits for the writes of each. */
  readonly pass: (seconds: number) => Promise<void>;
}

/** Opens a rig whose clients answer no pings. Their connections end, which has no effect on these tests. */
async function openRig(definitions: Parameters<typeof openBackend>[0]['definitions'] = {}): Promise<Rig> {
  const clock = new ManualClock();
  const backend = await openBackend({ dir: await tempDir(), clock, batcher: { batchLimit: 1 }, definitions });
  onTestFinished(() => backend.stop());
  const api = openApiClient({ backend: backend.url });
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += SWEEP_S) {
      clock.advance(SWEEP_S * 1000);
      const now = Math.floor(clock.now() / 1000);
      await vi.waitFor(async () => {
        const watched = (await api.clients()).filter(({ keepalives }) => keepalives !== false);
        for (const { name } of watched) expect((await api.result(name, 'keepalive'))?.check.executed).toBe(now);
      });
    }
  };
  return { url: backend.url, api, pass };
}

async function join(url: string, name: string, about: Readonly<Record<string, unknown>> = {}): Promise<AgentPeer> {
  const agent = await AgentPeer.connect(url, name);
  await agent.join('spool', about);
  return agent;
}

const statusOf = async (api: ApiClient, name: string): Promise<number | undefined> =>
  (await api.result(name, 'keepalive'))?.check.status;

test('the keepalive of a client is a warning after 120 seconds without keepalives and critical after 180', async () => {
  const { url, api, pass } = await openRig();
  await join(url, 'web-1');
  await pass(90);
  expect(await api.result('web-1', 'keepalive')).toMatchObject({
    check: { status: 0, output: 'Keepalive sent from client 90 seconds ago' },
  });
  expect(await api.events()).toEqual([]);
  await pass(30);
  expect(await api.event('web-1', 'keepalive')).toMatchObject({
    check: {
      status: 1,
      output: 'No keepalive sent from client for 120 seconds (>=120)',
      handler: 'default',
      thresholds: { warning: 120, critical: 180 },
    },
  });
  await pass(60);
  expect(await api.event('web-1', 'keepalive')).toMatchObject({
    check: { status: 2, output: 'No keepalive sent from client for 180 seconds (>=180)' },
    occurrences: 1,
    occurrences_watermark: 2,
  });
});

test('the keepalive settings of a client override those of the backend', async () => {
  const { url, api, pass } = await openRig({
    keepalives: { thresholds: { warning: 60, critical: 90 }, handler: 'mail', refresh: 600 },
  });
  await join(url, 'web-1');
  await join(url, 'web-2', { keepalive: { thresholds: { critical: 300 }, handler: 'pager' } });
  await pass(90);
  expect(await api.event('web-1', 'keepalive')).toMatchObject({
    check: { status: 2, handler: 'mail', refresh: 600, thresholds: { warning: 60, critical: 90 } },
  });
  expect(await api.event('web-2', 'keepalive')).toMatchObject({
    check: { status: 1, handler: 'pager', refresh: 600, thresholds: { warning: 60, critical: 300 } },
  });
});

test('tokens in keepalive settings are substituted, and an unmatched token makes the keepalive a warning', async () => {
  const { url, api, pass } = await openRig({
    keepalives: { thresholds: { warning: 120, critical: 180 }, team: ':::team|ops:::' },
  });
  await join(url, 'web-1', { keepalive: { runbook: 'wiki/:::name:::' } });
  await join(url, 'web-2', { keepalive: { runbook: 'wiki/:::rack:::/:::name:::' }, team: 'db' });
  await pass(30);
  expect((await api.result('web-1', 'keepalive'))?.check).toMatchObject({
    status: 0,
    runbook: 'wiki/web-1',
    team: 'ops',
  });
  expect((await api.event('web-2', 'keepalive'))?.check).toMatchObject({
    status: 1,
    output: 'Keepalive sent from client 30 seconds ago - Unmatched check token(s): rack',
    runbook: 'wiki//web-2',
    team: 'db',
  });
});

test('the next keepalive of a client resolves its keepalive event', async () => {
  const { url, api, pass } = await openRig();
  await join(url, 'web-1');
  await pass(180);
  expect(await statusOf(api, 'web-1')).toBe(2);
  await join(url, 'web-1');
  await pass(30);
  expect(await statusOf(api, 'web-1')).toBe(0);
  expect(await api.events()).toEqual([]);
});

test('a client may have keepalive thresholds of its own', async () => {
  const { url, api, pass } = await openRig();
  await join(url, 'hasty', { keepalive: { thresholds: { warning: 30, critical: 60 }, handlers: ['page'] } });
  await join(url, 'calm', { keepalive: { thresholds: { warning: 600, critical: 900 } } });
  await pass(60);
  expect(await statusOf(api, 'hasty')).toBe(2);
  expect((await api.result('hasty', 'keepalive'))?.check['handlers']).toEqual(['page']);
  await pass(240);
  expect(await statusOf(api, 'calm')).toBe(0);
});

test('no keepalive event opens for proxy clients, posted clients and clients with keepalives: false', async () => {
  const { url, api, pass } = await openRig();
  await join(url, 'quiet', { keepalives: false });
  await api.submitResult({ source: 'switch-1', name: 'ping', output: 'ok' });
  await fetch(`${url}/clients`, { method: 'POST', body: JSON.stringify({ name: 'posted', address: 'here' }) });
  await join(url, 'web-1');
  await pass(210);
  expect((await api.events()).map(({ client }) => client.name)).toEqual(['web-1']);
});

test('a client that is deleted while its keepalive is missing is not created again', async () => {
  const { url, api, pass } = await openRig();
  await join(url, 'web-1');
  await pass(180);
  await api.deleteClient('web-1');
  await pass(60);
  expect(await api.clients()).toEqual([]);
  expect(await api.results()).toEqual([]);
});

test('an agent with absurd keepalive times does not prevent the keepalive events of other agents', async () => {
  const clock = new ManualClock();
  const backend = await openBackend({ dir: await tempDir(), clock, batcher: { batchLimit: 1 } });
  onTestFinished(() => backend.stop());
  const newer = { entity_class: 'agent', keepalives: true };
  await join(backend.url, 'odd', { ...newer, timestamp: -1e15, keepalive: { timeout: 1e17, ttl: 0 } });
  await join(backend.url, 'web-1', { ...newer, keepalive: { timeout: 5, ttl: 0 } });
  const api = openApiClient({ backend: backend.url });
  clock.advance(5000);
  await vi.waitFor(async () => {
    clock.advance(1000);
    expect(await statusOf(api, 'web-1')).toBe(1);
  });
});
