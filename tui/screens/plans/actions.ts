import type { Action, ActionTrigger } from '../../keys/action.ts';
import { currentStep } from '../../../shared/domain/plan/run.ts';
import { keyOf, type KeyAction } from '../../state/keys.ts';
import { movedPosition } from '../../keys/movement-target.ts';
import { openPlanPage } from './page.ts';
import { planLayout } from './layout.ts';
import { shownPlan, stepNumber, stepUnderCursor } from './plan.ts';
import {
  confirmAbandon,
  askNewPlan,
  confirmRollBack,
  confirmSkip,
  changeHold,
  stepCommandLine,
  runStep,
} from './questions.ts';
import type { Screen } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';
import { restoreCommandLine } from '../../words/plan-text.ts';
import { openActionMenu } from '../../keys/action-menu.ts';

/** The actions in the menu of an upgrade plan, in order. */
const MENU_ACTIONS: readonly KeyAction[] = [
  'plan-run',
  'plan-skip',
  'plan-roll-back',
  'plan-hold',
  'plan-abandon',
  'plan-copy',
  'plan-details',
  'plan-log',
  'plan-new',
  'plan-page',
];

/** The actions on an upgrade plan. */
export const PLAN_ACTIONS: readonly Action[] = [
  {
    name: 'plan-run',
    keys: ['enter'],
    in: ['plan'],
    help: 'run the next step of the plan, or confirm a manual step',
    hint: 'run step',
    changes: true,
    run: runStep,
  },
  {
    name: 'plan-skip',
    keys: ['X'],
    in: ['plan'],
    help: 'skip the next step of the plan; asks for a reason',
    hint: 'skip',
    changes: true,
    run: confirmSkip,
  },
  {
    name: 'plan-roll-back',
    keys: ['Z'],
    in: ['plan'],
    help: 'end the upgrade plan and roll back to its backup',
    hint: 'roll back',
    changes: true,
    run: confirmRollBack,
  },
  {
    name: 'plan-log',
    keys: ['J'],
    in: ['plan'],
    help: 'show the full log of the plan',
    hint: 'log',
    run: (store) => openPlanPage(store, 'log'),
  },
  {
    name: 'plan-details',
    keys: ['d'],
    in: ['plan'],
    help: 'show problems found for the step under the cursor, and details',
    hint: 'details',
    run: (store) => openPlanPage(store, 'details'),
  },
  {
    name: 'plan-hold',
    keys: ['Y'],
    in: ['plan'],
    help: 'take or release ownership of the plan; asks before replacing the owner',
    hint: 'own',
    changes: true,
    run: changeHold,
  },
  {
    name: 'plan-copy',
    keys: ['c'],
    in: ['plan'],
    help: 'copy the command to run in this step',
    hint: 'copy',
    run: copyCommand,
  },
  {
    name: 'plan-abandon',
    keys: ['D'],
    in: ['plan'],
    help: 'abandon the upgrade plan; asks for a reason',
    changes: true,
    run: confirmAbandon,
  },
  {
    name: 'plan-new',
    keys: ['n'],
    in: ['upgrade'],
    help: 'create an upgrade plan',
    hint: 'new plan',
    changes: true,
    run: askNewPlan,
  },
  {
    name: 'plan-page',
    keys: ['tab'],
    in: ['upgrade', 'plan'],
    help: 'switch between installed versions and the upgrade plan',
    hint: 'other page',
    run: togglePage,
  },
];

export function openPlanMenu(store: ActionPorts, { perform }: ActionTrigger): void {
  openActionMenu(store, 'Upgrade plan', MENU_ACTIONS, perform);
}

function togglePage(store: Screen & Pick<LiveData, 'plans'>): void {
  const { upgrade } = store.state;
  const { row, failure = 'the plan is loading' } = store.plans;
  if (row === undefined) return store.say(`there is no plan yet: press ${keyOf('plan-new')} to create one`);
  if (shownPlan(store) === undefined) return store.say(`plan #${String(row.id)} is not loaded: ${failure}`, 'problem');
  store.update({ upgrade: { ...upgrade, page: upgrade.page === 'plan' ? 'versions' : 'plan' } });
}

/**
 * Moves the cursor from step to step in the upgrade plan.
 *
 * @returns `false` if no plan is loaded, or if the action is not a movement
 */
export function moveStep(store: Screen & Pick<LiveData, 'plans'>, action: KeyAction): boolean {
  const plan = shownPlan(store);
  const { upgrade } = store.state;
  if (plan === undefined) return false;
  const last = plan.steps.length - 1;
  const index = Math.max(0, stepNumber(plan, upgrade.step) - 1);
  const to = movedPosition(action, index, { rows: planLayout(store).steps, last });
  if (to === undefined) return false;
  const step = plan.steps[to]?.id;
  // If the user moves the cursor to the current step, the cursor follows the steps of the plan again.
  store.update({ upgrade: { ...upgrade, step, follows: step === currentStep(plan)?.id } });
  return true;
}

function copyCommand(store: Screen & Pick<LiveData, 'plans'>): void {
  const plan = shownPlan(store);
  const step = stepUnderCursor(store);
  const text =
    plan?.state === 'rolled-back' && plan.backup !== null
      ? restoreCommandLine(plan.backup)
      : step && stepCommandLine(step);
  if (text === undefined) return store.say('this step has no command to copy');
  store.request({ kind: 'copy', label: 'command', text });
}
