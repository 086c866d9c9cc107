import type { PlanRun, PlanRunLogLine, PlanOrder, PlanRunStep } from '../../schemas/plan-run.ts';
import type { Finding, StepAction, UpgradePlan } from '../../schemas/plan.ts';
import { worstOf } from './rule.ts';

/** Maximum number of lines in the log of a plan; the oldest are dropped. */
const LOG_LINES_MAX = 500;
/** Time after which the owner of a plan counts as gone if nothing was heard of them; then anybody can take it over. */
export const HOLDER_GONE_MS = 120_000;

/** Creates the run of an upgrade plan: its stored progress, with all steps pending. */
export function newPlanRun(
  plan: UpgradePlan,
  details: { readonly id: number; readonly who: string; readonly nowMs: number; readonly entities: number | null },
): PlanRun {
  const { id, who, nowMs, entities } = details;
  return {
    id,
    revision: 1,
    from: plan.from,
    to: plan.to,
    created_at: nowMs,
    created_by: who,
    state: 'open',
    holder: null,
    verdict: plan.verdict,
    findings: plan.findings,
    steps: plan.steps.map((step) => ({ ...step, state: 'pending', started_at: null, ended_at: null, note: '' })),
    backup: null,
    entities,
    log: [{ at: nowMs, step: null, text: `plan from ${plan.from} to ${plan.to}, created by ${who}` }],
  };
}

/** The result of an operator's order on a plan: the changed plan, or the reason why the order is rejected. */
export type OrderOutcome =
  | { readonly kind: 'ok'; readonly plan: PlanRun }
  | { readonly kind: 'refused'; readonly code: 'invalid' | 'conflict' | 'not_found'; readonly reason: string };

/** Returns the first step that is neither done nor skipped; undefined if there is none. */
export function currentStep({ steps }: Pick<PlanRun, 'steps'>): PlanRunStep | undefined {
  return steps.find(({ state }) => state !== 'done' && state !== 'skipped');
}

/** Whether the plan has no owner, or its owner was not seen for `HOLDER_GONE_MS`. */
export function hasNoActiveOwner({ holder }: Pick<PlanRun, 'holder'>, nowMs: number): boolean {
  return holder === null || nowMs - holder.last_seen >= HOLDER_GONE_MS;
}

/**
 * Executes an operator's order and returns the changed plan. If the backend must then run the step or verify a manual
 * step, the step has the state `running` until `finishStep` is called.
 */
export function executeOrder(plan: PlanRun, order: PlanOrder, who: string, nowMs: number): OrderOutcome {
  if (plan.state !== 'open') return refusedOutcome('conflict', `the plan is closed: ${plan.state}`);
  if (order.order === 'take') return takePlan(plan, order, who, nowMs);
  if (plan.holder?.session !== order.session) {
    const { holder } = plan;
    return refusedOutcome(
      'conflict',
      holder === null ? 'take ownership of the plan first' : `${holder.who} owns the plan: take ownership first`,
    );
  }
  const renewedRun = { ...plan, holder: { ...plan.holder, last_seen: nowMs } };
  switch (order.order) {
    case 'release':
      return okOutcome(addLogLine({ ...plan, holder: null }, nowMs, null, `released by ${who}`));
    case 'roll-back':
      return rollBack(renewedRun, order.reason, who, nowMs);
    case 'abandon':
      return abandonPlan(renewedRun, order.reason, who, nowMs);
    default:
      return executeStepOrder(renewedRun, order, who, nowMs);
  }
}

function takePlan(
  plan: PlanRun,
  { session, force }: Extract<PlanOrder, { readonly order: 'take' }>,
  who: string,
  nowMs: number,
): OrderOutcome {
  const { holder } = plan;
  if (holder?.session === session) return okOutcome({ ...plan, holder: { ...holder, last_seen: nowMs } });
  if (holder !== null && !hasNoActiveOwner(plan, nowMs) && !force)
    return refusedOutcome('conflict', `${holder.who} owns the plan`);
  const text = holder === null ? `owned by ${who}` : `taken over by ${who} from ${holder.who}`;
  return okOutcome(
    addLogLine({ ...plan, holder: { who, session, since: nowMs, last_seen: nowMs } }, nowMs, null, text),
  );
}

function executeStepOrder(
  plan: PlanRun,
  order: Extract<PlanOrder, { readonly step: string }>,
  who: string,
  nowMs: number,
): OrderOutcome {
  const step = plan.steps.find(({ id }) => id === order.step);
  if (step === undefined) return refusedOutcome('not_found', `the plan has no step ${order.step}`);
  const current = currentStep(plan);
  if (step !== current) return refusedOutcome('conflict', `the next step is ${current?.id ?? 'none'}`);
  switch (order.order) {
    case 'start':
      return startStep(plan, step, order.typed, who, nowMs);
    case 'confirm':
      return confirmStep(plan, step, who, nowMs);
    default:
      return skipStep(plan, step, order.reason, who, nowMs);
  }
}

function startStep(
  plan: PlanRun,
  step: PlanRunStep,
  typed: string | undefined,
  who: string,
  nowMs: number,
): OrderOutcome {
  if (step.state === 'running') return refusedOutcome('conflict', `${step.id} is running`);
  if (step.confirm !== undefined && typed !== step.confirm) {
    return refusedOutcome('invalid', `${step.id} cannot be undone: type ${step.confirm} to run it`);
  }
  const state = step.kind === 'manual' ? 'confirm' : 'running';
  const next = replaceStep(plan, { ...step, state, started_at: nowMs, ended_at: null, note: '' });
  return okOutcome(addLogLine(next, nowMs, step.id, `started by ${who}`));
}

function confirmStep(plan: PlanRun, step: PlanRunStep, who: string, nowMs: number): OrderOutcome {
  if (step.state !== 'confirm')
    return refusedOutcome('conflict', `${step.id} is not waiting for confirmation: start it first`);
  const next = addLogLine(plan, nowMs, step.id, `confirmed by ${who}`);
  // If the step has a check, the backend verifies it, because a confirmation alone proves nothing.
  if (step.check !== undefined) return okOutcome(replaceStep(next, { ...step, state: 'running' }));
  return okOutcome(
    endIfNoStepIsLeft(
      replaceStep(next, { ...step, state: 'done', ended_at: nowMs, note: `confirmed by ${who}` }),
      nowMs,
    ),
  );
}

function skipStep(plan: PlanRun, step: PlanRunStep, reason: string, who: string, nowMs: number): OrderOutcome {
  if (step.state === 'running') return refusedOutcome('conflict', `${step.id} is running`);
  if (step.action === 'migrate')
    return refusedOutcome('invalid', 'the upgrade itself cannot be skipped: abandon the plan instead');
  const next = replaceStep(plan, { ...step, state: 'skipped', ended_at: nowMs, note: reason });
  return okOutcome(endIfNoStepIsLeft(addLogLine(next, nowMs, step.id, `skipped by ${who}: ${reason}`), nowMs));
}

function rollBack(plan: PlanRun, reason: string, who: string, nowMs: number): OrderOutcome {
  if (plan.backup === null) return refusedOutcome('conflict', 'the plan has no backup to roll back to');
  if (currentStep(plan)?.state === 'running')
    return refusedOutcome('conflict', 'wait until the running step has finished');
  const text = `rolled back to ${plan.backup} by ${who}: ${reason}`;
  return okOutcome(addLogLine({ ...plan, state: 'rolled-back', holder: null }, nowMs, null, text));
}

function abandonPlan(plan: PlanRun, reason: string, who: string, nowMs: number): OrderOutcome {
  if (currentStep(plan)?.state === 'running')
    return refusedOutcome('conflict', 'wait until the running step has finished');
  return okOutcome(
    addLogLine({ ...plan, state: 'abandoned', holder: null }, nowMs, null, `abandoned by ${who}: ${reason}`),
  );
}

/** The outcome of a step that ran. */
export interface StepOutcome {
  readonly isDone: boolean;
  /** The result of the step as one line of text for operators. */
  readonly note: string;
  /** Path of the backup that the step created. */
  readonly backup?: string;
  /** Findings of the upgrade rules, if the step evaluated them. */
  readonly findings?: readonly Finding[];
}

/** Records the outcome of a step that ran. Returns the plan unchanged if the step is no longer running. */
export function finishStep(plan: PlanRun, id: string, outcome: StepOutcome, nowMs: number): PlanRun {
  const step = plan.steps.find((one) => one.id === id);
  if (step?.state !== 'running') return plan;
  const { isDone, note, backup, findings } = outcome;
  // If the check of a confirmed manual step fails, the step waits for a confirmation again.
  const state = isDone ? 'done' : step.kind === 'manual' ? 'confirm' : 'failed';
  const next = {
    ...replaceStep(plan, { ...step, state, ended_at: isDone ? nowMs : null, note }),
    ...(backup === undefined ? {} : { backup }),
    ...(findings === undefined ? {} : { findings, verdict: worstOf(findings.map(({ verdict }) => verdict)) }),
  };
  return endIfNoStepIsLeft(addLogLine(next, nowMs, id, isDone ? note : `not done: ${note}`), nowMs);
}

/** Adds a line about the progress of a step to the log of the plan. */
export function logProgress(plan: PlanRun, step: string, text: string, nowMs: number): PlanRun {
  return addLogLine(plan, nowMs, step, text);
}

/**
 * Ends a step that was running when the backend restarted, so that it can be started again. Its state becomes `failed`,
 * or `confirm` if it is a manual step (completion 1.18).
 */
export function endInterruptedStep(plan: PlanRun, nowMs: number): PlanRun {
  const step = plan.steps.find(({ state }) => state === 'running');
  if (plan.state !== 'open' || step === undefined) return plan;
  return finishStep(
    plan,
    step.id,
    { isDone: false, note: 'the backend was restarted meanwhile: start it again' },
    nowMs,
  );
}

/**
 * Whether the backend must reject results: after the step `drain` is done, until the step `resume` is done or skipped.
 * This follows from the stored plan, so it survives a restart, and it ends when the plan is abandoned.
 */
export function isDraining({ state, steps }: Pick<PlanRun, 'state' | 'steps'>): boolean {
  if (state !== 'open') return false;
  const stateOf = (action: StepAction): string | undefined => steps.find((step) => step.action === action)?.state;
  const resumed = stateOf('resume');
  return stateOf('drain') === 'done' && resumed !== 'done' && resumed !== 'skipped';
}

function endIfNoStepIsLeft(plan: PlanRun, nowMs: number): PlanRun {
  if (currentStep(plan) !== undefined) return plan;
  return addLogLine({ ...plan, state: 'done', holder: null }, nowMs, null, `upgraded to ${plan.to}`);
}

function replaceStep(plan: PlanRun, step: PlanRunStep): PlanRun {
  return { ...plan, steps: plan.steps.map((one) => (one.id === step.id ? step : one)) };
}

function addLogLine(plan: PlanRun, at: number, step: string | null, text: string): PlanRun {
  const line: PlanRunLogLine = { at, step, text };
  return { ...plan, log: [...plan.log.slice(1 - LOG_LINES_MAX), line] };
}

function okOutcome(plan: PlanRun): OrderOutcome {
  return { kind: 'ok', plan };
}

function refusedOutcome(code: 'invalid' | 'conflict' | 'not_found', reason: string): OrderOutcome {
  return { kind: 'refused', code, reason };
}
