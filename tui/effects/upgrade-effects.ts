import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { currentStep } from '../../shared/domain/plan/run.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { PlanRun, PlanOrder } from '../../shared/schemas/plan-run.ts';
import { keyOf } from '../state/keys.ts';
import type { Effect } from '../state/effects.ts';
import { isOwnedBy } from '../../shared/domain/plan/operator.ts';
import type { Screen, ScreenView, Frames } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import { stepText, orderResultText } from '../words/plan-text.ts';

/** The methods of the client for upgrade plans that the console uses. */
export type UpgradeApi = Pick<UpgradeClient, 'create' | 'order' | 'plan'>;

export type UpgradeEffect = Extract<Effect, { readonly kind: 'load-plan' | 'hold-plan' | 'order-plan' | 'new-plan' }>;

interface UpgradeTools {
  readonly store: Screen & Frames & Pick<LiveData, 'plans'>;
  readonly upgrades: () => Promise<UpgradeApi>;
}

/** Sends a request about upgrade plans and shows the resulting plan. It never throws. */
export async function runUpgradeEffect(effect: UpgradeEffect, { store, upgrades }: UpgradeTools): Promise<void> {
  try {
    const client = await upgrades();
    switch (effect.kind) {
      case 'load-plan':
        return await loadPlan(effect.id, store, client);
      case 'hold-plan':
        return await holdPlan(effect.id, store, client);
      case 'order-plan':
        return await orderPlan(effect.id, effect.orders, store, client);
      default:
        return await newPlan(effect, store, client);
    }
  } catch (error) {
    if (effect.kind === 'load-plan') store.plans.failed(errorMessage(error));
    else store.say(errorMessage(error), 'problem');
  } finally {
    store.requestFrame('rows');
  }
}

async function loadPlan(id: number, store: Screen & Pick<LiveData, 'plans'>, client: UpgradeApi): Promise<void> {
  const before = store.plans.plan;
  const plan = await client.plan(id);
  if (plan === undefined) return store.plans.failed('the backend has no such plan');
  store.plans.arrived(plan);
  reportStepOutcome(store, before, plan);
}

/** Reports the outcome of a step that has ended, if this console owned the plan when the step was running. */
function reportStepOutcome(store: Screen, before: PlanRun | undefined, plan: PlanRun): void {
  const ran = before?.id === plan.id && isOwnedBy(before, store.options.session) ? currentStep(before) : undefined;
  const step = ran?.state === 'running' ? plan.steps.find(({ id }) => id === ran.id) : undefined;
  if (step === undefined || step.state === 'running') return;
  store.say(
    `${stepText(plan, step)}: ${step.state}, ${safeLine(step.note)}`,
    step.state === 'done' ? 'done' : 'problem',
  );
}

/**
 * Renews this console's ownership of an upgrade plan. A failure is ignored, because the feed reports if another console
 * takes the plan.
 */
async function holdPlan(id: number, store: ScreenView & Pick<LiveData, 'plans'>, client: UpgradeApi): Promise<void> {
  const { session } = store.options;
  const plan = await client.order(id, { order: 'take', session, force: false }).catch(() => undefined);
  if (plan !== undefined) store.plans.arrived(plan);
}

async function orderPlan(
  id: number,
  orders: readonly PlanOrder[],
  store: Screen & Frames & Pick<LiveData, 'plans'>,
  client: UpgradeApi,
): Promise<void> {
  for (const order of orders) {
    const plan = await client.order(id, order);
    store.plans.arrived(plan);
    store.requestFrame('rows');
    // Only the result of the last order is shown, because the earlier orders prepare it.
    if (order === orders.at(-1)) store.say(orderResultText(order, plan, keyOf('plan-run')), 'done');
  }
}

async function newPlan(
  { from, to }: Extract<Effect, { readonly kind: 'new-plan' }>,
  store: Screen & Pick<LiveData, 'plans'>,
  client: UpgradeApi,
): Promise<void> {
  const { session } = store.options;
  const { id } = await client.create({ from, to });
  store.plans.arrived(await client.order(id, { order: 'take', session, force: false }));
  store.say(
    `plan #${String(id)} from ${from} to ${to} created: press ${keyOf('plan-run')} to run the first step`,
    'done',
  );
}
