import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { buildOrders } from '../../../shared/domain/plan/operator.ts';
import { parsePath, versionText } from '../../../shared/domain/plan/version.ts';
import type { Effect } from '../../state/effects.ts';
import { backendMs } from '../../model/feed-status.ts';
import { shownPlan } from './plan.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { PlanRequest } from '../../state/layers/plans.ts';
import { stepText, holderName } from '../../words/plan-text.ts';

export type PlanRequestCheck =
  | { readonly kind: 'effect'; readonly effect: Effect }
  /** A problem that the user can fix in a text field of the dialog. */
  | { readonly kind: 'problem'; readonly text: string }
  /** The reason why the change is no longer possible, for example because the plan has ended. */
  | { readonly kind: 'gone'; readonly text: string };

/**
 * Returns the request for a change to an upgrade plan, or why the change is not possible.
 *
 * @param texts the texts of the dialog's fields: the current and the new version, the confirmation, or the reason
 */
export function checkPlanRequest(
  store: ScreenView & Pick<LiveData, 'plans' | 'feed'>,
  wish: PlanRequest,
  texts: readonly string[],
): PlanRequestCheck {
  if (wish.kind === 'new') return newPlan(texts);
  const { session, now } = store.options;
  const outcome = buildOrders(shownPlan(store), wish, texts[0] ?? '', { session, nowMs: backendMs(store.feed, now()) });
  switch (outcome.kind) {
    case 'orders':
      return { kind: 'effect', effect: { kind: 'order-plan', id: wish.plan, orders: outcome.orders } };
    case 'reason':
      return { kind: 'problem', text: 'a reason is required' };
    case 'word':
      return { kind: 'problem', text: `type "${safeLine(outcome.word)}" exactly to confirm; Esc cancels` };
    case 'over':
      return { kind: 'gone', text: `plan #${String(wish.plan)} is closed: your command was not run` };
    case 'held':
      return { kind: 'gone', text: `${holderName(outcome.plan)} owns the plan: your command was not run` };
    case 'moved': {
      const to = outcome.to === undefined ? 'its end' : stepText(outcome.plan, outcome.to);
      return { kind: 'gone', text: `the upgrade plan is now at ${to}: your command was not run` };
    }
  }
}

function newPlan([from = '', to = '']: readonly string[]): PlanRequestCheck {
  const path = parsePath(from, to);
  if ('problem' in path) return { kind: 'problem', text: safeLine(path.problem) };
  return { kind: 'effect', effect: { kind: 'new-plan', from: versionText(path.from), to: versionText(path.to) } };
}
