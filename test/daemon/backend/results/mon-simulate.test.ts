import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Explanation, Simulation } from '../../../../shared/schemas/explain.ts';
import { send } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const SETTINGS = {
  handlers: {
    default: { type: 'pipe', command: 'cat > /dev/null', group_by: ['client.rack'], group_wait: 600 },
    chat: { type: 'pipe', command: 'cat > /dev/null' },
    pager: { type: 'pipe', command: 'cat > /dev/null', filter: 'occurrences' },
  },
  inhibitions: {
    switch: { source: 'check=switch status=crit', target: 'check!=switch', equal: ['client.rack'] },
  },
  'aggregate-rules': {
    'web-health': { aggregate: 'web', namespace: 'default', warning: 1, critical: '60%' },
    'web-size': { aggregate: 'web', namespace: 'default', critical: 10, 'min-results': 3 },
    'web-quiet': { aggregate: 'web', namespace: 'default', critical: 2, 'ignore-silenced': true },
  },
};

let backend: RunningBackend;
beforeEach(async () => {
  backend = await startBackend({ settings: SETTINGS });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  for (const [name, rack] of Object.entries({ 'sw-a': 'a', 'a-1': 'a', 'a-2': 'a', 'b-1': 'b' })) {
    await post('/clients', { name, address: 'x', rack });
  }
});

const post = (target: string, body: object): Promise<{ readonly body: unknown }> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });

const report = (source: string, name: string, status: number, more: object = {}): Promise<unknown> =>
  post('/results', { source, name, status, output: 'o', ...more });

async function simulate(source: string, name: string, status: number, more: object = {}): Promise<Simulation> {
  return (await post('/api/mon/v1/simulate', { source, name, status, output: 'o', ...more })).body as Simulation;
}

describe('the effect of a simulated result on inhibited events', () => {
  test('a simulation shows whether the result would start, continue or end an inhibition', async () => {
    expect((await simulate('sw-a', 'switch', 2)).inhibits).toEqual([
      { rule: 'switch', change: 'starts', inhibited: 0, equal: ['client.rack'] },
    ]);
    await report('sw-a', 'switch', 2);
    await report('a-1', 'disk', 2);
    expect((await simulate('sw-a', 'switch', 2)).inhibits).toMatchObject([{ change: 'continues', inhibited: 1 }]);
    expect((await simulate('sw-a', 'switch', 1)).inhibits).toMatchObject([{ change: 'stops', inhibited: 1 }]);
    expect((await simulate('sw-a', 'switch', 0)).inhibits).toMatchObject([{ change: 'stops', inhibited: 1 }]);
    const kept = await simulate('sw-a', 'switch', 0, { resolve_after: 3 });
    expect(kept).toMatchObject({ transition: 'none', inhibits: [{ change: 'continues', inhibited: 1 }] });
    expect(await simulate('b-1', 'disk', 2)).not.toHaveProperty('inhibits');
  });

  test('a simulation names the rule and the source that inhibit the event', async () => {
    await report('sw-a', 'switch', 2);
    expect((await simulate('a-1', 'disk', 2)).handlers).toMatchObject([
      { verdict: 'inhibited', inhibited_by: { rule: 'switch', client: 'sw-a', check: 'switch' } },
    ]);
  });
});

describe('the groups in a simulated result', () => {
  test('a simulation names the group in which the event would be pending, and when the group is flushed', async () => {
    await report('b-1', 'disk', 2);
    const answer = await send(backend.url, {
      method: 'GET',
      target: '/api/mon/v1/events/b-1/disk/explain',
      body: null,
    });
    expect((answer.body as Explanation).reason).toMatch(
      /^default handles it: it is pending in its group client\.rack=b \(1 event\), which is notified in (10m|9m\d+s)$/,
    );
    expect((await simulate('b-1', 'cpu', 2)).reason).toMatch(
      /^an event would open: default handles it: it is pending in its group client\.rack=b \(2 events\), which is notified in/,
    );
  });

  test('a simulation says which of several handlers would notify by group', async () => {
    const { reason } = await simulate('b-1', 'disk', 2, { handlers: ['default', 'chat'] });
    expect(reason).toBe('an event would open: default, chat handle it, default with its group');
  });
});

describe('the resolution of a problem in a simulation', () => {
  test('a simulated resolution is notified to the group of the problem, whatever handlers the result has', async () => {
    await report('b-1', 'disk', 2);
    for (const handlers of [['chat'], []]) {
      const simulated = await simulate('b-1', 'disk', 0, { handlers });
      expect(simulated.handlers.map(({ handler, verdict }) => [handler, verdict])).toEqual(
        [...handlers, 'default'].map((name) => [name, 'handle']),
      );
      expect(simulated.reason).toContain('default');
    }
  });

  test('a simulated OK result that leaves its event open is not shown as a resolution', async () => {
    const lasting = { type: 'metric', auto_resolve: false };
    await report('b-1', 'disk', 2, lasting);
    expect((await simulate('b-1', 'disk', 0, lasting)).handlers).toMatchObject([{ verdict: 'action' }]);
    expect((await simulate('b-1', 'disk', 0, { ...lasting, handlers: [] })).handlers).toEqual([]);
  });

  test('a simulated resolution is not notified to a group that was not notified of the problem', async () => {
    await report('b-1', 'disk', 2, { handlers: ['chat'] });
    expect((await simulate('b-1', 'disk', 0, { handlers: ['chat'] })).handlers).toMatchObject([{ handler: 'chat' }]);
  });
});

test('a simulation applies that an event passes the filter occurrences once after an inhibition', async () => {
  const often = { handlers: ['pager'], interval: 60, refresh: 3600 };
  await report('sw-a', 'switch', 2);
  await report('a-1', 'disk', 2, often);
  await report('sw-a', 'switch', 0);
  expect((await simulate('a-1', 'disk', 2, often)).handlers).toMatchObject([{ handler: 'pager', verdict: 'handle' }]);
  await report('a-1', 'disk', 2, often);
  expect((await simulate('a-1', 'disk', 2, often)).handlers).toMatchObject([{ handler: 'pager', verdict: 'filtered' }]);
});

describe('the aggregate rules in a simulated result', () => {
  const web = { aggregate: 'web' };

  test('a simulation shows the status of aggregate rules even for the first results of the aggregate', async () => {
    expect((await simulate('a-1', 'http', 2, web)).aggregates).toMatchObject([
      { aggregate: 'web', check: 'web-health', status: 2, was: null },
      { aggregate: 'web', check: 'web-size', status: 3, was: null },
      { aggregate: 'web', check: 'web-quiet', status: 0, was: null },
    ]);
    await report('a-1', 'http', 0, web);
    await report('a-2', 'http', 0, web);
    await report('b-1', 'http', 0, web);
    expect((await simulate('a-1', 'http', 2, web)).aggregates).toMatchObject([
      { check: 'web-health', status: 1, was: 0, text: expect.stringContaining('1 of 3 (33 %) not OK') as string },
      { check: 'web-size', status: 0, was: 0 },
      { check: 'web-quiet', status: 0, was: 0 },
    ]);
    expect((await simulate('sw-a', 'http', 2, web)).aggregates?.[0]?.text).toContain('1 of 4 (25 %) not OK');
  });

  test('a simulation evaluates the aggregate rules also for results that no handler gets or that leave the aggregate', async () => {
    for (const [source, status] of [
      ['a-1', 2],
      ['a-2', 2],
      ['b-1', 0],
    ] as const)
      await report(source, 'http', status, web);
    expect((await simulate('b-1', 'http', 0, web)).aggregates?.[0]).toMatchObject({ status: 2, was: 2 });
    expect((await simulate('a-1', 'http', 0, web)).aggregates?.[0]).toMatchObject({ status: 1, was: 2 });
    expect((await simulate('b-1', 'http', 0)).aggregates?.[0]?.text).toContain('2 of 2 (100 %) not OK');
    expect(await simulate('b-1', 'disk', 0)).not.toHaveProperty('aggregates');
  });

  test('a simulation does not count silenced results in an aggregate whose rule ignores silenced members', async () => {
    for (const source of ['a-1', 'a-2']) await report(source, 'http', 2, web);
    await post('/silenced', { subscription: 'client:a-1' });
    const quiet = (await simulate('a-1', 'http', 2, web)).aggregates?.[2];
    expect(quiet).toMatchObject({ check: 'web-quiet', status: 0, was: 0 });
    expect(quiet?.text).toContain('1 of 1 (100 %) not OK');
    expect(quiet?.text).toContain('1 silenced ignored');
  });
});
