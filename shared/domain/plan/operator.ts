import type { PlanOrder, PlanRun, PlanRunStep } from '../../schemas/plan-run.ts';
import { currentStep, isFree } from './run.ts';

/** What an operator wants done about a plan. It names what it is about, whatever has happened since. */
export type PlanWish =
  | { readonly kind: 'take' | 'release'; readonly plan: number }
  | { readonly kind: 'roll-back' | 'abandon'; readonly plan: number }
  | {
      readonly kind: 'start' | 'confirm' | 'skip';
      readonly plan: number;
      readonly step: string;
      /** As it was when the operator was asked. */
      readonly state: PlanRunStep['state'];
    };

/** What a wish comes to, now. */
export type WishOutcome =
  /** To be sent one after the other. */
  | { readonly kind: 'orders'; readonly orders: readonly [...PlanOrder[], PlanOrder] }
  /** A reason has to be typed. */
  | { readonly kind: 'reason' }
  /** It cannot be undone: exactly this has to be typed. */
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'over' }
  | { readonly kind: 'held'; readonly plan: PlanRun }
  /** It is the turn of another step, or of none. */
  | { readonly kind: 'moved'; readonly plan: PlanRun; readonly to: PlanRunStep | undefined };

/** Who wants it, and when (epoch milliseconds). */
export interface Operator {
  readonly session: string;
  readonly nowMs: number;
}

/**
 * What goes on with a step: `wait` for its end, say that it is done (`confirm`), type a word (`type`) or agree (`agree`)
 * before it runs, or `start` it at once, because it only looks, or tells what to do.
 */
export function turnOf({ state, kind, confirm }: PlanRunStep): 'wait' | 'confirm' | 'type' | 'agree' | 'start' {
  if (state === 'running') return 'wait';
  if (state === 'confirm') return 'confirm';
  if (confirm !== undefined) return 'type';
  return kind === 'action' ? 'agree' : 'start';
}

/** Whether the operator of this session works on the plan. */
export function isHeldBy(plan: PlanRun | undefined, session: string): boolean {
  return plan?.state === 'open' && plan.holder?.session === session;
}

/** Whether the operator may go on with the plan: holds it, or nobody does. */
export function isOpenTo(plan: PlanRun, { session, nowMs }: Operator): boolean {
  return isHeldBy(plan, session) || isFree(plan, nowMs);
}

/**
 * The orders that carry out a wish, or what is in the way.
 *
 * @param plan as it is now; `undefined`: it is not known
 * @param typed the reason, or what confirms
 */
export function ordersFor(plan: PlanRun | undefined, wish: PlanWish, typed: string, operator: Operator): WishOutcome {
  if (plan?.id !== wish.plan || plan.state !== 'open') return { kind: 'over' };
  const { session } = operator;
  const isOpen = isOpenTo(plan, operator);
  if (wish.kind === 'take') return { kind: 'orders', orders: [{ order: 'take', session, force: !isOpen }] };
  if (!isOpen) return { kind: 'held', plan };
  const wanted = 'step' in wish ? orderOnStep(plan, wish, typed, session) : orderOnPlan(wish.kind, typed, session);
  if ('kind' in wanted) return wanted;
  // Nobody works on it: whoever does something becomes the holder.
  const first: PlanOrder[] = isHeldBy(plan, session) ? [] : [{ order: 'take', session, force: false }];
  return { kind: 'orders', orders: [...first, wanted] };
}

function orderOnPlan(
  kind: 'release' | 'roll-back' | 'abandon',
  reason: string,
  session: string,
): PlanOrder | WishOutcome {
  if (kind === 'release') return { order: kind, session };
  return reason === '' ? { kind: 'reason' } : { order: kind, session, reason };
}

function orderOnStep(
  plan: PlanRun,
  wish: Extract<PlanWish, { readonly step: string }>,
  typed: string,
  session: string,
): PlanOrder | WishOutcome {
  const step = currentStep(plan);
  if (step?.id !== wish.step || step.state !== wish.state) return { kind: 'moved', plan, to: step };
  const about = { session, step: step.id };
  if (wish.kind === 'skip') return typed === '' ? { kind: 'reason' } : { order: 'skip', ...about, reason: typed };
  if (wish.kind === 'confirm') return { order: 'confirm', ...about };
  if (step.confirm === undefined) return { order: 'start', ...about };
  return typed === step.confirm ? { order: 'start', ...about, typed } : { kind: 'word', word: step.confirm };
}
