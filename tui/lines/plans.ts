import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import {
  isOpenTo,
  buildOrders,
  nextInteraction,
  type OperatorSession,
  type PlanOperation,
} from '../../shared/domain/plan/operator.ts';
import { currentStep } from '../../shared/domain/plan/run.ts';
import { parsePath, versionText } from '../../shared/domain/plan/version.ts';
import type { PlanRun, PlanRunStep } from '../../shared/schemas/plan-run.ts';
import { findNearest } from '../../shared/domain/nearest.ts';
import type { LinesState } from './state.ts';
import { promptUntilValid, askForConfirmation, isChangePossible } from './questions.ts';
import type { LinePrompt } from './line-prompt.ts';
import { holderName, stepText, restoreCommandLine, orderResultText } from '../words/plan-text.ts';

/** Functions that run the subcommands of `upgrade`, by name. The subcommand `new` is implemented separately. */
const SUBCOMMANDS: Readonly<Record<string, (work: PlanCommandContext) => Promise<void>>> = {
  run: runCurrentStep,
  skip: skipCurrentStep,
  take: takeOwnership,
  release: async (work) => void (await carryOut(work, { kind: 'release', plan: work.plan.id })),
  'roll-back': (work) => endPlan(work, 'roll-back'),
  abandon: (work) => endPlan(work, 'abandon'),
};

export const UPGRADE_WORDS = 'upgrade [new | run | skip | take | release | roll-back | abandon]';

interface PlanCommandContext {
  readonly state: LinesState;
  readonly prompt: LinePrompt;
  readonly client: UpgradeClient;
  readonly session: string;
  /** The newest upgrade plan, which is open. */
  readonly plan: PlanRun;
}

/** Prints the newest upgrade plan, or changes it after the necessary questions. */
export async function runUpgradeCommand(state: LinesState, prompt: LinePrompt, args: string): Promise<void> {
  const client = await state.context.upgrades();
  const [newest] = await client.plans();
  const plan = newest && (await client.plan(newest.id));
  if (args === '') return plan === undefined ? prompt.say(NO_PLAN_TEXT) : readPlan(plan, prompt);
  if (args === 'new') return makePlan(state, prompt, client);
  const act = SUBCOMMANDS[args];
  if (act === undefined) {
    const near = findNearest(args, ['new', ...Object.keys(SUBCOMMANDS)]);
    return prompt.say(
      safeLine(`Unknown command upgrade ${args}.${near === undefined ? '' : ` Did you mean ${near}?`}`),
    );
  }
  if (plan === undefined) return prompt.say(NO_PLAN_TEXT);
  if (plan.state !== 'open') return prompt.say(`Plan ${String(plan.id)} is closed: ${plan.state}.`);
  if (!isChangePossible(state, prompt)) return;
  await act({ state, prompt, client, session: state.context.session, plan });
}

const NO_PLAN_TEXT = 'There is no upgrade plan. Type "upgrade new" to create one.';

function readPlan(plan: PlanRun, prompt: LinePrompt): void {
  const { id, from, to, state, findings, steps, backup } = plan;
  prompt.say(safeLine(`Plan ${String(id)} from ${from} to ${to}: ${state}. Owner: ${holderName(plan)}.`));
  for (const { title, verdict, evidence } of findings.filter((finding) => finding.verdict !== 'pass')) {
    prompt.say(safeLine(`${verdict}: ${title}: ${evidence.join('; ')}.`));
  }
  const current = state === 'open' ? currentStep(plan) : undefined;
  for (const step of steps) prompt.say(stepSentence(plan, step, step === current));
  if (state === 'rolled-back' && backup !== null) prompt.say(`Stop the backend and run: ${restoreCommandLine(backup)}`);
}

function stepSentence(plan: PlanRun, step: PlanRunStep, isNext: boolean): string {
  const what = isNext && step.state === 'pending' ? 'next' : step.state;
  return safeLine(`${stepText(plan, step)}: ${what}${step.note === '' ? '' : `, ${step.note}`}.`);
}

async function makePlan(state: LinesState, prompt: LinePrompt, client: UpgradeClient): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  const from = await promptUntilValid(prompt, 'Upgrade from which version?', readText);
  if (from === undefined) return;
  const path = await promptUntilValid(prompt, 'To which version?', (text) => {
    const read = parsePath(from, text);
    return 'problem' in read ? read : { value: read };
  });
  if (path === undefined) return;
  const { id } = await client.create({ from: versionText(path.from), to: versionText(path.to) });
  readPlan(await client.order(id, { order: 'take', session: state.context.session, force: false }), prompt);
  prompt.say('Type "upgrade run" to run the first step of the plan.');
}

/** Runs the current step of the upgrade plan after a confirmation; for a manual step, asks whether it is done. */
async function runCurrentStep(work: PlanCommandContext): Promise<void> {
  const { plan, prompt } = work;
  const step = currentStep(plan);
  if (step === undefined || !isOurs(work)) return;
  const requiredAction = nextInteraction(step);
  if (requiredAction === 'wait')
    return prompt.say(`${stepText(plan, step)}: running. Type "upgrade" to check the outcome.`);
  prompt.say(`${stepText(plan, step)}.`);
  const instructions =
    requiredAction === 'confirm' ? (step.commands ?? []).map((command) => `Run: ${command}`) : step.details;
  for (const line of instructions) prompt.say(safeLine(line));
  if (requiredAction === 'confirm' && !(await askForConfirmation(prompt, 'Is it done?'))) return;
  if (requiredAction === 'agree' && !(await askForConfirmation(prompt, 'Run it?'))) return;
  const typed = requiredAction === 'type' ? await typeWord(prompt, step.confirm ?? '') : '';
  const kind = requiredAction === 'confirm' ? 'confirm' : 'start';
  if (typed !== undefined) await carryOut(work, { kind, plan: plan.id, step: step.id, state: step.state }, typed);
}

async function typeWord(prompt: LinePrompt, word: string): Promise<string | undefined> {
  return await promptUntilValid(prompt, safeLine(`This cannot be undone. Type "${word}" to run the step:`), (text) =>
    text === word ? { value: text } : { problem: `the answer must be "${word}"` },
  );
}

async function skipCurrentStep(work: PlanCommandContext): Promise<void> {
  const { plan, prompt } = work;
  const step = currentStep(plan);
  if (step === undefined || !isOurs(work)) return;
  const reason = await promptUntilValid(prompt, `Skip ${stepText(plan, step)}. Reason?`, readText);
  const wish = { kind: 'skip', plan: plan.id, step: step.id, state: step.state } as const;
  if (reason !== undefined) await carryOut(work, wish, reason);
}

async function takeOwnership(work: PlanCommandContext): Promise<void> {
  const { plan, prompt } = work;
  const question = `${holderName(plan)} owns the plan. Take ownership?`;
  if (isOpenTo(plan, operatorOf(work)) || (await askForConfirmation(prompt, question))) {
    await carryOut(work, { kind: 'take', plan: plan.id });
  }
}

async function endPlan(work: PlanCommandContext, how: 'roll-back' | 'abandon'): Promise<void> {
  const { plan, prompt } = work;
  if (!isOurs(work)) return;
  if (how === 'roll-back' && plan.backup === null) return prompt.say('This plan has no backup to roll back to.');
  const what = how === 'abandon' ? 'Completed steps are not undone.' : 'The plan ends; restore its backup afterwards.';
  const reason = await promptUntilValid(prompt, `${what} Reason?`, readText);
  if (reason === undefined) return;
  const next = await carryOut(work, { kind: how, plan: plan.id }, reason);
  if (next?.state === 'rolled-back' && plan.backup !== null) {
    prompt.say(`Stop the backend and run: ${restoreCommandLine(plan.backup)}`);
  }
}

/**
 * Returns true if this console owns the plan, or nobody does, so that its next action takes ownership. Otherwise prints
 * the owner.
 */
function isOurs(work: PlanCommandContext): boolean {
  const isOpen = isOpenTo(work.plan, operatorOf(work));
  if (!isOpen) reportOwner(work.prompt, work.plan);
  return isOpen;
}

function reportOwner(prompt: LinePrompt, plan: PlanRun): void {
  prompt.say(`${holderName(plan)} owns the plan. Type "upgrade take" to take ownership.`);
}

function operatorOf({ session, state }: PlanCommandContext): OperatorSession {
  return { session, nowMs: state.nowMs };
}

/**
 * Sends an action on the upgrade plan. The plan is fetched again first, because it may have changed while the user
 * answered a question.
 *
 * @returns the plan after the action; `undefined` if nothing was done
 */
async function carryOut(work: PlanCommandContext, wish: PlanOperation, typed = ''): Promise<PlanRun | undefined> {
  const { client, prompt } = work;
  const outcome = buildOrders(await client.plan(wish.plan), wish, typed, operatorOf(work));
  if (outcome.kind !== 'orders') {
    if (outcome.kind === 'held') reportOwner(prompt, outcome.plan);
    else prompt.say('The plan has changed meanwhile: nothing was done.');
    return undefined;
  }
  const orders = [...outcome.orders];
  const last = orders.pop();
  for (const order of orders) await client.order(wish.plan, order);
  if (last === undefined) return undefined;
  const next = await client.order(wish.plan, last);
  prompt.say(`${orderResultText(last, next, '"upgrade run"')}.`);
  if (currentStep(next)?.state === 'running') prompt.say('Type "upgrade" to check the outcome of the step.');
  return next;
}

function readText(text: string): { readonly value: string } | { readonly problem: string } {
  return text === '' ? { problem: 'enter a value' } : { value: text };
}
