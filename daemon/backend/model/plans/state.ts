import { isDraining } from '../../../../shared/domain/plan/run.ts';
import { BusyError } from '../../../../shared/errors.ts';
import type { PlanRun, OperatorFacts } from '../../../../shared/schemas/plan-run.ts';
import type { Registry } from '../registry/registry.ts';

/** A stored plan: with the facts that the backend cannot find out itself, for the next check of the rules. */
export interface StoredPlan {
  readonly plan: PlanRun;
  readonly facts: OperatorFacts;
}

/**
 * The time that senders need to deliver their backlog after results were rejected. Until then the age of a result means
 * nothing.
 */
const BACKLOG_MS = 30_000;

/** The upgrade plans, of which at most one is open. Only transactions change them. */
export class PlanRegistry {
  readonly #byId = new Map<number, StoredPlan>();
  /** The plan that causes results to be rejected. */
  #draining: number | undefined = undefined;
  #backlogUntilMs = 0;

  get(id: number): StoredPlan | undefined {
    return this.#byId.get(id);
  }

  /** Returns all plans, the newest first. */
  all(): readonly StoredPlan[] {
    return [...this.#byId.values()].toSorted((a, b) => b.plan.id - a.plan.id);
  }

  /** The plan that has not ended. */
  get open(): StoredPlan | undefined {
    return this.all().find(({ plan }) => plan.state === 'open');
  }

  /** Called for each result. @throws MonError `unavailable` while an upgrade rejects results */
  keepReportsOut(): void {
    if (this.#draining !== undefined)
      throw new BusyError('results are not accepted during an upgrade: keep the results and send them again later');
  }

  /** True if results and keepalives may be old only because they are, or recently were, rejected. */
  isAwaitingBacklog(nowMs: number): boolean {
    if (this.#draining !== undefined) return true;
    const leftMs = this.#backlogUntilMs - nowMs;
    // Bounded, even if the clock was set back.
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
