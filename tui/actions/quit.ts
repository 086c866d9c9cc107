import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { PlanRun } from '../../shared/schemas/plan-run.ts';
import { currentStep } from '../../shared/domain/plan/run.ts';
import { openConfirmation } from '../form/confirm.ts';
import { isOwnedBy } from '../../shared/domain/plan/operator.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import { stepText } from '../words/plan-text.ts';

/** Quits the console. If a step of an upgrade plan that this console owns is running, a dialog asks first. */
export function quitOrConfirm(store: Screen & Pick<LiveData, 'plans'>): void {
  const { plan } = store.plans;
  const step = plan && currentStep(plan);
  if (plan === undefined || step?.state !== 'running' || !isOwnedBy(plan, store.options.session))
    return store.request({ kind: 'quit' });
  const lines = (): readonly string[] => stepLines(store.plans.plan ?? plan);
  openConfirmation(store, {
    title: 'Quit while an upgrade step runs?',
    lines: lines(),
    currentLines: lines,
    button: 'Quit',
    count: 1,
    focused: 'cancel',
    effect: { kind: 'quit' },
  });
}

/** Returns the lines that name the running step. The step can end while the dialog is open. */
function stepLines(plan: PlanRun): readonly string[] {
  const step = currentStep(plan);
  const name = `Plan #${String(plan.id)} to ${safeLine(plan.to)}`;
  if (step?.state !== 'running') return [`${name}: the step has ended, no step runs now.`];
  return [
    `${name}: ${stepText(plan, step)}.`,
    'The step continues without this console; any other console shows its outcome.',
  ];
}
