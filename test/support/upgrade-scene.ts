import { upgradeRow } from '../../daemon/backend/model/plans/feed-rows.ts';
import { findingsOf, createUpgradePlan } from '../../shared/domain/plan/plan.ts';
import { executeOrder, finishStep, newPlanRun, type StepOutcome } from '../../shared/domain/plan/run.ts';
import { parsePath } from '../../shared/domain/plan/version.ts';
import type { NewPlan, PlanRun, PlanOrder } from '../../shared/schemas/plan-run.ts';
import type { Finding } from '../../shared/schemas/plan.ts';
import type { ConsoleRig, RigOptions, SeenRequest } from './console-rig.ts';
import { FEED_HELLO } from './feed-server.ts';
import { openOverviewScene, overviewApi } from './overview-scene.ts';
import { someFacts } from './upgrade-facts.ts';

/** Facts about a store that contains a check of a deleted namespace, and for which no dump exists. */
const FACTS = someFacts({
  product: 'mon',
  namespaces: ['default'],
  checks: [
    { namespace: 'default', name: 'disk' },
    { namespace: 'billing', name: 'invoices' },
  ],
  backends: [{ name: 'srv-a', version: '6.1.0', healthy: true }],
  agents: [{ namespace: 'default', name: 'web-020', version: '6.1.0' }],
  attested: ['entity-limit', 'relational-backup'],
});

/**
 * A simulated backend with one upgrade plan. It executes orders as a real backend does, but steps finish when the test
 * says so.
 */
export class ScriptedPlans {
  plan: PlanRun | undefined;
  /** Time in epoch milliseconds of the next change of the plan. */
  nowMs = FEED_HELLO.time;
  readonly orders: PlanOrder[] = [];
  #rig: ConsoleRig | undefined;

  /** Creates a plan from 6.1.0 to 6.5.0 that the user alice started 16 minutes ago. */
  begin(): this {
    this.plan = this.#made('6.1.0', '6.5.0', FEED_HELLO.time - 16 * 60_000);
    return this;
  }

  /** Sends an order as a user of another console. */
  async from(who: string, order: PlanOrder): Promise<void> {
    if (this.#order(order, who).status !== 200) throw new Error(`refused: ${JSON.stringify(order)}`);
    await this.#publish();
  }

  async finish(step: string, outcome: StepOutcome): Promise<void> {
    if (this.plan === undefined) throw new Error('there is no plan');
    this.#put(finishStep(this.plan, step, outcome, this.nowMs));
    await this.#publish();
  }

  readonly api: NonNullable<RigOptions['api']> = (request) => {
    if (!request.path.startsWith('/api/mon/v1/upgrades')) return overviewApi(request);
    const answer = this.#answer(request);
    void this.#publish();
    return answer;
  };

  /** Opens view 7 of the console, which shows the plan if there is one. */
  async open(options: RigOptions = {}): Promise<ConsoleRig> {
    const rig = await openOverviewScene({ api: this.api, ...options });
    this.#rig = rig;
    await this.#publish();
    rig.type('7');
    await rig.pass(400);
    await rig.shows(this.plan === undefined ? '19,950 clients' : `plan #${String(this.plan.id)}`);
    return rig;
  }

  #answer({ method, path, body }: SeenRequest): { readonly status: number; readonly body?: unknown } {
    const summaries = this.plan === undefined ? [] : [this.plan];
    if (method === 'GET' && path.endsWith('/upgrades')) return { status: 200, body: summaries };
    if (method === 'GET') return this.plan === undefined ? { status: 404 } : { status: 200, body: this.plan };
    if (this.plan !== undefined) return this.#order(body as PlanOrder, 'alice');
    const { from, to } = body as NewPlan;
    this.plan = this.#made(from, to, this.nowMs);
    return { status: 201, body: this.plan };
  }

  #order(order: PlanOrder, who: string): { readonly status: number; readonly body?: unknown } {
    if (this.plan === undefined) return { status: 404 };
    this.orders.push(order);
    const outcome = executeOrder(this.plan, order, who, this.nowMs);
    if (outcome.kind === 'refused') return { status: 409, body: { code: outcome.code, message: outcome.reason } };
    this.#put(outcome.plan);
    return { status: 200, body: this.plan };
  }

  #made(from: string, to: string, nowMs: number): PlanRun {
    const path = parsePath(from, to);
    if ('problem' in path) throw new Error(path.problem);
    return newPlanRun(createUpgradePlan(path, FACTS), { id: 18, who: 'alice', nowMs, entities: 20 });
  }

  #put(plan: PlanRun): void {
    this.plan = { ...plan, revision: (this.plan?.revision ?? 0) + 1 };
  }

  async #publish(): Promise<void> {
    if (this.plan === undefined) return;
    await this.#rig?.change({ upgrades: { [String(this.plan.id)]: upgradeRow(this.plan) } });
  }
}

/** Executes the plan's steps before `wanted`, from another console that holds the plan. */
export async function playUntil(plans: ScriptedPlans, wanted: string, session: string, who = 'alice'): Promise<void> {
  await plans.from(who, { order: 'take', session, force: true });
  for (const step of plans.plan?.steps ?? []) {
    if (step.id === wanted) return;
    const typed = step.confirm === undefined ? {} : { typed: step.confirm };
    await plans.from(who, { order: 'start', session, step: step.id, ...typed });
    plans.nowMs += 4000;
    if (step.kind === 'manual') await plans.from(who, { order: 'confirm', session, step: step.id });
    const isRunning = plans.plan?.steps.some(({ id, state }) => id === step.id && state === 'running') ?? false;
    if (isRunning) await plans.finish(step.id, { isDone: true, ...outcomeOf(step.id) });
  }
}

const NOTES: Readonly<Record<string, string>> = {
  rules: 'what blocks has a step of its own',
  drain: 'results are refused until the upgrade is done',
  migrate: 'schema 3 became schema 4',
};

/** Returns the findings that remain after the objects of the deleted namespace are gone. */
function fixedFindings(): readonly Finding[] {
  return findingsOf({ from: [6, 1, 0], to: [6, 5, 0] }, { ...FACTS, checks: [{ namespace: 'default', name: 'disk' }] });
}

function outcomeOf(step: string): Omit<StepOutcome, 'isDone'> {
  if (step === 'backup')
    return {
      note: 'backups/20261120T114400Z-schema-3, verified',
      backup: '/var/lib/mon/backups/20261120T114400Z-schema-3',
    };
  if (step === 'fix-namespaces') return { note: 'deleted 1 check of 1 namespace', findings: fixedFindings() };
  return { note: NOTES[step] ?? 'as expected' };
}
