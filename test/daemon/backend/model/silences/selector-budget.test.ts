import { beforeEach, expect, test } from 'vitest';
import {
  refuseBeyondBudget,
  refuseCostly,
  SELECTORS_COST_MAX,
} from '../../../../../daemon/backend/model/silences/selector-budget.ts';
import { parseSelector } from '../../../../../shared/domain/selector.ts';
import { BackendRig } from '../../../../support/backend-rig.ts';
import type { Answer } from '../../../../support/raw-http.ts';

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open();
});

/** Returns a selector with a cost of 800, which no index can find. */
const costly = (at: number): string =>
  Array.from({ length: 40 }, (_, term) => `check~*a?${String(at)}.${String(term)}*`).join(' or ');

const bulk = (selectors: readonly string[]): Promise<Answer> =>
  rig.ask('POST', '/api/mon/v1/bulk', {
    operations: selectors.map((selector) => ({ op: 'silence', selector, reason: 'why' })),
  });

test('selectors beyond the total cost of a namespace are rejected in a bulk, in a request and in a preview', async () => {
  const parsed = parseSelector(costly(0));
  const cost = parsed.kind === 'selector' ? parsed.cost : 0;
  expect(cost).toBe(800);
  const fitting = Array.from({ length: SELECTORS_COST_MAX / cost }, (_, at) => costly(at));
  expect(await bulk([...fitting, costly(1000)])).toMatchObject({ status: 400, body: { code: 'threshold' } });
  expect(await bulk(fitting)).toMatchObject({ status: 200 });
  const refused = await rig.ask('POST', '/api/mon/v1/silenced', { selector: 'client=a', reason: 'why' });
  expect(refused).toMatchObject({ status: 400, body: { code: 'threshold' } });
  expect((refused.body as { error: string }).error).toMatch(/the limit \(selector cost\) is 100,000: clear some/);
  const preview = { entries: [{ selector: 'client=a' }] };
  expect(await rig.ask('POST', '/api/mon/v1/silenced/preview', preview)).toMatchObject({ status: 400 });
});

test('a silence with an existing selector can be sent again, even if the total cost is exhausted', async () => {
  const fitting = Array.from({ length: SELECTORS_COST_MAX / 800 }, (_, at) => costly(at));
  await bulk(fitting);
  const again = { selector: costly(1), reason: 'another one' };
  expect(await rig.ask('POST', '/api/mon/v1/silenced', again)).toMatchObject({ status: 201 });
});

test('a namespace restored beyond the limit rejects new selectors, but keeps its own', () => {
  const selector = parseSelector(costly(0));
  if (selector.kind !== 'selector') throw new Error('not a selector');
  const selectorCost = 2 * SELECTORS_COST_MAX;
  const known = { hasSelector: () => true, selectorCost };
  const unknown = { hasSelector: () => false, selectorCost };
  expect(() => refuseCostly({ silenced: known }, [selector])).not.toThrow();
  expect(() => refuseCostly({ silenced: unknown }, [selector])).toThrow('the limit (selector cost) is 100,000');
  expect(() => refuseBeyondBudget({ silenced: unknown })).toThrow('the limit (selector cost) is 100,000');
  const selectorBelow = { ...unknown, selectorCost: SELECTORS_COST_MAX - 1 };
  expect(() => refuseBeyondBudget({ silenced: selectorBelow })).not.toThrow();
});

test('ten thousand ordinary selectors do not exceed the total cost of a namespace', () => {
  const parsed = parseSelector('client~web-*-N1234* env=prod check!=backup');
  expect(parsed.kind === 'selector' ? 10_000 * parsed.cost : Infinity).toBeLessThanOrEqual(SELECTORS_COST_MAX);
});

test('silences of the Alertmanager API beyond the total cost of a namespace are rejected', async () => {
  const matchers = Array.from({ length: 4 }, (_, at) => ({
    name: 'alertname',
    value: `${'a'.repeat(100)}${String(at)}.*`,
    isRegex: true,
    isEqual: true,
  }));
  const startsAt = new Date(rig.clock.now()).toISOString();
  const endsAt = new Date(rig.clock.now() + 3_600_000).toISOString();
  const silence = { matchers, startsAt, endsAt, createdBy: 'alice', comment: 'why' };
  const answers: Answer[] = [];
  for (let count = 0; count < 460; count++) answers.push(await rig.ask('POST', '/api/v2/silences', silence));
  expect(answers[0]).toMatchObject({ status: 200 });
  expect(answers.at(-1)).toMatchObject({ status: 400 });
  expect(JSON.stringify(answers.at(-1)?.body)).toContain('selector cost');
});

test('ten thousand silences of one alert on one instance do not exceed the total cost of a namespace', () => {
  const parsed = parseSelector('{alertname="Down",instance="web-1:9100",job=~"node|blackbox",severity!="info"}');
  expect(parsed.kind === 'selector' ? 10_000 * parsed.cost : Infinity).toBeLessThanOrEqual(SELECTORS_COST_MAX);
});

test('a restore skips silences whose selectors exceed the total cost of a namespace', async () => {
  await rig.ask('POST', '/api/mon/v1/silenced', { selector: 'client=a', reason: 'why' });
  const { objects } = (await rig.administer('GET', '/api/mon/v1/dump/silenced')).body as { objects: unknown[] };
  const [{ id }] = (await rig.ask('GET', '/silenced')).body as [{ id: string }];
  await rig.ask('POST', '/api/mon/v1/silenced/clear', { id });
  const fitting = Array.from({ length: SELECTORS_COST_MAX / 800 }, (_, at) => costly(at));
  expect(await bulk(fitting)).toMatchObject({ status: 200 });
  const restored = await rig.administer('POST', '/api/mon/v1/restore', { objects });
  expect(restored).toMatchObject({
    status: 200,
    body: {
      results: [{ outcome: 'skipped', reason: expect.stringContaining('the limit (selector cost) is 100,000') }],
    },
  });
});
