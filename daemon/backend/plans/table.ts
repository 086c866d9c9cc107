import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Table } from '../registry/table.ts';
import { plansOf, type PlanRegistry, type StoredPlan } from './state.ts';
import { PLAN_TOPIC } from './rows.ts';
import type { StoredTable } from '../tables/stored-table.ts';

const PREFIX = 'upgrade';

/** Running and past upgrade plans, by id. They are in no namespace. */
export const PLANS: StoredTable & Table<PlanRegistry, number, StoredPlan> = {
  prefix: PREFIX,
  key: (_plans, id) => [PREFIX, id],
  encode: (plan) => JSON.stringify(plan),
  hold: (plans, _id, plan) => plans.put(plan),
  drop: (plans, id) => plans.remove(id),
  change: (_plans, id) => ['upgrade', DEFAULT_NAMESPACE, id],
  adopt: (registry, stored) => plansOf(registry).load(stored.map(([, text]) => JSON.parse(text) as StoredPlan)),
  topic: PLAN_TOPIC,
};
