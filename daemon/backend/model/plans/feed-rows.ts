import { currentStep } from '../../../../shared/domain/plan/run.ts';
import type { UpgradeRow } from '../../../../shared/schemas/feed.ts';
import type { PlanRun } from '../../../../shared/schemas/plan-run.ts';
import type { Topic } from '../tables/feed-topic.ts';
import { plansOf } from './state.ts';

export function upgradeRow(plan: PlanRun): UpgradeRow {
  const { id, revision, from, to, state, verdict, holder, steps } = plan;
  const step = currentStep(plan);
  return {
    id,
    revision,
    from,
    to,
    state,
    verdict,
    holder: holder?.who ?? null,
    step:
      step === undefined
        ? null
        : { number: steps.indexOf(step) + 1, total: steps.length, title: step.title, state: step.state },
  };
}

/** The feed topic of upgrade plans, which belong to no namespace. */
export const PLAN_TOPIC: Topic = {
  name: 'upgrades',
  *rows({ registry, reach }) {
    if (!reach.seesPlans) return;
    for (const { plan } of plansOf(registry).all()) yield [String(plan.id), upgradeRow(plan)];
  },
  *changed({ registry, reach }, changes) {
    if (!reach.seesPlans) return;
    const all = [...changes.values()].flat();
    for (const id of new Set(all.flatMap((change) => (change[0] === 'upgrade' ? change[2] : [])))) {
      const stored = plansOf(registry).get(id);
      yield [String(id), stored === undefined ? null : upgradeRow(stored.plan)];
    }
  },
};
