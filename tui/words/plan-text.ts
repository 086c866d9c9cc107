import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { PlanRun, PlanRunStep, PlanOrder } from '../../shared/schemas/plan-run.ts';
import { shellWord } from '../../shared/domain/command-text.ts';
import { currentStep } from '../../shared/domain/plan/run.ts';

/** Returns the name of a step of an upgrade plan, such as `step 3 of 7, Restart the backend`. */
export function stepText({ steps }: Pick<PlanRun, 'steps'>, { id, title }: PlanRunStep): string {
  const number = steps.findIndex((step) => step.id === id) + 1;
  return `step ${String(number)} of ${String(steps.length)}, ${safeLine(title)}`;
}

export function holderName({ holder }: Pick<PlanRun, 'holder'>): string {
  return holder === null ? 'nobody' : safeLine(holder.who);
}

export function restoreCommandLine(backup: string): string {
  return `mon-backend restore-backup ${safeLine(shellWord(backup))}`;
}

/**
 * Returns the message about the result of an order to an upgrade plan, such as `start` or `skip`.
 *
 * @param confirming the key or command that confirms a manual step, such as `Enter`
 */
export function orderResultText(order: PlanOrder, plan: PlanRun, confirming: string): string {
  if (order.order === 'take') return `you own plan #${String(plan.id)}`;
  if (order.order === 'release') return `you released plan #${String(plan.id)}: anybody can take ownership`;
  if (order.order === 'roll-back' || order.order === 'abandon') return `plan #${String(plan.id)} is ${plan.state}`;
  const step = plan.steps.find(({ id }) => id === order.step);
  if (step === undefined) return `plan #${String(plan.id)}: ${safeLine(order.step)}`;
  if (step.state === 'confirm') return `${stepText(plan, step)}: do this step, then confirm with ${confirming}`;
  const next = currentStep(plan);
  const then = next === undefined || next.id === step.id ? '' : `; next: ${stepText(plan, next)}`;
  return `${stepText(plan, step)}: ${step.state}${then}`;
}
