import { expect, onTestFinished, test } from 'vitest';
import { compose, type Backend } from '../../../../daemon/backend/compose.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const QUOTA = 2;

async function open(dir: string): Promise<Backend> {
  const config = await loadConfig({ directories: [], env: {} });
  return await compose({
    config: { ...config, program: { ...config.program, 'proxy-client-quota': QUOTA } },
    openStore: () => openLevelStore(dir),
    clock: new ManualClock(),
    log: new RecordedLog(),
    bind: '127.0.0.1',
    port: 0,
    batcher: { batchLimit: 1 },
  });
}

let lastId = 0;

/** Sends a result of a proxy client, and waits until it is accepted or rejected. */
async function report(agent: AgentPeer, source: string): Promise<void> {
  const id = ++lastId;
  agent.say({ type: 'results', results: [{ id, check: { name: 'ping', output: 'pong', source } }] });
  await agent.waitForAck(id);
}

async function proxies(api: ApiClient): Promise<string[]> {
  return (await api.clients()).filter(({ type }) => type === 'proxy').map(({ name }) => name);
}

test('an agent may create proxy clients up to its quota, and a result of another proxy client is rejected by name', async () => {
  const dir = await tempDir();
  const first = await open(dir);
  const agent = await AgentPeer.connect(first.url, 'prober');
  await agent.join();
  for (const source of ['switch-1', 'switch-2', 'switch-3', 'switch-1']) await report(agent, source);
  expect(await proxies(openApiClient({ backend: first.url }))).toEqual(['switch-1', 'switch-2']);
  expect((await agent.hears('rejected')).error).toBe(
    'switch-3 would exceed the limit of 2 proxy clients of prober: raise proxy-client-quota, or delete some',
  );
  await first.stop();

  // After a restart the existing proxy clients still count toward the quota, and a deletion frees a place.
  const second = await open(dir);
  onTestFinished(() => second.stop());
  const api = openApiClient({ backend: second.url });
  const again = await AgentPeer.connect(second.url, 'prober');
  await again.join();
  await report(again, 'switch-4');
  expect(await proxies(api)).toEqual(['switch-1', 'switch-2']);
  await api.deleteClient('switch-1');
  await report(again, 'switch-4');
  expect(await proxies(api)).toEqual(['switch-2', 'switch-4']);
});

test('results that are sent over the API may create any number of proxy clients', async () => {
  const backend = await open(await tempDir());
  onTestFinished(() => backend.stop());
  const api = openApiClient({ backend: backend.url });
  for (const source of ['a', 'b', 'c']) await api.submitResult({ name: 'ping', output: 'pong', source });
  expect(await proxies(api)).toEqual(['a', 'b', 'c']);
});
