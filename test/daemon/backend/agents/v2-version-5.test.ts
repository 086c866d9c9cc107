import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { V2Peer } from '../../../support/v2-peer.ts';

let backend: RunningBackend;
let api: ApiClient;
let v2: V2Peer;

beforeAll(async () => {
  const settings = { 'agent-listener': { port: 0 } };
  backend = await startBackend({ clock: new ManualClock(Date.now()), batcher: { batchLimit: 1 }, settings });
  api = openApiClient({ backend: backend.url });
  v2 = new V2Peer(backend.url);
});

afterAll(() => backend[Symbol.asyncDispose]());

// Later agents of version 5 send `sensu_agent_version`. Earlier ones are recognized because it is missing.
test.each([
  { name: 'five-with-version', version: '5.21.0', shown: '5.21.0' },
  { name: 'five-without-version', version: undefined, shown: '' },
])('an agent of version 5 is shown with its own version and its own settings: $name', async (agent) => {
  const { name, version, shown } = agent;
  const entity = { sensu_agent_version: version };
  const old = await GoAgent.joined(backend.agentUrl, { name, version: '5.11.1', subscriptions: ['old'], entity });
  await old.register();
  expect((await v2.get(`/namespaces/default/entities/${name}`)).body).toMatchObject({
    entity_class: 'agent',
    sensu_agent_version: shown,
    subscriptions: ['old', `entity:${name}`],
  });
  // The v1 API shows the Sensu Core version that its programs expect, not the version of the agent.
  expect(await api.client(name)).toMatchObject({ version: '1.9.0' });

  await api.saveClient({ ...(await api.client(name)), name, address: '192.0.2.7', subscriptions: ['db'] });
  expect((await api.client(name))?.subscriptions).toContain('db');
  old.keepalive();
  await vi.waitFor(async () => expect((await api.client(name))?.subscriptions).toEqual(['old', `client:${name}`]));
  old.event({ metadata: { name: 'disk', namespace: 'default' }, status: 1, output: 'x' });
  await vi.waitFor(async () => {
    const { body } = await v2.get(`/namespaces/default/events/${name}/disk`);
    expect(body).toMatchObject({ entity: { sensu_agent_version: shown }, check: { status: 1 } });
  });
  old.cut();
});
