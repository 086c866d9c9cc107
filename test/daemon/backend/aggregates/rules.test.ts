import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { aggregateRulesSchema } from '../../../../shared/schemas/aggregate-rule.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { AggregateSummary } from '../../../../shared/schemas/aggregate.ts';
import type { Simulation } from '../../../../shared/schemas/explain.ts';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import { asking } from '../../../support/asking.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const MON = '/api/mon/v1';
const EVENT = 'mon.aggregates/shop';

let clock: ManualClock;
let dir: string;
let backend: Backend;

async function start(rules: object): Promise<void> {
  const { program } = await loadConfig({ directories: [], env: {} });
  const definitions = { program: { ...program, 'aggregate-rules': aggregateRulesSchema.parse(rules) } };
  backend = await openBackend({ dir, clock, batcher: { batchLimit: 1 }, definitions });
}
beforeEach(async () => {
  clock = new ManualClock();
  dir = await tempDir();
  onTestFinished(() => backend.stop());
});

const ask = (method: string, target: string, body?: unknown): ReturnType<ReturnType<typeof asking>> =>
  asking(backend.url)(method, target, body);
async function report(client: string, status: number): Promise<void> {
  const result = { name: 'http', source: client, output: 'x', status, aggregate: 'shop' };
  expect((await ask('POST', '/results', result)).status).toBe(202);
}
/** Returns the stored event of the rule after an evaluation; `undefined` if there is none. */
async function ruleEvent(): Promise<Pick<EventRow, 'status' | 'output' | 'occurrences'> | undefined> {
  const { status: answered, body } = await ask('GET', `/events/${EVENT}`);
  if (answered === 404) return undefined;
  const { check, occurrences } = body as Event;
  return { status: check.status, output: check.output, occurrences };
}
/** Advances the clock by one second, after which aggregate rules are evaluated. */
const evaluateRules = (): void => clock.advance(1000);
/** Reports one result for each status, each from a new client. */
async function reportAll(statuses: readonly number[]): Promise<void> {
  for (const [index, status] of statuses.entries()) await report(`web-${String(index)}`, status);
}

/**
 * Returns the current status text of the rule as three responses show it: the list, the single aggregate, and a
 * simulation.
 */
const ruleStatusTexts = async (): Promise<unknown[]> => {
  const [listed, single, simulated] = await Promise.all([
    ask('GET', `${MON}/aggregates`),
    ask('GET', `${MON}/aggregates/shop`),
    ask('POST', `${MON}/simulate`, { name: 'http', source: 'web-2', output: '', status: 0, aggregate: 'shop' }),
  ]);
  const [aggregate] = listed.body as AggregateSummary[];
  const { aggregates = [] } = simulated.body as Simulation;
  return [aggregate?.rules?.[0]?.text, (single.body as AggregateSummary).rules?.[0]?.text, aggregates[0]?.was];
};

describe('a rule about an aggregate (spec, aggregates 2)', () => {
  test('an aggregate rule opens an event that changes and resolves with the counts of the aggregate', async () => {
    await start({ shop: { warning: '20%', critical: '50%' } });
    await reportAll([0, 0, 0, 2]);
    evaluateRules();
    await expect
      .poll(ruleEvent)
      .toMatchObject({ status: 1, output: expect.stringContaining('1 of 4 (25 %) not OK') as unknown });
    await report('web-0', 2);
    evaluateRules();
    await expect.poll(ruleEvent).toMatchObject({ status: 2 });
    await reportAll([0, 0, 0, 0]);
    evaluateRules();
    await expect.poll(ruleEvent).toBeUndefined();
    expect((await ask('GET', '/clients/mon.aggregates/history')).body).toMatchObject([
      { check: 'shop', history: [1, 2, 0] },
    ]);
  });

  test('an aggregate rule repeats its result once per interval, so that occurrences increase', async () => {
    await start({ shop: { critical: 1, interval: 30 } });
    await report('web-1', 2);
    evaluateRules();
    await expect.poll(ruleEvent).toMatchObject({ occurrences: 1 });
    for (let second = 0; second < 29; second++) evaluateRules();
    await expect.poll(ruleEvent).toMatchObject({ occurrences: 1 });
    evaluateRules();
    await expect.poll(ruleEvent).toMatchObject({ occurrences: 2 });
  });

  test('an aggregate rule with leave-out-silenced ignores silenced members', async () => {
    await start({ shop: { critical: '25%', 'ignore-silenced': true } });
    await reportAll([0, 0, 0, 2]);
    evaluateRules();
    await expect.poll(ruleEvent).toMatchObject({ status: 2 });
    await ask('POST', '/silenced', { subscription: 'client:web-3' });
    evaluateRules();
    await expect.poll(ruleEvent).toBeUndefined();
  });

  test('an aggregate rule counts stale results, but the time while the backend was down does not count', async () => {
    const rules = { shop: { stale: { after: 120, warning: 1 } } };
    await start(rules);
    await report('web-1', 0);
    for (let second = 0; second < 119; second++) evaluateRules();
    await expect.poll(ruleEvent).toBeUndefined();
    await vi.waitFor(async () => {
      evaluateRules();
      expect(await ruleEvent()).toMatchObject({ status: 1, output: expect.stringContaining('1 of 1 (100 %) stale') });
    });
    await backend.stop();
    await start(rules);
    evaluateRules();
    await expect.poll(ruleEvent).toBeUndefined();
  });

  test('an aggregate rule shows and simulates stale results as it evaluates them, before and after a restart', async () => {
    const rules = { shop: { stale: { after: 120, warning: 1 } } };
    const [isFresh, isStale] = ['0 of 1 (0 %) stale', '1 of 1 (100 %) stale'].map(
      (text) => expect.stringContaining(text) as unknown,
    );
    await start(rules);
    await report('web-1', 0);
    clock.advance(121_000);
    expect(await ruleStatusTexts()).toEqual([isStale, isStale, 1]);
    await backend.stop();
    await start(rules);
    expect(await ruleStatusTexts()).toEqual([isFresh, isFresh, 0]);
    clock.advance(121_000);
    expect(await ruleStatusTexts()).toEqual([isStale, isStale, 1]);
  });

  test('the event of an aggregate rule has the handlers and other check attributes of the rule', async () => {
    await start({ shop: { critical: 1, check: { handlers: ['pager'], runbook: 'https://wiki.example.com/shop' } } });
    await report('web-1', 2);
    evaluateRules();
    await expect.poll(ruleEvent).toMatchObject({ status: 2 });
    expect((await ask('GET', `/events/${EVENT}`)).body).toMatchObject({
      check: { handlers: ['pager'], runbook: 'https://wiki.example.com/shop', interval: 60, standalone: true },
    });
  });

  test('the event of an aggregate rule resolves when the rule or the aggregate is deleted', async () => {
    await start({ shop: { critical: 1 } });
    await report('web-1', 2);
    evaluateRules();
    await expect.poll(ruleEvent).toMatchObject({ status: 2 });
    await ask('DELETE', '/aggregates/shop');
    evaluateRules();
    await expect.poll(ruleEvent).toBeUndefined();
    await vi.waitFor(async () => expect((await ask('GET', '/results/mon.aggregates/shop')).status).toBe(404));
    await report('web-1', 2);
    evaluateRules();
    await expect.poll(ruleEvent).toMatchObject({ status: 2 });
    await backend.stop();
    await start({});
    evaluateRules();
    await expect.poll(ruleEvent).toBeUndefined();
  });

  test('an aggregate rule applies to the aggregates of its namespace, or of all namespaces with "*"', async () => {
    await start({
      shop: { critical: 1, namespace: 'prod' },
      anywhere: { aggregate: 'shop', warning: 1, namespace: '*' },
    });
    expect((await ask('PUT', '/api/core/v2/namespaces/prod', { name: 'prod' })).status).toBeLessThan(300);
    const result = { name: 'http', source: 'web-1', output: 'x', status: 2, aggregate: 'shop' };
    expect((await ask('POST', `${MON}/results?namespace=prod`, [result])).status).toBeLessThan(300);
    await report('web-1', 2);
    evaluateRules();
    const eventsIn = async (namespace: string): Promise<string[]> => {
      const { body } = await ask('GET', `${MON}/events?namespace=${namespace}`);
      return (body as EventRow[]).map(({ client, check, status }) => `${client}/${check} ${String(status)}`);
    };
    await vi.waitFor(async () => {
      expect((await eventsIn('prod')).toSorted()).toEqual([
        'mon.aggregates/anywhere 1',
        'mon.aggregates/shop 2',
        'web-1/http 2',
      ]);
    });
    expect((await eventsIn('default')).toSorted()).toEqual(['mon.aggregates/anywhere 1', 'web-1/http 2']);
    expect((await ask('GET', `${MON}/aggregates/shop?namespace=prod`)).body).toMatchObject({
      rules: [{ check: 'shop', needs: 100 }, { check: 'anywhere' }],
    });
  });

  test('an aggregate rule with the name of a check in its aggregate is not a member of the aggregate', async () => {
    await start({ http: { aggregate: 'shop', critical: 1 } });
    await report('web-1', 2);
    evaluateRules();
    await vi.waitFor(async () => {
      expect((await ask('GET', '/events/mon.aggregates/http')).body).toMatchObject({ check: { status: 2 } });
    });
    expect((await ask('GET', '/aggregates/shop')).body).toMatchObject({ clients: 1, results: { total: 1 } });
  });

  test('an aggregate rule is shown with its aggregate, its limit and its current value', async () => {
    await start({ shop: { warning: '20%' } });
    await reportAll([0, 0, 0, 2]);
    const rule = { check: 'shop', status: 1, text: '1 of 4 (25 %) not OK (warning from 20%)', needs: 80 };
    expect((await ask('GET', `${MON}/aggregates`)).body).toMatchObject([{ name: 'shop', rules: [rule] }]);
    expect((await ask('GET', `${MON}/aggregates/shop`)).body).toMatchObject({ rules: [rule] });
    expect((await ask('GET', '/aggregates/shop')).body).not.toHaveProperty('rules');
  });
});
