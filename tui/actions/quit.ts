import { safeLine } from '../../shared/domain/terminal-text.ts';
import { currentStep } from '../../shared/domain/plan/run.ts';
import { askFirst } from '../form/confirm.ts';
import { isOwnedBy } from '../../shared/domain/plan/operator.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import { stepText } from '../words/plan-text.ts';

/** Quits the console. If a step of an upgrade plan that this console owns is running, a dialog asks first. */
export function askQuit(store: Screen & Pick<LiveData, 'plans'>): void {
  const { plan } = store.plans;
  const step = plan && currentStep(plan);
  if (plan === undefined || step?.state !== 'running' || !isOwnedBy(plan, store.options.session))
    return store.request({ kind: 'quit' });
  askFirst(store, {
    title: 'Quit while an upgrade step runs?',
    lines: [
      `Plan #${String(plan.id)} to ${safeLine(plan.to)}: ${stepText(plan, step)}.`,
      'The step continues without this console; any other console shows its outcome.',
    ],
    button: 'Quit',
    count: 1,
    focused: 'cancel',
    effect: { kind: 'quit' },
  });
}
