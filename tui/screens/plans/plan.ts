import { currentStep } from '../../../shared/domain/plan/run.ts';
import type { PlanRun, PlanRunStep } from '../../../shared/schemas/plan-run.ts';
import type { UpgradePosition } from '../../state/upgrade-position.ts';
import type { StateAdjuster, ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';

/** Returns the plan that the upgrade view shows; `undefined` if there is no plan or it is still being loaded. */
export function shownPlan({ plans }: Pick<LiveData, 'plans'>): PlanRun | undefined {
  return plans.row === undefined || plans.row.id === plans.plan?.id ? plans.plan : undefined;
}

/** Returns the current state of the step under the cursor; `undefined` if no plan is loaded. */
export function stepUnderCursor(store: ScreenView & Pick<LiveData, 'plans'>): PlanRunStep | undefined {
  const { step } = store.state.upgrade;
  return shownPlan(store)?.steps.find(({ id }) => id === step);
}

/** Returns the number of a step, counted from 1; 0 if the plan has no such step. */
export function stepNumber({ steps }: Pick<PlanRun, 'steps'>, id: string | undefined): number {
  return steps.findIndex((step) => step.id === id) + 1;
}

/** Updates the upgrade view before a frame: opens the page of a new plan, and moves the cursor to the current step. */
export function settleUpgrade(store: StateAdjuster & Pick<LiveData, 'plans'>): void {
  const before = store.state.upgrade;
  const after = settledPosition(before, shownPlan(store));
  if (after !== before) store.adjustState({ upgrade: after });
}

function settledPosition(position: UpgradePosition, plan: PlanRun | undefined): UpgradePosition {
  if (plan === undefined) return position.page === 'plan' ? { ...position, page: 'versions' } : position;
  const isNew = plan.state === 'open' && plan.id !== position.plan;
  const opened: UpgradePosition = isNew ? { ...position, page: 'plan', plan: plan.id, follows: true } : position;
  const step = stepToShow(opened, plan);
  return step === opened.step ? opened : { ...opened, step };
}

function stepToShow({ step, follows }: UpgradePosition, plan: PlanRun): string | undefined {
  const current = currentStep(plan)?.id ?? plan.steps.at(-1)?.id;
  return follows || !plan.steps.some(({ id }) => id === step) ? current : step;
}
