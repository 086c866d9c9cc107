import { currentStep } from '../../../shared/domain/plan/run.ts';
import { keyOf, type KeyAction } from '../../actions/keys.ts';
import { openActionMenu } from '../../list/list-menus.ts';
import { clamp } from '../../state/list-cursor.ts';
import { openLog } from '../log/layer.ts';
import { movedTo } from '../../actions/scroll-keys.ts';
import { openPlanPage } from './page.ts';
import { planLayout } from './layout.ts';
import { shownPlan, stepNumber, stepUnderCursor } from './plan.ts';
import { askAbandon, askNewPlan, askRollBack, askSkip, changeHold, commandOf, runStep } from './questions.ts';
import type { Screen, Says, Asks, Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import type { ActionPorts } from '../../actions/action-ports.ts';
import { restoreCommand } from '../../words/plan-text.ts';

/** What the menu of the plan offers, in its order. */
const PLAN_ACTIONS: readonly KeyAction[] = [
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

/** The keys of plans, on both pages of the view. `false`: the key is none of them. */
export function pressPlanKey(store: ActionPorts, action: KeyAction | undefined): boolean {
  switch (action) {
    case 'plan-new':
      askNewPlan(store);
      return true;
    case 'plan-page':
      turnPage(store);
      return true;
    default:
      return store.state.upgrade.page === 'plan' && pressPlan(store, action);
  }
}

function pressPlan(store: ActionPorts, action: KeyAction | undefined): boolean {
  if (moveStep(store, action)) return true;
  const act = action === undefined ? undefined : ACTIONS[action];
  act?.(store);
  return act !== undefined;
}

const ACTIONS: Partial<Readonly<Record<KeyAction, (store: ActionPorts) => void>>> = {
  'plan-run': runStep,
  'plan-skip': askSkip,
  'plan-roll-back': askRollBack,
  'plan-hold': changeHold,
  'plan-abandon': askAbandon,
  'plan-copy': copyCommand,
  'plan-details': (store) => openPlanPage(store, 'details'),
  'plan-log': (store) => openPlanPage(store, 'log'),
  log: (store) => openLog(store, 'messages'),
  actions: (store) =>
    openActionMenu(store, 'Plan for an upgrade', PLAN_ACTIONS, (action) => void pressPlanKey(store, action)),
};

function turnPage(store: Screen & Says & Pick<Known, 'plans'>): void {
  const { upgrade } = store.state;
  const { row, failure = 'it is being loaded' } = store.plans;
  if (row === undefined) return store.say(`there is no plan yet: ${keyOf('plan-new')} makes one`);
  if (shownPlan(store) === undefined)
    return store.say(`plan #${String(row.id)} is not there yet: ${failure}`, 'problem');
  store.update({ upgrade: { ...upgrade, page: upgrade.page === 'plan' ? 'versions' : 'plan' } });
}

function moveStep(store: Screen & Pick<Known, 'plans'>, action: KeyAction | undefined): boolean {
  const plan = shownPlan(store);
  const { upgrade } = store.state;
  if (plan === undefined) return false;
  const last = plan.steps.length - 1;
  const index = Math.max(0, stepNumber(plan, upgrade.step) - 1);
  const to = movedTo(action, index, { rows: planLayout(store).steps, last });
  if (to === undefined) return false;
  const step = plan.steps[clamp(to, 0, last)]?.id;
  // Back on the step whose turn it is, the cursor goes on with the plan again.
  store.update({ upgrade: { ...upgrade, step, follows: step === currentStep(plan)?.id } });
  return true;
}

function copyCommand(store: Shown & Says & Asks & Pick<Known, 'plans'>): void {
  const plan = shownPlan(store);
  const step = stepUnderCursor(store);
  const text =
    plan?.state === 'rolled-back' && plan.backup !== null ? restoreCommand(plan.backup) : step && commandOf(step);
  if (text === undefined) return store.say('this step has no command to copy');
  store.request({ kind: 'copy', label: 'command', text });
}
