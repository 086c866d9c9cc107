import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { isOwnedBy, nextInteraction } from '../../../shared/domain/plan/operator.ts';
import { currentStep, hasNoActiveOwner } from '../../../shared/domain/plan/run.ts';
import type { PlanRun, PlanRunStep } from '../../../shared/schemas/plan-run.ts';
import { backendMs } from '../../model/feed-status.ts';
import { clockText } from '../connection/connection-text.ts';
import { keyOf } from '../../state/keys.ts';
import { EMPTY_LINE, lineOf } from '../../text/line-editor.ts';
import { namesWithinLimit } from '../../form/confirm.ts';
import { openFieldsDialog } from '../fields-form.ts';
import { checkPlanRequest } from './plan-requests.ts';
import { shownPlan, stepNumber } from './plan.ts';
import type { Screen } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { PlanRequest } from '../../state/layers/plans.ts';
import { holderName, stepText, restoreCommandLine } from '../../words/plan-text.ts';

/** Opens a dialog that asks for the current and the new version, to create an upgrade plan. */
export function askNewPlan(store: Screen & Pick<LiveData, 'plans' | 'loads'>): void {
  const open = shownPlan(store);
  if (open?.state === 'open') {
    return store.say(`plan #${String(open.id)} is open: finish or abandon it first`, 'problem');
  }
  const level = store.loads.loadOf('upgrade').data?.versions.backend.core ?? '';
  openFieldsDialog(store, {
    title: 'New upgrade plan',
    lines: ['The backend runs pre-flight checks and creates a plan from them.', 'Nothing is changed yet.'],
    fields: [
      { label: 'From', line: lineOf(level) },
      { label: 'To', line: EMPTY_LINE },
    ],
    button: 'Create plan',
    wish: { kind: 'new' },
  });
}

/** Runs the current step of the plan. If the step changes something or the operator must do it, asks first. */
export function runStep(store: Screen & Pick<LiveData, 'plans' | 'feed' | 'nowMs'>): void {
  withCurrentStep(store, (plan, step) => {
    switch (nextInteraction(step)) {
      case 'wait':
        return store.say(`${stepText(plan, step)}: still running`);
      case 'confirm':
        return confirmManualStep(store, plan, step);
      case 'type':
      case 'agree':
        return confirmStart(store, plan, step);
      case 'start':
        return submitAtOnce(store, { kind: 'start', plan: plan.id, step: step.id, state: step.state });
    }
  });
}

function confirmStart(store: Screen, plan: PlanRun, step: PlanRunStep): void {
  const { confirm } = step;
  openFieldsDialog(store, {
    title: `Run ${stepText(plan, step)}`,
    lines: [...namesWithinLimit(step.details.map(safeLine)), ...undoLines(plan, step)],
    button: `Run step ${String(stepNumber(plan, step.id))}`,
    ...(confirm === undefined
      ? { focused: 'submit' }
      : { fields: [{ label: `Type ${safeLine(confirm)} to run it`, line: EMPTY_LINE }] }),
    wish: { kind: 'start', plan: plan.id, step: step.id, state: step.state },
  });
}

function undoLines({ backup }: PlanRun, { action, confirm }: PlanRunStep): readonly string[] {
  if (action === 'backup') return [];
  const back =
    backup === null
      ? ['This plan has no backup to roll back to.']
      : [`Except by restoring the backup (${keyOf('plan-roll-back')}):`, `  ${safeLine(backup)}`];
  return confirm === undefined ? [] : ['This cannot be undone.', ...back];
}

function confirmManualStep(store: Screen, plan: PlanRun, step: PlanRunStep): void {
  const commands = step.commands ?? [];
  openFieldsDialog(store, {
    title: `Confirm ${stepText(plan, step)}`,
    lines: [
      commands.length === 0 ? 'Is it done?' : 'Is it done? c copies the commands:',
      ...commands.map((command) => `  $ ${safeLine(command)}`),
      ...(step.note === '' ? [] : [`Not done yet: ${safeLine(step.note)}`]),
      ...(step.check === undefined ? [] : ['The backend verifies it.']),
    ],
    button: 'Yes, it is done',
    command: stepCommandLine(step),
    wish: { kind: 'confirm', plan: plan.id, step: step.id, state: step.state },
  });
}

export function confirmSkip(store: Screen & Pick<LiveData, 'plans' | 'feed' | 'nowMs'>): void {
  withCurrentStep(store, (plan, step) => {
    if (step.state === 'running') return store.say(`${stepText(plan, step)}: still running`);
    openFieldsDialog(store, {
      title: `Skip ${stepText(plan, step)}`,
      lines: ['The plan continues as if the step were done. The reason is logged.'],
      fields: [{ label: 'Reason', line: EMPTY_LINE }],
      button: `Skip step ${String(stepNumber(plan, step.id))}`,
      wish: { kind: 'skip', plan: plan.id, step: step.id, state: step.state },
    });
  });
}

export function confirmRollBack(store: Screen & Pick<LiveData, 'plans' | 'feed' | 'nowMs'>): void {
  withOwnedPlan(store, (plan) => {
    if (plan.backup === null) return store.say('this plan has no backup to roll back to', 'problem');
    openFieldsDialog(store, {
      title: `Roll back plan #${String(plan.id)}`,
      lines: [
        'The plan ends here. Then stop the backend and run:',
        `  $ ${restoreCommandLine(plan.backup)}`,
        'Everything stored since the backup will be lost.',
      ],
      fields: [{ label: 'Reason', line: EMPTY_LINE }],
      button: 'Roll back',
      wish: { kind: 'roll-back', plan: plan.id },
    });
  });
}

export function confirmAbandon(store: Screen & Pick<LiveData, 'plans' | 'feed' | 'nowMs'>): void {
  withOwnedPlan(store, (plan) =>
    openFieldsDialog(store, {
      title: `Abandon plan #${String(plan.id)}`,
      lines: ['The plan ends here. Completed steps are not undone.'],
      fields: [{ label: 'Reason', line: EMPTY_LINE }],
      button: 'Abandon plan',
      wish: { kind: 'abandon', plan: plan.id },
    }),
  );
}

/**
 * Releases this console's ownership of the plan. If nobody owns the plan, takes the ownership. If another console owns
 * it, asks before taking it.
 */
export function changeHold(store: Screen & Pick<LiveData, 'plans' | 'feed' | 'nowMs'>): void {
  withOpenPlan(store, (plan) => {
    const { holder } = plan;
    if (isOwnedBy(plan, store.options.session)) return submitAtOnce(store, { kind: 'release', plan: plan.id });
    if (holder === null || hasNoActiveOwner(plan, backendMs(store.feed, store.nowMs)))
      return submitAtOnce(store, { kind: 'take', plan: plan.id });
    openFieldsDialog(store, {
      title: `Take ownership of plan #${String(plan.id)} from ${holderName(plan)}`,
      lines: [
        `${holderName(plan)} has owned the plan since ${clockText(holder.since)}; last seen at ${clockText(holder.last_seen)}.`,
        'A running step continues.',
      ],
      button: 'Take ownership',
      wish: { kind: 'take', plan: plan.id },
    });
  });
}

/** Returns the commands that the operator has to run for a step, as one line; `undefined` if there are none. */
export function stepCommandLine({ commands = [] }: PlanRunStep): string | undefined {
  // `&&` makes each command wait for the previous command, and run only if it succeeded.
  return commands.length === 0 ? undefined : commands.map(safeLine).join(' && ');
}

/**
 * Calls `act` with the current step if the cursor is on it, and if no other console owns the plan. Otherwise shows a
 * message.
 */
function withCurrentStep(
  store: Screen & Pick<LiveData, 'plans' | 'feed' | 'nowMs'>,
  act: (plan: PlanRun, step: PlanRunStep) => void,
): void {
  withOwnedPlan(store, (plan) => {
    const step = currentStep(plan);
    if (step === undefined || step.id !== store.state.upgrade.step) {
      return store.say(`the next step is ${step === undefined ? 'none' : stepText(plan, step)}`, 'problem');
    }
    act(plan, step);
  });
}

function withOwnedPlan(store: Screen & Pick<LiveData, 'plans' | 'feed' | 'nowMs'>, act: (plan: PlanRun) => void): void {
  withOpenPlan(store, (plan) => {
    if (isOwnedBy(plan, store.options.session) || hasNoActiveOwner(plan, backendMs(store.feed, store.nowMs)))
      return act(plan);
    store.say(`${holderName(plan)} owns the plan: press ${keyOf('plan-hold')} to take ownership`, 'problem');
  });
}

function withOpenPlan(store: Screen & Pick<LiveData, 'plans'>, act: (plan: PlanRun) => void): void {
  const plan = shownPlan(store);
  if (plan === undefined)
    return store.say('the upgrade plan has not been loaded yet: try again in a moment', 'problem');
  if (plan.state !== 'open') return store.say(`plan #${String(plan.id)} is closed: ${plan.state}`, 'problem');
  act(plan);
}

function submitAtOnce(store: Screen & Pick<LiveData, 'plans' | 'feed'>, wish: PlanRequest): void {
  const outcome = checkPlanRequest(store, wish, []);
  if (outcome.kind === 'effect') store.request(outcome.effect);
  else store.say(outcome.text, 'problem');
}
