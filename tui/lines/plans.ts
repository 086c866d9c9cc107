import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { currentStep, isFree } from '../../shared/domain/plan/run.ts';
import { parsePath, versionText } from '../../shared/domain/plan/version.ts';
import type { PlanRun, PlanOrder, PlanRunStep } from '../../shared/schemas/plan-run.ts';
import { nearest } from '../../shared/domain/nearest.ts';
import type { LinesState } from './state.ts';
import { answer, isSure, mayChange } from './questions.ts';
import type { Talk } from './talk.ts';
import { holderName, stepText, restoreCommand, toldOf } from '../words/plan-text.ts';

/** What can be said after `upgrade`, with what it does. */
const VERBS: Readonly<Record<string, (work: Work) => Promise<void>>> = {
  run,
  skip,
  take,
  release: (work) => order(work, { order: 'release', session: work.session }),
  'roll-back': (work) => end(work, 'roll-back'),
  abandon: (work) => end(work, 'abandon'),
};

export const UPGRADE_WORDS = 'upgrade [new | run | skip | take | release | roll-back | abandon]';

interface Work {
  readonly state: LinesState;
  readonly talk: Talk;
  readonly client: UpgradeClient;
  readonly session: string;
  /** As it is now, and open. */
  readonly plan: PlanRun;
}

/** Reads the plan for an upgrade, or does something about it, each after its questions. */
export async function talkOfUpgrade(state: LinesState, talk: Talk, rest: string): Promise<void> {
  const client = await state.about.upgrades();
  const [newest] = await client.plans();
  const plan = newest && (await client.plan(newest.id));
  if (rest === '') return plan === undefined ? talk.say(NO_PLAN) : readPlan(plan, talk);
  if (rest === 'new') return makePlan(state, talk, client);
  const act = VERBS[rest];
  if (act === undefined) {
    const near = nearest(rest, ['new', ...Object.keys(VERBS)]);
    return talk.say(safeLine(`There is no upgrade ${rest}.${near === undefined ? '' : ` Did you mean ${near}?`}`));
  }
  if (plan === undefined) return talk.say(NO_PLAN);
  if (plan.state !== 'open') return talk.say(`Plan ${String(plan.id)} is over: ${plan.state}.`);
  if (!mayChange(state, talk)) return;
  await act({ state, talk, client, session: state.about.session, plan });
}

const NO_PLAN = 'There is no plan for an upgrade. Type upgrade new to make one.';

function readPlan(plan: PlanRun, talk: Talk): void {
  const { id, from, to, state, findings, steps, backup } = plan;
  talk.say(safeLine(`Plan ${String(id)} from ${from} to ${to}: ${state}. Held by ${holderName(plan)}.`));
  for (const { title, verdict, evidence } of findings.filter((finding) => finding.verdict !== 'pass')) {
    talk.say(safeLine(`${verdict}: ${title}: ${evidence.join('; ')}.`));
  }
  const current = state === 'open' ? currentStep(plan) : undefined;
  for (const step of steps) talk.say(stepSentence(plan, step, step === current));
  if (state === 'rolled-back' && backup !== null) talk.say(`Stop the backend and run: ${restoreCommand(backup)}`);
}

function stepSentence(plan: PlanRun, step: PlanRunStep, isNext: boolean): string {
  const what = isNext && step.state === 'waiting' ? 'next' : step.state;
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
  talk.say('Type upgrade run to run its first step.');
}

/** Runs the step whose turn it is, or asks whether it is done. */
async function run(work: Work): Promise<void> {
  const { plan, talk, session } = work;
  const step = currentStep(plan);
  if (step === undefined || !isOurs(work)) return;
  if (step.state === 'running') return talk.say(`${stepText(plan, step)}: it runs. Type upgrade to hear of it.`);
  talk.say(`${stepText(plan, step)}.`);
  if (step.state === 'confirm') {
    for (const command of step.commands ?? []) talk.say(safeLine(`Run: ${command}`));
    if (!(await isSure(talk, 'Is it done?'))) return;
    return orderStep(work, step, { order: 'confirm', session, step: step.id });
  }
  for (const line of step.details) talk.say(safeLine(line));
  const { confirm } = step;
  if (confirm === undefined) {
    if (step.kind === 'action' && !(await isSure(talk, 'Run it?'))) return;
    return orderStep(work, step, { order: 'start', session, step: step.id });
  }
  const typed = await answer(talk, safeLine(`It cannot be undone. Type ${confirm} to run it:`), (text) =>
    text === confirm ? { value: text } : { problem: `that is not ${confirm}` },
  );
  if (typed !== undefined) await orderStep(work, step, { order: 'start', session, step: step.id, typed });
}

async function skip(work: Work): Promise<void> {
  const { plan, talk, session } = work;
  const step = currentStep(plan);
  if (step === undefined || !isOurs(work)) return;
  const reason = await answer(talk, `Skip ${stepText(plan, step)}. Reason?`, readText);
  if (reason !== undefined) await orderStep(work, step, { order: 'skip', session, step: step.id, reason });
}

async function take({ plan, talk, client, session, state }: Work): Promise<void> {
  const isHeld = plan.holder?.session !== session && !isFree(plan, state.nowMs);
  if (isHeld && !(await isSure(talk, `${holderName(plan)} holds the plan. Take it?`))) return;
  await order({ plan, talk, client, session, state }, { order: 'take', session, force: isHeld });
}

async function end(work: Work, how: 'roll-back' | 'abandon'): Promise<void> {
  const { plan, talk, session } = work;
  if (!isOurs(work)) return;
  if (how === 'roll-back' && plan.backup === null) return talk.say('There is no backup of this plan to go back to.');
  const what =
    how === 'abandon' ? 'Nothing that was done is undone.' : 'The plan ends, and its backup is to be restored.';
  const reason = await answer(talk, `${what} Reason?`, readText);
  if (reason === undefined) return;
  await order(work, { order: how, session, reason });
  if (plan.backup !== null && how === 'roll-back') talk.say(`Stop the backend and run: ${restoreCommand(plan.backup)}`);
}

/** Held here, or by nobody: then whoever does something becomes the holder. */
function isOurs({ plan, session, talk, state }: Work): boolean {
  const isOwn = plan.holder?.session === session || isFree(plan, state.nowMs);
  if (!isOwn) talk.say(`${holderName(plan)} holds the plan. Type upgrade take to take it.`);
  return isOwn;
}

/** The answer may have taken long: a step that is not as it was told is left alone. */
async function orderStep(work: Work, { id, state }: PlanRunStep, wanted: PlanOrder): Promise<void> {
  const now = await work.client.plan(work.plan.id);
  const step = now && currentStep(now);
  if (step?.id !== id || step.state !== state) return work.talk.say('The plan has moved on: nothing was done.');
  await order(work, wanted);
}

async function order({ plan, talk, client, session }: Work, wanted: PlanOrder): Promise<void> {
  if (plan.holder?.session !== session && wanted.order !== 'take') {
    await client.order(plan.id, { order: 'take', session, force: false });
  }
  const next = await client.order(plan.id, wanted);
  talk.say(`${toldOf(wanted, next, 'upgrade run confirms')}.`);
  if (currentStep(next)?.state === 'running') talk.say('Type upgrade to hear what came of it.');
}

function readText(text: string): { readonly value: string } | { readonly problem: string } {
  return text === '' ? { problem: 'something has to be typed' } : { value: text };
}
