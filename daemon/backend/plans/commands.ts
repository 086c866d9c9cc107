import {
  endInterruptedStep,
  executeOrder,
  finishStep,
  newPlanRun,
  logProgress,
  type StepOutcome,
} from '../../../shared/domain/plan/run.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { PlanRun, PlanOrder, OperatorFacts } from '../../../shared/schemas/plan-run.ts';
import type { UpgradePlan } from '../../../shared/schemas/plan.ts';
import { plansOf, type StoredPlan } from '../model/plans/state.ts';
import { recordAudit } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { PLANS } from '../model/plans/storage.ts';

/** Maximum number of stored plans. When a plan is created, the oldest plans above this number are deleted. */
const PLANS_MAX = 50;

/** Creates upgrade plans and stores their progress. `PlanRunner` runs the steps. */
export class Plans {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Creates an upgrade plan.
   *
   * @param details `facts`: values that the operator enters for the upgrade rules; `entities`: the number of entities
   *   before the upgrade, or null if it is unknown
   * @throws MonError `conflict` if another plan is open; `unavailable` if the change cannot be committed
   */
  create(
    plan: UpgradePlan,
    details: { readonly facts: OperatorFacts; readonly entities: number | null },
    actor: Actor,
  ): Promise<PlanRun> {
    return this.#batcher.run((transaction) => {
      const plans = plansOf(transaction.registry);
      const { open } = plans;
      if (open !== undefined) {
        const { id, from, to } = open.plan;
        throw new MonError(
          'conflict',
          `the upgrade plan ${String(id)} from ${from} to ${to} is open: finish or abandon it before you create another plan`,
        );
      }
      transaction.refuseNew(undefined);
      const kept = plans.all();
      const id = (kept[0]?.plan.id ?? 0) + 1;
      for (const oldest of kept.slice(PLANS_MAX - 1)) transaction.remove(PLANS, plans, oldest.plan.id);
      const { facts, entities } = details;
      const made = newPlanRun(plan, { id, who: actor.who, nowMs: transaction.nowMs, entities });
      const { from, to, verdict } = made;
      recordAudit(transaction, actor, { action: 'upgrade.create', target: targetOf(id), after: { from, to, verdict } });
      return savePlan(transaction, { plan: made, facts }).plan;
    });
  }

  /**
   * Applies an operator's order, such as `start` or `confirm`, to a plan. If the backend must now run a step, or the
   * check of a manual step, the state of that step becomes `running`.
   *
   * @throws MonError `not_found`, `conflict` or `invalid` if the order is rejected; `unavailable` if it cannot be
   *   committed
   */
  order(id: number, order: PlanOrder, actor: Actor): Promise<StoredPlan> {
    return this.#batcher.run((transaction) => {
      const stored = storedOf(transaction, id);
      const outcome = executeOrder(stored.plan, order, actor.who, transaction.nowMs);
      if (outcome.kind === 'refused') throw new MonError(outcome.code, outcome.reason);
      // An order that adds no line to the log of the plan is not audited. An example is a repeated `take`, the
      // heartbeat of the plan's owner.
      if (outcome.plan.log !== stored.plan.log) {
        recordAudit(transaction, actor, auditOf(id, order));
      }
      const operatorFacts = 'facts' in order ? order.facts : undefined;
      return savePlan(transaction, { plan: outcome.plan, facts: { ...stored.facts, ...operatorFacts } });
    });
  }

  /** Stores the outcome of a step. */
  finish(id: number, step: string, outcome: StepOutcome): Promise<void> {
    return this.#change(id, (plan, nowMs) => finishStep(plan, step, outcome, nowMs));
  }

  /** Stores a progress message of a running step. */
  note(id: number, step: string, text: string): Promise<void> {
    return this.#change(id, (plan, nowMs) => logProgress(plan, step, text, nowMs));
  }

  /** Stores that a running step was interrupted. Call it when the backend starts as the leader. */
  storeInterruption(id: number): Promise<void> {
    return this.#change(id, endInterruptedStep);
  }

  #change(id: number, change: (plan: PlanRun, nowMs: number) => PlanRun): Promise<void> {
    return this.#batcher.run((transaction) => {
      const stored = storedOf(transaction, id);
      const plan = change(stored.plan, transaction.nowMs);
      if (plan !== stored.plan) savePlan(transaction, { ...stored, plan });
    });
  }
}

/** Stores a plan with the next revision number. */
export function savePlan(transaction: Transaction, stored: StoredPlan): StoredPlan {
  const plans = plansOf(transaction.registry);
  const { id } = stored.plan;
  const revision = (plans.get(id)?.plan.revision ?? 0) + 1;
  const next = { ...stored, plan: { ...stored.plan, revision } };
  transaction.put(PLANS, plans, id, next);
  return next;
}

function storedOf({ registry }: Transaction, id: number): StoredPlan {
  const stored = plansOf(registry).get(id);
  if (stored === undefined) throw new MonError('not_found', `there is no upgrade plan ${String(id)}`);
  return stored;
}

function targetOf(id: number): string {
  return String(id);
}

function auditOf(id: number, order: PlanOrder): Parameters<typeof recordAudit>[2] {
  const step = 'step' in order ? { step: order.step } : {};
  return {
    action: 'upgrade.order',
    target: targetOf(id),
    after: { order: order.order, ...step },
    reason: 'reason' in order ? order.reason : null,
  };
}
