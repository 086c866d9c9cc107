import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { PlanRun, PlanRunStep } from '../../../../shared/schemas/plan-run.ts';
import type { Table } from '../registry/table.ts';
import { plansOf, type PlanRegistry, type StoredPlan } from './state.ts';
import { PLAN_TOPIC } from './feed-rows.ts';
import type { StoredTable } from '../tables/stored-table.ts';

const PLAN_PREFIX = 'upgrade';

/** The stored table of running and past upgrade plans, by id. They belong to no namespace. */
export const PLANS: StoredTable & Table<PlanRegistry, number, StoredPlan> = {
  prefix: PLAN_PREFIX,
  key: (_plans, id) => [PLAN_PREFIX, id],
  encode: (plan) => storedText(plan),
  putInMemory: (plans, _id, plan) => plans.put(plan),
  removeFromMemory: (plans, id) => plans.remove(id),
  change: (_plans, id) => ['upgrade', DEFAULT_NAMESPACE, id],
  replaceAll: (registry, stored) => plansOf(registry).load(stored.map(([, text]) => planOfStored(text))),
  topic: PLAN_TOPIC,
};

/**
 * The stored form of a plan. Stores of schema 4 and earlier have `waiting` instead of `pending`, and `seen` instead of
 * `last_seen`.
 */
interface StoredRun extends Omit<PlanRun, 'holder' | 'steps'> {
  readonly holder: (Omit<PlanHolder, 'last_seen'> & { readonly seen: number }) | null;
  readonly steps: readonly (Omit<PlanRunStep, 'state'> & { readonly state: string })[];
}

type PlanHolder = NonNullable<PlanRun['holder']>;

function storedText({ plan: { holder, steps, ...plan }, ...attributes }: StoredPlan): string {
  const stored: StoredRun = {
    ...plan,
    holder: holder && storedHolder(holder),
    steps: steps.map((step) => ({ ...step, state: step.state === 'pending' ? 'waiting' : step.state })),
  };
  return JSON.stringify({ ...attributes, runbook: stored });
}

function storedHolder({ last_seen: seen, ...holder }: PlanHolder): NonNullable<StoredRun['holder']> {
  return { ...holder, seen };
}

function planOfStored(text: string): StoredPlan {
  const { runbook, ...attributes } = JSON.parse(text) as Omit<StoredPlan, 'plan'> & { readonly runbook: StoredRun };
  const { holder, steps } = runbook;
  return {
    ...attributes,
    plan: {
      ...runbook,
      holder: holder && currentHolder(holder),
      steps: steps.map((step) => Object.assign(step, { state: currentState(step.state) })),
    },
  };
}

function currentHolder({ seen: last_seen, ...holder }: NonNullable<StoredRun['holder']>): PlanHolder {
  return { ...holder, last_seen };
}

function currentState(state: string): PlanRunStep['state'] {
  return state === 'waiting' ? 'pending' : (state as PlanRunStep['state']);
}
