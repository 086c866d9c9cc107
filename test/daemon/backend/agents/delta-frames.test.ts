import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { administratorOf } from '../../../support/administrator.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

interface Rig {
  readonly url: string;
  readonly log: RecordedLog;
}

async function openRig(): Promise<Rig> {
  const log = new RecordedLog();
  const backend = await openBackend({ dir: await tempDir(), log });
  onTestFinished(() => backend.stop());
  return { url: backend.url, log };
}

const full = (id: number, about: object = {}) => ({
  id,
  check: { name: 'disk', output: 'fine', status: 0, executed: 1000, issued: 999, ...about },
});
const delta = (id: number, baseline: number) => ({ id, baseline, executed: 1000 + id, issued: 999 });

/** Returns an agent whose hello announced delta results. */
async function connectWithDelta(url: string): Promise<AgentPeer> {
  const agent = await AgentPeer.connect(url);
  const client = { name: 'web-1', address: '192.0.2.1', subscriptions: [] };
  agent.say({ type: 'hello', spool: 'spool-1', delta: true, client });
  await agent.hears('welcome');
  return agent;
}

async function checkOf(url: string, check = 'disk'): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/results/web-1/${check}`, { headers: administratorOf(url) });
  return ((await answer.json()) as { check: Record<string, unknown> }).check;
}

test('the acknowledgment to an agent that sends delta results names the results that are baselines', async () => {
  const { url } = await openRig();
  const agent = await connectWithDelta(url);
  agent.say({ type: 'results', results: [full(1), full(2, { name: 'cpu', status: 1 })] });
  expect(await agent.hears('ack')).toEqual({ type: 'ack', id: 2, baselines: [1] });
  agent.say({ type: 'results', results: [delta(3, 1)] });
  await agent.waitForAck(3);
  expect(await checkOf(url)).toMatchObject({ executed: 1003, history: [0, 0] });
});

test('after an invalid delta result a backend ignores results until the agent resumes from the requested id', async () => {
  const { url } = await openRig();
  const agent = await connectWithDelta(url);
  agent.say({ type: 'results', results: [full(1), delta(2, 9), full(3, { status: 2 })] });
  agent.say({ type: 'results', results: [full(4, { status: 2 })] });
  expect(await agent.hears('resend')).toEqual({ type: 'resend', after: 1 });
  agent.say({ type: 'results', results: [full(5, { status: 2 })] });
  agent.say({ type: 'results', resume_after: 4, results: [full(5, { status: 2 })] });
  agent.say({ type: 'results', resume_after: 1, results: [full(2, { executed: 1002 })] });
  await agent.waitForAck(2);
  expect(await checkOf(url)).toMatchObject({ executed: 1002, history: [0, 0] });
  // After the resumption, the backend accepts results again, and requests a resend from the next invalid delta result
  // on.
  agent.say({ type: 'results', results: [full(3), delta(4, 2)] });
  await vi.waitFor(() => expect(agent.heard.at(-1)).toEqual({ type: 'resend', after: 3 }));
});

test('an agent that sends a delta result without having announced delta results is disconnected', async () => {
  const { url } = await openRig();
  const agent = await AgentPeer.connect(url);
  await agent.join('spool-1');
  agent.say({ type: 'results', results: [full(1)] });
  await agent.waitForAck(1);
  agent.say({ type: 'results', results: [delta(2, 1)] });
  expect(await agent.hears('error')).toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('send full results'),
  });
  await agent.ends();
  expect(await checkOf(url)).toMatchObject({ executed: 1000 });
});

/** Ids and times of random frames: mostly plausible numbers, and some invalid values. */
const number = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(0, -1, 2 ** 53, 2 ** 53 - 1, 1e300, 0.5, '1', null) },
);
const item = fc.oneof(
  { weight: 3, arbitrary: fc.record({ id: number, check: fc.constantFrom('disk', 'cpu') }) },
  {
    weight: 5,
    arbitrary: fc.record(
      {
        id: number,
        baseline: number,
        executed: number,
        issued: number,
        duration: number,
        output: fc.constant('\u0001\ud800'),
      },
      { requiredKeys: ['id', 'baseline', 'executed', 'issued'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ id: number, baseline: number, check: fc.constant('disk') }) },
);
const frame = fc.record(
  {
    results: fc.oneof(
      { weight: 6, arbitrary: fc.uniqueArray(item, { minLength: 1, maxLength: 6, selector: ({ id }) => id }) },
      { weight: 1, arbitrary: fc.array(item, { maxLength: 3 }) },
    ),
    resume_after: fc.integer({ min: 0, max: 12 }),
    /**
     * `by` selects one of two connections of the same agent; `isInOrder` tells whether the results are sorted by id.
     */
    by: fc.constantFrom(0, 0, 0, 1),
    isInOrder: fc.constantFrom(true, true, true, false),
  },
  { requiredKeys: ['results', 'by', 'isInOrder'] },
);

const bodyOf = (name: string) => ({ check: { name, output: 'fine', status: 0, executed: 1, issued: 1 } });
const idOf = ({ id }: { readonly id: unknown }): number => Number(id);

test('random frames of an agent leave memory and store equal and do not disturb other agents', async () => {
  const { url, log } = await openRig();
  const honest = await AgentPeer.connect(url, 'honest');
  await honest.join();
  let sent = 0;
  let spools = 0;
  const tell = async (
    frames: readonly (typeof frame extends fc.Arbitrary<infer Frame> ? Frame : never)[],
  ): Promise<void> => {
    const spool = `spool-${String(++spools)}`;
    const agents: AgentPeer[] = [];
    for (const { by, isInOrder, results, resume_after } of frames) {
      while (agents.length <= by) {
        const agent = await AgentPeer.connect(url);
        const client = { name: 'web-1', address: '192.0.2.1', subscriptions: [] };
        agent.say({ type: 'hello', spool, delta: true, client });
        agents.push(agent);
      }
      const items = results.map((one) => ('check' in one ? Object.assign({}, one, bodyOf(one.check)) : one));
      const sorted = isInOrder ? items.toSorted((a, b) => idOf(a) - idOf(b)) : items;
      agents[by]?.sayText(JSON.stringify({ type: 'results', resume_after, results: sorted }));
      // Waits after every third frame, so that some frames arrive while earlier ones are in progress and others do not.
      honest.say({ type: 'results', results: [{ id: ++sent, check: { name: 'disk', output: 'fine', status: 0 } }] });
      if (sent % 3 === 0) await honest.waitForAck(sent);
    }
    await honest.waitForAck(sent);
    for (const agent of agents) agent.cut();
    const health = await fetch(`${url}/health?deep=1`, { headers: administratorOf(url) });
    expect(await health.json()).toMatchObject({
      problems: [],
      store: { failed_writes: 0 },
      indexes: { differences: 0 },
    });
    expect(log.messages('error').filter((message) => message !== 'check result rejected')).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), tell), {
    numRuns: propertyRuns(30),
  });
});
