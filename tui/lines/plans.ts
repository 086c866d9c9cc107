import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { isOpenTo, ordersFor, turnOf, type Operator, type PlanWish } from '../../shared/domain/plan/operator.ts';
import { currentStep } from '../../shared/domain/plan/run.ts';
import { parsePath, versionText } from '../../shared/domain/plan/version.ts';
import type { PlanRun, PlanRunStep } from '../../shared/schemas/plan-run.ts';
import { nearest } from '../../shared/domain/nearest.ts';
import type { LinesState } from './state.ts';
import { answer, isSure, mayChange } from './questions.ts';
import type { Talk } from './talk.ts';
import { holderName, stepText, restoreCommand, toldOf } from '../words/plan-text.ts';

/** The words after `upgrade` and what they do. */
const VERBS: Readonly<Record<string, (work: Work) => Promise<void>>> = {
  run,
  skip,
  take,
  release: async (work) => void (await carryOut(work, { kind: 'release', plan: work.plan.id })),
  'roll-back': (work) => end(work, 'roll-back'),
  abandon: (work) => end(work, 'abandon'),
};

export const UPGRADE_WORDS = 'upgrade [new | run | skip | take | release | roll-back | abandon]';

interface Work {
  readonly state: LinesState;
  readonly talk: Talk;
  readonly client: UpgradeClient;
  readonly session: string;
  /** The current plan, which is open. */
  readonly plan: PlanRun;
}

/** Reads the upgrade plan, or changes it after asking the necessary questions. */
export async function talkOfUpgrade(state: LinesState, talk: Talk, rest: string): Promise<void> {
  const client = await state.about.upgrades();
  const [newest] = await client.plans();
  const plan = newest && (await client.plan(newest.id));
  if (rest === '') return plan === undefined ? talk.say(NO_PLAN) : readPlan(plan, talk);
  if (rest === 'new') return makePlan(state, talk, client);
  const act = VERBS[rest];
  if (act === undefined) {
    const near = nearest(rest, ['new', ...Object.keys(VERBS)]);
    return talk.say(safeLine(`Unknown command upgrade ${rest}.${near === undefined ? '' : ` Did you mean ${near}?`}`));
  }
  if (plan === undefined) return talk.say(NO_PLAN);
  if (plan.state !== 'open') return talk.say(`Plan ${String(plan.id)} is closed: ${plan.state}.`);
  if (!mayChange(state, talk)) return;
  await act({ state, talk, client, session: state.about.session, plan });
}

const NO_PLAN = 'There is no upgrade plan. Type "upgrade new" to create one.';

function readPlan(plan: PlanRun, talk: Talk): void {
  const { id, from, to, state, findings, steps, backup } = plan;
  talk.say(safeLine(`Plan ${String(id)} from ${from} to ${to}: ${state}. Owner: ${holderName(plan)}.`));
  for (const { title, verdict, evidence } of findings.filter((finding) => finding.verdict !== 'pass')) {
    talk.say(safeLine(`${verdict}: ${title}: ${evidence.join('; ')}.`));
  }
  const current = state === 'open' ? currentStep(plan) : undefined;
  for (const step of steps) talk.say(stepSentence(plan, step, step === current));
  if (state === 'rolled-back' && backup !== null) talk.say(`Stop the backend and run: ${restoreCommand(backup)}`);
}

function stepSentence(plan: PlanRun, step: PlanRunStep, isNext: boolean): string {
  const what = isNext && step.state === 'pending' ? 'next' : step.state;
  return safeLine(`${stepText(plan, step)}: ${what}${step.note === '' ? '' : `, ${step.note}`}.`);
}

async function makePlan(state: LinesState, talk: Talk, client: UpgradeClient): Promise<void> {
  if (!mayChange(state, talk)) return;
  const from = await answer(talk, 'Upgrade from which version?', readText);
  if (from === undefined) return;
  const path = await answer(talk, 'To which version?', (text) => {
    const read = parsePath(from, text);
    return 'problem' in read ? read : { value: read };
  });
  if (path === undefined) return;
  const { id } = await client.create({ from: versionText(path.from), to: versionText(path.to) });
  readPlan(await client.order(id, { order: 'take', session: state.about.session, force: false }), talk);
  talk.say('Type "upgrade run" to run the first step of the plan.');
}

/** Runs the current step, or asks whether it is done. */
async function run(work: Work): Promise<void> {
  const { plan, talk } = work;
  const step = currentStep(plan);
  if (step === undefined || !isOurs(work)) return;
  const turn = turnOf(step);
  if (turn === 'wait') return talk.say(`${stepText(plan, step)}: running. Type "upgrade" to check the outcome.`);
  talk.say(`${stepText(plan, step)}.`);
  const instructions = turn === 'confirm' ? (step.commands ?? []).map((command) => `Run: ${command}`) : step.details;
  for (const line of instructions) talk.say(safeLine(line));
  if (turn === 'confirm' && !(await isSure(talk, 'Is it done?'))) return;
  if (turn === 'agree' && !(await isSure(talk, 'Run it?'))) return;
  const typed = turn === 'type' ? await typeWord(talk, step.confirm ?? '') : '';
  const kind = turn === 'confirm' ? 'confirm' : 'start';
  if (typed !== undefined) await carryOut(work, { kind, plan: plan.id, step: step.id, state: step.state }, typed);
}

async function typeWord(talk: Talk, word: string): Promise<string | undefined> {
  return await answer(talk, safeLine(`This cannot be undone. Type "${word}" to run the step:`), (text) =>
    text === word ? { value: text } : { problem: `the answer must be "${word}"` },
  );
}

async function skip(work: Work): Promise<void> {
  const { plan, talk } = work;
  const step = currentStep(plan);
  if (step === undefined || !isOurs(work)) return;
  const reason = await answer(talk, `Skip ${stepText(plan, step)}. Reason?`, readText);
  const wish = { kind: 'skip', plan: plan.id, step: step.id, state: step.state } as const;
  if (reason !== undefined) await carryOut(work, wish, reason);
}

async function take(work: Work): Promise<void> {
  const { plan, talk } = work;
  const question = `${holderName(plan)} owns the plan. Take ownership?`;
  if (isOpenTo(plan, operatorOf(work)) || (await isSure(talk, question))) {
    await carryOut(work, { kind: 'take', plan: plan.id });
  }
}

async function end(work: Work, how: 'roll-back' | 'abandon'): Promise<void> {
  const { plan, talk } = work;
  if (!isOurs(work)) return;
  if (how === 'roll-back' && plan.backup === null) return talk.say('This plan has no backup to roll back to.');
  const what = how === 'abandon' ? 'Completed steps are not undone.' : 'The plan ends; restore its backup afterwards.';
  const reason = await answer(talk, `${what} Reason?`, readText);
  if (reason === undefined) return;
  const next = await carryOut(work, { kind: how, plan: plan.id }, reason);
  if (next?.state === 'rolled-back' && plan.backup !== null) {
    talk.say(`Stop the backend and run: ${restoreCommand(plan.backup)}`);
  }
}

/** Returns true if this console holds the plan, or nobody does: then the next action takes it. */
function isOurs(work: Work): boolean {
  const isOpen = isOpenTo(work.plan, operatorOf(work));
  if (!isOpen) sayHeld(work.talk, work.plan);
  return isOpen;
}

function sayHeld(talk: Talk, plan: PlanRun): void {
  talk.say(`${holderName(plan)} owns the plan. Type "upgrade take" to take ownership.`);
}

function operatorOf({ session, state }: Work): Operator {
  return { session, nowMs: state.nowMs };
}

/**
 * Sends a change after reading the plan again, because the answer may have taken long.
 *
 * @returns the plan afterwards
 */
async function carryOut(work: Work, wish: PlanWish, typed = ''): Promise<PlanRun | undefined> {
  const { client, talk } = work;
  const outcome = ordersFor(await client.plan(wish.plan), wish, typed, operatorOf(work));
  if (outcome.kind !== 'orders') {
    if (outcome.kind === 'held') sayHeld(talk, outcome.plan);
    else talk.say('The plan has changed meanwhile: nothing was done.');
    return undefined;
  }
  const orders = [...outcome.orders];
  const last = orders.pop();
  for (const order of orders) await client.order(wish.plan, order);
  if (last === undefined) return undefined;
  const next = await client.order(wish.plan, last);
  talk.say(`${toldOf(last, next, '"upgrade run"')}.`);
  if (currentStep(next)?.state === 'running') talk.say('Type "upgrade" to check the outcome of the step.');
  return next;
}

function readText(text: string): { readonly value: string } | { readonly problem: string } {
  return text === '' ? { problem: 'enter a value' } : { value: text };
}
