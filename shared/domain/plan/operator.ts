import type { PlanOrder, PlanRun, PlanRunStep } from '../../schemas/plan-run.ts';
import { currentStep, hasNoActiveOwner } from './run.ts';

/**
 * An operation on an upgrade plan that an operator requests. It names the plan and step that the operator saw, so that
 * it is rejected if the plan has changed since.
 */
export type PlanOperation =
  | { readonly kind: 'take' | 'release'; readonly plan: number }
  | { readonly kind: 'roll-back' | 'abandon'; readonly plan: number }
  | {
      readonly kind: 'start' | 'confirm' | 'skip';
      readonly plan: number;
      readonly step: string;
      /** The state of the step that the operator saw. */
      readonly state: PlanRunStep['state'];
    };

/** The result of an operation on an upgrade plan. */
export type PlanOperationOutcome =
  /** The operation is possible: send these orders in sequence. */
  | { readonly kind: 'orders'; readonly orders: readonly [...PlanOrder[], PlanOrder] }
  /** The operator must give a reason. */
  | { readonly kind: 'reason' }
  /** The step cannot be undone: to run it, the operator must type exactly this word. */
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'over' }
  | { readonly kind: 'held'; readonly plan: PlanRun }
  /**
   * The current step is no longer the one that the operator saw, or its state has changed. `to` is the current step;
   * undefined if there is none.
   */
  | { readonly kind: 'moved'; readonly plan: PlanRun; readonly to: PlanRunStep | undefined };

/** The session of an operator, and the current time in epoch milliseconds. */
export interface OperatorSession {
  readonly session: string;
  readonly nowMs: number;
}

/**
 * Returns what an operator has to do for the current step: `wait` for its end, or `confirm` that a manual step is done.
 * To run the step, the operator must `type` a word, `agree`, or just `start` it. A step with `start` is harmless: it
 * only reads or shows instructions.
 */
export function nextInteraction({
  state,
  kind,
  confirm,
}: PlanRunStep): 'wait' | 'confirm' | 'type' | 'agree' | 'start' {
  if (state === 'running') return 'wait';
  if (state === 'confirm') return 'confirm';
  if (confirm !== undefined) return 'type';
  return kind === 'action' ? 'agree' : 'start';
}

/** Whether the operator of this session owns the open plan; only its owner can execute steps. */
export function isOwnedBy(plan: PlanRun | undefined, session: string): boolean {
  return plan?.state === 'open' && plan.holder?.session === session;
}

/** Whether an operator is allowed to execute the plan: they own it, it has no owner, or its owner is gone. */
export function isOpenTo(plan: PlanRun, { session, nowMs }: OperatorSession): boolean {
  return isOwnedBy(plan, session) || hasNoActiveOwner(plan, nowMs);
}

/**
 * Returns the orders to the backend that execute an operation, or the reason why they cannot be sent.
 *
 * @param plan the current plan; undefined if it is unknown
 * @param typed the text that the operator typed: a reason, or the word that confirms a step
 */
export function buildOrders(
  plan: PlanRun | undefined,
  wish: PlanOperation,
  typed: string,
  operator: OperatorSession,
): PlanOperationOutcome {
  if (plan?.id !== wish.plan || plan.state !== 'open') return { kind: 'over' };
  const { session } = operator;
  const isOpen = isOpenTo(plan, operator);
  if (wish.kind === 'take') return { kind: 'orders', orders: [{ order: 'take', session, force: !isOpen }] };
  if (!isOpen) return { kind: 'held', plan };
  const orderOrOutcome =
    'step' in wish ? orderOnStep(plan, wish, typed, session) : orderOnPlan(wish.kind, typed, session);
  if ('kind' in orderOrOutcome) return orderOrOutcome;
  // If the plan has no owner, the operator becomes its owner.
  const first: PlanOrder[] = isOwnedBy(plan, session) ? [] : [{ order: 'take', session, force: false }];
  return { kind: 'orders', orders: [...first, orderOrOutcome] };
}

function orderOnPlan(
  kind: 'release' | 'roll-back' | 'abandon',
  reason: string,
  session: string,
): PlanOrder | PlanOperationOutcome {
  if (kind === 'release') return { order: kind, session };
  return reason === '' ? { kind: 'reason' } : { order: kind, session, reason };
}

function orderOnStep(
  plan: PlanRun,
  wish: Extract<PlanOperation, { readonly step: string }>,
  typed: string,
  session: string,
): PlanOrder | PlanOperationOutcome {
  const step = currentStep(plan);
  if (step?.id !== wish.step || step.state !== wish.state) return { kind: 'moved', plan, to: step };
  const target = { session, step: step.id };
  if (wish.kind === 'skip') return typed === '' ? { kind: 'reason' } : { order: 'skip', ...target, reason: typed };
  if (wish.kind === 'confirm') return { order: 'confirm', ...target };
  if (step.confirm === undefined) return { order: 'start', ...target };
  return typed === step.confirm ? { order: 'start', ...target, typed } : { kind: 'word', word: step.confirm };
}
