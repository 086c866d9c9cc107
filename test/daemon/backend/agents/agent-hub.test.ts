import { expect, onTestFinished, test, vi } from 'vitest';
import type { CheckDefinition } from '../../../../shared/schemas/check.ts';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const INTERVAL_S = 20;
const HEARTBEAT_MS = 30_000;

interface Rig {
  readonly url: string;
  readonly api: ApiClient;
  readonly clock: ManualClock;
  readonly log: RecordedLog;
}

async function openRig(checks: Readonly<Record<string, Partial<CheckDefinition>>> = {}): Promise<Rig> {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const whole = Object.entries(checks).map(
    ([name, about]) => [name, { command: `check-${name}`, interval: INTERVAL_S, ...about }] as const,
  );
  const backend = await openBackend({
    dir: await tempDir(),
    clock,
    log,
    batcher: { batchLimit: 1 },
    definitions: { checks: new Map(whole) },
  });
  onTestFinished(() => backend.stop());
  return { url: backend.url, api: openApiClient({ backend: backend.url }), clock, log };
}

async function join(url: string, name: string, subscriptions: readonly string[]): Promise<AgentPeer> {
  const agent = await AgentPeer.connect(url, name);
  await agent.join('spool', { subscriptions });
  return agent;
}

/** Returns the names of the checks that an agent was asked to run, in order. */
const requests = (agent: AgentPeer): string[] =>
  agent.heard.flatMap((message) => (message.type === 'check_request' ? [message.check.name] : []));

test('a check request is sent once to each agent with a subscription of the check', async () => {
  const { url, clock } = await openRig({ http: { subscribers: ['web', 'proxy'] }, query: { subscribers: ['db'] } });
  const web = await join(url, 'web-1', ['web']);
  const both = await join(url, 'both', ['db', 'web']);
  const none = await join(url, 'none', ['mail']);
  clock.advance(INTERVAL_S * 1000);
  await vi.waitFor(() => expect(requests(both).toSorted()).toEqual(['http', 'query']));
  await vi.waitFor(() => expect(requests(web)).toEqual(['http']));
  expect(requests(none)).toEqual([]);
});

test('a check with the subscription of one client is requested from this client only', async () => {
  const { url, clock } = await openRig({ disk: { subscribers: ['client:web-2'] } });
  const one = await join(url, 'web-1', []);
  const two = await join(url, 'web-2', []);
  clock.advance(INTERVAL_S * 1000);
  await vi.waitFor(() => expect(requests(two)).toEqual(['disk']));
  expect(requests(one)).toEqual([]);
});

test('check requests follow the subscriptions in the last keepalive of an agent', async () => {
  const { url, clock } = await openRig({ http: { subscribers: ['web'] }, query: { subscribers: ['db'] } });
  const agent = await join(url, 'host-1', ['web']);
  agent.say({ type: 'keepalive', client: { name: 'host-1', address: '192.0.2.1', subscriptions: ['db'] } });
  // The result is sent after the keepalive, so its acknowledgment shows that the keepalive is committed too.
  agent.say({ type: 'results', results: [{ id: 1, check: { name: 'uptime', output: 'up' } }] });
  await agent.waitForAck(1);
  clock.advance(INTERVAL_S * 1000);
  await vi.waitFor(() => expect(requests(agent)).toEqual(['query']));
});

test('check requests go to the newest connection of an agent, not to the connection that it replaced', async () => {
  const { url, clock } = await openRig({ http: { subscribers: ['web'] } });
  const old = await join(url, 'web-1', ['web']);
  const young = await join(url, 'web-1', ['web']);
  await old.ends();
  clock.advance(INTERVAL_S * 1000);
  await vi.waitFor(() => expect(requests(young)).toEqual(['http']));
  expect(requests(old)).toEqual([]);
});

test('an agent that does not respond to pings is disconnected, an agent that responds is not', async () => {
  const { url, clock, log } = await openRig();
  const alive = await join(url, 'alive', []);
  const dead = await join(url, 'dead', []);
  dead.pauseReading();
  for (let beat = 1; beat <= 3; beat++) {
    clock.advance(HEARTBEAT_MS);
    // The pong of this agent arrives before the result, so it has been received once the result is acknowledged.
    alive.say({ type: 'results', results: [{ id: beat, check: { name: 'beat', output: 'ok' } }] });
    await alive.waitForAck(beat);
  }
  await vi.waitFor(() => {
    const gone = log.records.filter(({ message }) => message === 'agent disconnected');
    expect(gone.map(({ fields }) => fields)).toEqual([{ namespace: 'default', client: 'dead' }]);
  });
});
