import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { currentStep, isFree } from '../../../shared/domain/plan/run.ts';
import { parsePath, versionText } from '../../../shared/domain/plan/version.ts';
import type { PlanRun, PlanOrder } from '../../../shared/schemas/plan-run.ts';
import type { Effect } from '../../state/effects.ts';
import { isHeldBy } from '../../model/plans.ts';
import { shownPlan } from './plan.ts';
import type { Opened } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import type { UpgradeWish } from '../../state/layers/plans.ts';
import { stepText, holderName } from '../../words/plan-text.ts';

export type WishOutcome =
  | { readonly kind: 'effect'; readonly effect: Effect }
  /** It can be mended where it was typed. */
  | { readonly kind: 'problem'; readonly text: string }
  /** What it is about is over. */
  | { readonly kind: 'gone'; readonly text: string };

/** @param texts what was typed: the versions, what confirms, or the reason */
export function wishOutcome(
  store: Opened & Pick<Known, 'plans'>,
  wish: UpgradeWish,
  texts: readonly string[],
): WishOutcome {
  if (wish.kind === 'new') return newPlan(texts);
  const plan = shownPlan(store);
  if (plan?.id !== wish.plan || plan.state !== 'open')
    return gone(`plan #${String(wish.plan)} is over: nothing was done`);
  const [typed = ''] = texts;
  const { session, now } = store.options;
  if (wish.kind === 'take') return orders(plan, [{ order: 'take', session, force: true }]);
  if (!isHeldBy(plan, store.options.session) && !isFree(plan, now()))
    return gone(`${holderName(plan)} holds the plan now: nothing was done`);
  // Nobody works on it: whoever does something becomes the holder.
  const first: readonly PlanOrder[] = isHeldBy(plan, store.options.session)
    ? []
    : [{ order: 'take', session, force: false }];
  if (!('step' in wish)) {
    if (typed === '') return NO_REASON;
    return orders(plan, [...first, { order: wish.kind, session, reason: typed }]);
  }
  const step = currentStep(plan);
  if (step?.id !== wish.step || step.state !== wish.state) {
    return gone(`the plan has moved on to ${step === undefined ? 'its end' : stepText(plan, step)}: nothing was done`);
  }
  switch (wish.kind) {
    case 'skip':
      if (typed === '') return NO_REASON;
      return orders(plan, [...first, { order: 'skip', session, step: step.id, reason: typed }]);
    case 'confirm':
      return orders(plan, [...first, { order: 'confirm', session, step: step.id }]);
    default: {
      if (step.confirm !== undefined && typed !== step.confirm) {
        return { kind: 'problem', text: `type ${safeLine(step.confirm)} exactly, Esc leaves` };
      }
      const confirmed = step.confirm === undefined ? {} : { typed };
      return orders(plan, [...first, { order: 'start', session, step: step.id, ...confirmed }]);
    }
  }
}

const NO_REASON: WishOutcome = { kind: 'problem', text: 'a reason is required' };

function newPlan([from = '', to = '']: readonly string[]): WishOutcome {
  const path = parsePath(from, to);
  if ('problem' in path) return { kind: 'problem', text: safeLine(path.problem) };
  return { kind: 'effect', effect: { kind: 'new-plan', from: versionText(path.from), to: versionText(path.to) } };
}

function orders({ id }: PlanRun, list: readonly PlanOrder[]): WishOutcome {
  return { kind: 'effect', effect: { kind: 'order-plan', id, orders: list } };
}

function gone(text: string): WishOutcome {
  return { kind: 'gone', text };
}
