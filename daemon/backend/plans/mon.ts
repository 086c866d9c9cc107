import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { newPlanSchema, planOrderSchema, type PlanRun, type PlanRunSummary } from '../../../shared/schemas/plan-run.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import type { ApiParts } from '../http/parts.ts';
import { inAllNamespaces, routes } from '../http/route.ts';

const validateNew = validator(newPlanSchema);
const validateOrder = validator(planOrderSchema);

/** Plans for upgrades: made here, and carried out step by step. */
export function upgradeRoutes(app: FastifyInstance, { upgrades, registry }: ApiParts): void {
  routes(app, '/api/mon/v1/upgrades', {
    GET: inAllNamespaces('read', () => registry.plans.all().map(({ runbook }) => summaryOf(runbook))),
    POST: inAllNamespaces('admin', async (request, reply) => {
      const made = await upgrades.create(readBody(request, validateNew), actorOf(request));
      return reply.code(201).send(made);
    }),
  });

  routes(app, '/api/mon/v1/upgrades/facts', {
    GET: inAllNamespaces('read', () => upgrades.facts()),
  });

  routes(app, '/api/mon/v1/upgrades/:id', {
    GET: inAllNamespaces('read', (request) => {
      const id = idOf(request);
      const stored = registry.plans.get(id);
      if (stored === undefined) throw new MonError('not_found', `there is no upgrade plan ${String(id)}`);
      return stored.runbook;
    }),
    POST: inAllNamespaces('admin', (request) =>
      upgrades.order(idOf(request), readBody(request, validateOrder), actorOf(request)),
    ),
  });
}

function summaryOf({ log: _log, ...summary }: PlanRun): PlanRunSummary {
  return summary;
}

function idOf({ params }: FastifyRequest): number {
  const { id = '' } = params as Readonly<Record<string, string>>;
  if (/^\d{1,9}$/.test(id)) return Number(id);
  throw new MonError('not_found', `there is no upgrade plan ${id}`);
}
