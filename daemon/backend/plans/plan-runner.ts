import { createUpgradePlan } from '../../../shared/domain/plan/plan.ts';
import { currentStep, type StepOutcome } from '../../../shared/domain/plan/run.ts';
import { parsePath } from '../../../shared/domain/plan/version.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { NewPlan, PlanRun, PlanOrder, PlanRunStep, OperatorFacts } from '../../../shared/schemas/plan-run.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';
import type { Log } from '../../log/log.ts';
import type { Plans } from './commands.ts';
import { upgradeFactsOf } from './facts.ts';
import { plansOf, type StoredPlan } from '../model/plans/state.ts';
import { actionStep } from './action-step.ts';
import { checkStep } from './check-step.ts';
import { rejectOnAbort, failedOutcome, type StepDependencies } from './step-dependencies.ts';

const PROGRESS_INTERVAL_MS = 1000;
const RETRY_MS = 1000;

/**
 * Creates upgrade plans, accepts orders of operators, and runs the steps that the backend performs. Disposing of it
 * aborts the running step.
 */
export class PlanRunner implements AsyncDisposable {
  readonly #plans: Plans;
  readonly #dependencies: StepDependencies;
  readonly #log: Log;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor({ plans, log, ...parts }: StepDependencies & { readonly plans: Plans; readonly log: Log }) {
    this.#plans = plans;
    this.#dependencies = parts;
    this.#log = log;
  }

  /**
   * Records that a running step was interrupted when the previous leader stopped, so that the step can be started
   * again.
   */
  async recordInterruption(): Promise<void> {
    const { open } = plansOf(this.#dependencies.registry);
    if (open !== undefined) await this.#plans.storeInterruption(open.plan.id);
  }

  /** Returns the facts that upgrade rules need: the state of this backend. */
  facts(): Promise<UpgradeFacts> {
    return upgradeFactsOf(this.#dependencies.facts);
  }

  /**
   * Creates an upgrade plan.
   *
   * @throws MonError `invalid` if there is no upgrade path between the versions, `conflict` if another plan is open,
   *   `unavailable` if the plan cannot be committed
   */
  async create({ from, to, facts: operatorFacts }: NewPlan, actor: Actor): Promise<PlanRun> {
    const path = parsePath(from, to);
    if ('problem' in path) throw new MonError('invalid', path.problem);
    const facts = addOperatorFacts(await this.facts(), operatorFacts);
    return await this.#plans.create(
      createUpgradePlan(path, facts),
      { facts: operatorFacts, entities: facts.entities?.total ?? null },
      actor,
    );
  }

  /** Applies an operator's order, and runs the step that it starts, if any. @throws MonError as `Plans.order` does */
  async order(id: number, order: PlanOrder, actor: Actor): Promise<PlanRun> {
    const stored = await this.#plans.order(id, order, actor);
    const step = currentStep(stored.plan);
    const isStarted = (order.order === 'start' || order.order === 'confirm') && step?.state === 'running';
    if (isStarted && step.id === order.step) this.#begin(stored, step, actor);
    return stored.plan;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new MonError('unavailable', 'the backend was stopped during this step: start the step again'));
    await Promise.all(this.#running);
  }

  #begin(stored: StoredPlan, step: PlanRunStep, actor: Actor): void {
    const run = this.#run(stored, step, actor)
      .then((outcome) => this.#finish(stored.plan.id, step.id, outcome))
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /**
   * Stores the outcome of a step. Retries until the store accepts it, because the step would remain in the state
   * `running` otherwise.
   */
  async #finish(id: number, step: string, outcome: StepOutcome): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      try {
        return await this.#plans.finish(id, step, outcome);
      } catch (error) {
        this.#log.error({ step, reason: errorMessage(error) }, 'could not store the outcome of an upgrade step');
        // At the next start, `recordInterruption` records that the step was interrupted.
        if (signal.aborted) return;
        await this.#pause(RETRY_MS);
      }
    }
  }

  async #pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using timers = new DisposableStack();
    timers.use(this.#dependencies.clock.after(delayMs, resolve));
    await Promise.race([promise, rejectOnAbort(this.#stop.signal).catch(() => undefined)]);
  }

  async #run({ plan, facts: operatorFacts }: StoredPlan, step: PlanRunStep, actor: Actor): Promise<StepOutcome> {
    try {
      const facts = { ...addOperatorFacts(await this.facts(), operatorFacts), ...snapshotOf(plan) };
      const run = {
        plan,
        step,
        facts,
        actor,
        reportProgress: this.#teller(plan.id, step.id),
        signal: this.#stop.signal,
      };
      if (step.kind === 'action' && step.action !== undefined)
        return await actionStep(step.action, this.#dependencies, run);
      if (step.check === undefined)
        throw new MonError('internal', `internal error: the upgrade step ${step.id} has no action`);
      return checkStep(step.check, this.#dependencies, run);
    } catch (error) {
      if (!(error instanceof MonError)) this.#log.error({ err: error, step: step.id }, 'upgrade step failed');
      return failedOutcome(error instanceof MonError ? error.message : 'internal error: see the log of the backend');
    }
  }

  #teller(id: number, step: string): (text: string) => void {
    const { clock } = this.#dependencies;
    let reportedMs = -Infinity;
    return (text) => {
      const nowMs = clock.monotonic();
      if (nowMs - reportedMs < PROGRESS_INTERVAL_MS) return;
      reportedMs = nowMs;
      this.#plans.note(id, step, text).catch((error: unknown) => {
        this.#log.warn({ step, reason: errorMessage(error) }, 'could not store the progress of an upgrade step');
      });
    };
  }
}

function addOperatorFacts(facts: UpgradeFacts, operatorFacts: OperatorFacts): UpgradeFacts {
  return { ...facts, ...operatorFacts, attested: operatorFacts.attested ?? facts.attested };
}

/**
 * Returns the backup that a step of the plan has created, as the fact `snapshot`; returns no fact if there is no backup
 * yet.
 */
function snapshotOf({ backup, steps }: PlanRun): Pick<UpgradeFacts, 'snapshot'> {
  if (backup === null) return {};
  const takenMs = steps.find(({ action }) => action === 'backup')?.ended_at ?? 0;
  return { snapshot: { file: backup, taken_at: Math.floor(takenMs / 1000), problem: null } };
}
