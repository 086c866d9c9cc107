import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { AggregateRig, type SilenceTarget, type Step } from '../../../../support/aggregate-rig.ts';
import { propertyRuns } from '../../../../support/property-runs.ts';

const client = fc.constantFrom('a', 'b', 'c');
const check = fc.constantFrom('cpu', 'disk', 'keepalive');
const aggregate = fc.constantFrom('cpu', 'disk', 'x:y|z');
const report = fc.record({
  do: fc.constant('report' as const),
  client,
  check,
  status: fc.constantFrom(0, 0, 1, 2, 3, 127, -2),
  ageSeconds: fc.constantFrom(0, 10),
  isKept: fc.boolean(),
  names: fc.oneof(
    fc.constant({}),
    fc.constant({ aggregate: true as const }),
    fc.record({ aggregate }),
    fc.record({ aggregates: fc.subarray(['cpu', 'disk', 'x:y|z']) }),
  ),
});
const target = fc.constantFrom<SilenceTarget>(
  { subscription: 'web' },
  { subscription: 'client:a' },
  { check: 'cpu' },
  { subscription: 'web', check: 'disk' },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: report, weight: 6 },
  { arbitrary: fc.record({ do: fc.constant('delete result' as const), client, check }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('delete client' as const), client }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('delete aggregate' as const), aggregate }), weight: 2 },
  {
    arbitrary: fc.record({
      do: fc.constant('subscribe' as const),
      client,
      subscriptions: fc.subarray(['web', 'db']),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ do: fc.constantFrom('silence' as const, 'clear' as const), target }), weight: 2 },
);

test('the counters and members of aggregates equal a full recount after any changes and restarts', async () => {
  const batch = fc.record({ steps: fc.array(step, { maxLength: 8 }), isRestart: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 8 }), async (batches) => {
      await using rig = await AggregateRig.open();
      for (const { steps, isRestart } of batches) {
        await rig.play(steps);
        for (const maxAge of [undefined, 5]) expect(await rig.responses(maxAge)).toEqual(rig.computedStates(maxAge));
        if (isRestart) await rig.restart();
        for (const maxAge of [undefined, 5]) expect(await rig.responses(maxAge)).toEqual(rig.computedStates(maxAge));
      }
    }),
    { numRuns: propertyRuns(40) },
  );
});

/** Returns a step that reports a result of a member of the aggregate `app`. */
const member = (overrides: Partial<Extract<Step, { readonly do: 'report' }>> = {}): Step => ({
  do: 'report',
  client: 'a',
  check: 'cpu',
  status: 0,
  ageSeconds: 0,
  isKept: false,
  names: { aggregate: 'app' },
  ...overrides,
});

async function openRig(): Promise<AggregateRig> {
  const rig = await AggregateRig.open();
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}

test('deleting an aggregate and results in the same batch take effect in order, even after a restart', async () => {
  const rig = await openRig();
  await rig.play([
    member(),
    { do: 'delete aggregate', aggregate: 'app' },
    member({ client: 'b' }),
    member({ client: 'c', names: { aggregates: ['app', 'other'] } }),
    { do: 'delete aggregate', aggregate: 'other' },
  ]);
  const expected = [
    {
      name: 'app',
      clients: [
        { name: 'b', checks: ['cpu'] },
        { name: 'c', checks: ['cpu'] },
      ],
    },
  ];
  expect(await rig.responses(undefined)).toMatchObject(expected);
  await rig.restart();
  expect(await rig.responses(undefined)).toMatchObject(expected);
});

test('a check record stores aggregate data only once an aggregate was deleted, and then one small number', async () => {
  const rig = await openRig();
  await rig.play([member()]);
  expect(rig.namespace.check('a', 'cpu')?.deletionsBefore).toBe(0);
  await rig.play([{ do: 'delete aggregate', aggregate: 'app' }, member(), member({ client: 'b', names: {} })]);
  expect(rig.namespace.check('a', 'cpu')?.deletionsBefore).toBe(1);
  expect(rig.namespace.check('b', 'cpu')?.deletionsBefore).toBe(0);
});

test('checks that name the same aggregates share one object in memory', async () => {
  const rig = await openRig();
  await rig.play([member(), member({ client: 'b' })]);
  const [a, b] = ['a', 'b'].map((name) => rig.namespace.check(name, 'cpu')?.aggregates);
  expect(a).toBe(b);
});
