import { isDraining } from '../../../../shared/domain/plan/run.ts';
import { BusyError } from '../../../../shared/errors.ts';
import type { PlanRun, OperatorFacts } from '../../../../shared/schemas/plan-run.ts';
import type { Registry } from '../registry/registry.ts';

/**
 * A stored plan, with the values that the operator entered; the upgrade rules need them and the backend cannot find
 * them out.
 */
export interface StoredPlan {
  readonly plan: PlanRun;
  readonly facts: OperatorFacts;
}

/**
 * The time in milliseconds that senders need to deliver their backlog after results were rejected. Until then, the age
 * of a result says nothing about its check.
 */
const BACKLOG_MS = 30_000;

/** The upgrade plans; at most one of them is open. Only transactions change them. */
export class PlanRegistry {
  readonly #byId = new Map<number, StoredPlan>();
  /** The id of the plan that causes results to be rejected; undefined if there is no such plan. */
  #draining: number | undefined = undefined;
  #backlogUntilMs = 0;

  get(id: number): StoredPlan | undefined {
    return this.#byId.get(id);
  }

  /** Returns all plans, the newest first. */
  all(): readonly StoredPlan[] {
    return [...this.#byId.values()].toSorted((a, b) => b.plan.id - a.plan.id);
  }

  /** The plan that has not ended; undefined if all have. */
  get open(): StoredPlan | undefined {
    return this.all().find(({ plan }) => plan.state === 'open');
  }

  /** Called for each result. @throws MonError `unavailable` if an upgrade rejects results */
  refuseWhileDraining(): void {
    if (this.#draining !== undefined)
      throw new BusyError('results are not accepted during an upgrade: keep the results and send them again later');
  }

  /** True if results and keepalives can be old merely because they are being rejected, or recently were. */
  isAwaitingBacklog(nowMs: number): boolean {
    if (this.#draining !== undefined) return true;
    const leftMs = this.#backlogUntilMs - nowMs;
    // The time left is bounded, so that a clock that was set back does not prolong it.
    return leftMs > 0 && leftMs <= BACKLOG_MS;
  }

  put(stored: StoredPlan): void {
    this.#byId.set(stored.plan.id, stored);
    this.#noteDraining();
  }

  remove(id: number): void {
    this.#byId.delete(id);
    this.#noteDraining();
  }

  /** Replaces all plans. */
  load(all: Iterable<StoredPlan>): void {
    this.#byId.clear();
    for (const stored of all) this.#byId.set(stored.plan.id, stored);
    this.#noteDraining();
  }

  #noteDraining(): void {
    const before = this.#draining;
    const { open } = this;
    this.#draining = open !== undefined && isDraining(open.plan) ? open.plan.id : undefined;
    if (before === undefined || this.#draining !== undefined) return;
    this.#backlogUntilMs = (this.#byId.get(before)?.plan.log.at(-1)?.at ?? 0) + BACKLOG_MS;
  }
}

const openPlans = (): PlanRegistry => new PlanRegistry();

export function plansOf(registry: Pick<Registry, 'state'>): PlanRegistry {
  return registry.state(openPlans);
}
