import { vi } from 'vitest';
import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { currentStep } from '../../shared/domain/plan/run.ts';
import type { PlanRun, PlanOrder } from '../../shared/schemas/plan-run.ts';

export const SESSION = 'console-1';

/** A simulated operator who executes an upgrade plan over the API. */
export class PlanDriver {
  readonly #client: () => UpgradeClient;
  readonly id: number;

  /**
   * Creates the operator.
   *
   * @param client callback that returns the API client; it is called for each request, because the backend may restart
   * at another address
   * @param id id of the plan
   */
  constructor(client: () => UpgradeClient, id: number) {
    this.#client = client;
    this.id = id;
  }

  async plan(): Promise<PlanRun> {
    const plan = await this.#client().plan(this.id);
    if (plan === undefined) throw new Error('the plan is gone');
    return plan;
  }

  order(order: PlanOrder): Promise<PlanRun> {
    return this.#client().order(this.id, order);
  }

  take(): Promise<PlanRun> {
    return this.order({ order: 'take', session: SESSION, force: false });
  }

  /** Starts the current step, types its confirmation if it requires one, and waits for the outcome. */
  async start(): Promise<PlanRun> {
    const step = currentStep(await this.plan());
    if (step === undefined) throw new Error('no step is left');
    const typed = step.confirm === undefined ? {} : { typed: step.confirm };
    await this.order({ order: 'start', session: SESSION, step: step.id, ...typed });
    return await this.settled();
  }

  async confirm(): Promise<PlanRun> {
    const step = currentStep(await this.plan());
    await this.order({ order: 'confirm', session: SESSION, step: step?.id ?? '' });
    return await this.settled();
  }

  async skip(reason: string): Promise<PlanRun> {
    const step = currentStep(await this.plan());
    return await this.order({ order: 'skip', session: SESSION, step: step?.id ?? '', reason });
  }

  /** Executes the steps before this one; each of them must succeed. */
  async until(id: string): Promise<void> {
    for (let step = currentStep(await this.plan()); step?.id !== id; step = currentStep(await this.plan())) {
      if (step === undefined) throw new Error(`the plan has no step ${id}`);
      await this.start();
      if (step.kind === 'manual') await this.confirm();
      const now = (await this.plan()).steps.find((one) => one.id === step?.id);
      if (now?.state !== 'done') throw new Error(`${step.id} is ${String(now?.state)}: ${String(now?.note)}`);
    }
  }

  async settled(): Promise<PlanRun> {
    return await vi.waitFor(async () => {
      const plan = await this.plan();
      if (plan.steps.some(({ state }) => state === 'running')) throw new Error('a step is running');
      return plan;
    });
  }
}
