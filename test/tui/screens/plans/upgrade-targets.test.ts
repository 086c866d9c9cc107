import fc from 'fast-check';
import { expect, test } from 'vitest';
import { upgradeRow } from '../../../../daemon/backend/model/plans/feed-rows.ts';
import { createUpgradePlan } from '../../../../shared/domain/plan/plan.ts';
import { executeOrder, currentStep, finishStep, newPlanRun } from '../../../../shared/domain/plan/run.ts';
import type { PlanRun, PlanOrder } from '../../../../shared/schemas/plan-run.ts';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { someFacts } from '../../../support/upgrade-facts.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const SESSION = 'console-1';

/**
 * A step of the test. `advance` changes the plan without drawing a frame, like a change that arrives between two
 * frames.
 */
type Move = { readonly kind: 'advance' | 'frame' } | { readonly kind: 'key'; readonly key: string };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Move>({ kind: 'advance' }) },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'frame' }) },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom('\r', '\t', 'j', 'k', 'X', 'reason', '\u0013')
      .map((key): Move => ({ kind: 'key', key })),
  },
);

test('a key acts only on the plan step that was drawn under the cursor or that a dialog names', () => {
  let orders = 0;
  fc.assert(
    fc.property(fc.array(move, { minLength: 20, maxLength: 60 }), (moves) => {
      const console = new ConsoleDriver().goLive({});
      console.type(':upgrade\r');
      let plan = heldPlan(console);
      show(console, plan);
      console.pass(0);
      for (const one of moves) {
        if (one.kind === 'frame') console.pass(50);
        if (one.kind === 'advance') {
          plan = advanced(plan, console.clock.now());
          show(console, plan);
        }
        if (one.kind !== 'key') continue;
        const meant = stepThatIsMeant(console);
        console.type(one.key);
        for (const order of ordersOf(console)) {
          orders += 1;
          expect([order.step, currentStep(plan)?.id]).toEqual([meant, meant]);
        }
      }
    }),
    { numRuns: propertyRuns(1000) },
  );
  expect(orders).toBeGreaterThan(200);
});

/** Returns the step that the screen shows as the target of the next key. */
function stepThatIsMeant({ store }: ConsoleDriver): string | undefined {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'fields-dialog') return store.state.upgrade.step;
  return 'step' in layer.wish ? layer.wish.step : undefined;
}

function ordersOf({ store }: ConsoleDriver): readonly Extract<PlanOrder, { readonly step: string }>[] {
  return store.takeEffects().flatMap((effect) => {
    if (effect.kind !== 'order-plan') return [];
    return effect.orders.flatMap((order) => ('step' in order ? [order] : []));
  });
}

function heldPlan(console: ConsoleDriver): PlanRun {
  const nowMs = console.clock.now();
  const plan = createUpgradePlan({ from: [6, 1, 0], to: [6, 5, 0] }, someFacts({ product: 'mon' }));
  const made = newPlanRun(plan, { id: 1, who: 'alice', nowMs, entities: 20 });
  return ordered(made, { order: 'take', session: SESSION, force: false }, nowMs);
}

/** Returns the plan with its current step completed, whatever its kind. */
function advanced(plan: PlanRun, nowMs: number): PlanRun {
  const step = currentStep(plan);
  if (step === undefined) return plan;
  if (step.action !== 'migrate') {
    return ordered(plan, { order: 'skip', session: SESSION, step: step.id, reason: 'elsewhere' }, nowMs);
  }
  const typed = step.confirm ?? '';
  const started = ordered(plan, { order: 'start', session: SESSION, step: step.id, typed }, nowMs);
  return finishStep(started, step.id, { isDone: true, note: 'upgraded' }, nowMs);
}

function ordered(plan: PlanRun, order: PlanOrder, nowMs: number): PlanRun {
  const outcome = executeOrder(plan, order, 'alice', nowMs);
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
  return { ...outcome.plan, revision: plan.revision + 1 };
}

function show(console: ConsoleDriver, plan: PlanRun): void {
  console.store.plans.arrived(plan);
  console.change({ upgrades: { '1': upgradeRow(plan) } });
}
