import { expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const REASON = 'cannot use the spool /var/lib/mon-agent/spool: No space left on device';
const spoolProblem = (unsaved: number, dropped = 0): object => ({ writable: false, reason: REASON, unsaved, dropped });

async function aScene(clock?: ManualClock) {
  const backend = await openBackend({ dir: await tempDir(), ...(clock !== undefined && { clock }) });
  onTestFinished(() => backend.stop());
  const api = openApiClient({ backend: backend.url });
  const metric = async (): Promise<number> => {
    const metrics = await (await fetch(`${backend.url}/metrics`)).text();
    return Number(/^mon_agents_spool_failing (\d+)$/m.exec(metrics)?.[1]);
  };
  const keepalive = async (agent: AgentPeer, about: object): Promise<void> => {
    agent.say({
      type: 'keepalive',
      client: { name: agent.name, address: '192.0.2.1', subscriptions: ['web'], ...about },
    });
    await eventually(async () => expect(await api.client(agent.name)).toMatchObject(about));
  };
  /** Advances the clock past the batch delay until the expectation holds. */
  const eventually = async (expectation: () => Promise<void>): Promise<void> => {
    await vi.waitFor(async () => {
      clock?.advance(5);
      await expectation();
    });
  };
  return { backend, api, metric, keepalive, eventually };
}

test('an agent that cannot write its spool has an event, which follows its reports and resolves with the last', async () => {
  const { backend, api, metric, keepalive } = await aScene();
  const agent = await AgentPeer.connect(backend.url);
  await agent.join();
  expect(await api.events()).toEqual([]);
  expect(await metric()).toBe(0);

  await keepalive(agent, { spool: spoolProblem(3) });
  await vi.waitFor(async () =>
    expect(await api.events()).toMatchObject([
      {
        client: { name: 'web-1', spool: spoolProblem(3) },
        check: {
          name: 'mon.spool',
          status: 1,
          interval: 60,
          output: `${REASON}. Until then results are delivered from memory: 3 results were kept there, none was dropped`,
        },
      },
    ]),
  );
  expect(await metric()).toBe(1);

  await keepalive(agent, { spool: spoolProblem(3, 1) });
  await vi.waitFor(async () => expect(await api.events()).toMatchObject([{ check: { status: 2 } }]));
  await keepalive(agent, { beat: 3 });
  await vi.waitFor(async () => expect(await api.events()).toEqual([]));
  expect(await metric()).toBe(0);
});

test('the event of a spool that recovered while the agent was disconnected resolves when the agent reconnects', async () => {
  const { backend, api, metric } = await aScene();
  const agent = await AgentPeer.connect(backend.url);
  await agent.join('spool-1', { spool: spoolProblem(1) });
  await vi.waitFor(async () => expect(await api.events()).toHaveLength(1));
  agent.cut();
  await vi.waitFor(async () => expect(await metric()).toBe(0));
  expect(await api.events()).toHaveLength(1);
  const later = await AgentPeer.connect(backend.url);
  await later.join();
  await vi.waitFor(async () => expect(await api.events()).toEqual([]));
});

test('the event of a failing spool gets a result every minute, not with every keepalive', async () => {
  const clock = new ManualClock();
  const { backend, api, keepalive, eventually } = await aScene(clock);
  const agent = await AgentPeer.connect(backend.url);
  agent.greet('spool-1', { spool: spoolProblem(1) });
  await eventually(async () => expect(await api.events()).toHaveLength(1));
  for (let beat = 1; beat <= 6; beat++) {
    clock.advance(20_000);
    await keepalive(agent, { beat, spool: spoolProblem(1) });
  }
  await eventually(async () => expect(await api.events()).toMatchObject([{ occurrences: 3 }]));
});

test.each([true, 'here', { writable: true }, { writable: false, reason: 7 }])(
  'a client attribute "spool" of another form (%j) opens no event',
  async (spool) => {
    const { backend, api, metric } = await aScene();
    const agent = await AgentPeer.connect(backend.url);
    await agent.join('spool-1', { spool });
    expect((await api.client('web-1'))?.['spool']).toEqual(spool);
    expect(await api.events()).toEqual([]);
    expect(await metric()).toBe(0);
  },
);
