import type { FastifyRequest } from 'fastify';
import { MON_API } from '../../../shared/api/mon.ts';
import { MonError } from '../../../shared/errors.ts';
import { actorOf } from '../access/actor.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import type { MonHandlers } from '../http/route.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { PlanRunner } from './plan-runner.ts';
import { plansOf } from '../model/plans/state.ts';

const validateNew = bodyValidator(MON_API.createPlan);
const validateOrder = bodyValidator(MON_API.orderPlan);

/** Returns the route handlers that list and create upgrade plans, and run them step by step. */
export function plansOnMon({
  upgrades,
  registry,
}: {
  readonly upgrades: PlanRunner;
  readonly registry: Registry;
}): MonHandlers<'plans' | 'createPlan' | 'planFacts' | 'plan' | 'orderPlan'> {
  return {
    plans: () =>
      plansOf(registry)
        .all()
        .map(({ plan: { log: _log, ...summary } }) => summary),
    createPlan: (request) => upgrades.create(readBody(request, validateNew), actorOf(request)),
    planFacts: () => upgrades.facts(),
    plan: (request) => {
      const id = idOf(request);
      const stored = plansOf(registry).get(id);
      if (stored === undefined) throw new MonError('not_found', `there is no upgrade plan ${String(id)}`);
      return stored.plan;
    },
    orderPlan: (request) => upgrades.order(idOf(request), readBody(request, validateOrder), actorOf(request)),
  };
}

function idOf({ params }: FastifyRequest): number {
  const { id = '' } = params as Readonly<Record<string, string>>;
  if (/^\d{1,9}$/.test(id)) return Number(id);
  throw new MonError('not_found', `there is no upgrade plan ${id}`);
}
