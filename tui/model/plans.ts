import { isOwnedBy } from '../../shared/domain/plan/operator.ts';
import type { UpgradeRow } from '../../shared/schemas/feed.ts';
import type { PlanRun } from '../../shared/schemas/plan-run.ts';

/** Milliseconds until an upgrade plan that could not be loaded is requested again. */
const RETRY_MS = 2000;

/**
 * Interval in milliseconds at which the console renews its ownership of a plan. It is well below `HOLDER_GONE_MS`,
 * after which the ownership expires.
 */
const HOLD_MS = 45_000;

/** The state of this console that decides which requests about upgrade plans are due. */
interface PlanRequestState {
  /** The id of this console's session, by which a backend knows which console owns a plan. */
  readonly session: string;
  /** True if the upgrade view is visible. */
  readonly isShown: boolean;
}

/** A request to the backend that is due: load the plan, or renew the ownership of the plan. */
interface DuePlan {
  readonly kind: 'load-plan' | 'hold-plan';
  readonly id: number;
}

/** The upgrade plans: the progress of each plan from the feed, and all details of the newest plan. */
export class UpgradePlans {
  /** Why the newest upgrade plan could not be loaded; `undefined` if the last request succeeded. */
  failure: string | undefined;
  readonly #rows = new Map<string, UpgradeRow>();
  #plan: PlanRun | undefined;
  #isLoading = false;
  #requestedAtMs = -Infinity;
  #renewedAtMs = -Infinity;

  /**
   * Stores the progress of upgrade plans. It is stored even while the console is paused, because the steps of a plan
   * continue.
   */
  rowsArrived(rows: Readonly<Record<string, UpgradeRow | null>>, replace: boolean): void {
    if (replace) this.#rows.clear();
    for (const [key, row] of Object.entries(rows)) {
      if (row === null) this.#rows.delete(key);
      else this.#rows.set(key, row);
    }
  }

  /** The progress of the newest upgrade plan. At most one plan is open, and it is the newest. */
  get row(): UpgradeRow | undefined {
    let newest: UpgradeRow | undefined;
    for (const row of this.#rows.values()) if (newest === undefined || row.id > newest.id) newest = row;
    return newest;
  }

  /** The newest upgrade plan with all details, as it was last loaded. */
  get plan(): PlanRun | undefined {
    return this.#plan;
  }

  /** Stores an upgrade plan that was loaded, unless the stored plan is newer. */
  arrived(plan: PlanRun): void {
    const current = this.#plan;
    this.#isLoading = false;
    this.failure = undefined;
    if (current !== undefined && (plan.id < current.id || (plan.id === current.id && plan.revision < current.revision)))
      return;
    this.#plan = plan;
  }

  failed(failure: string): void {
    this.#isLoading = false;
    this.failure = failure;
  }

  /**
   * Returns the requests that are due: reload a plan that changed, and renew the ownership of a plan. Each request is
   * returned only once.
   */
  due(looking: PlanRequestState, nowMs: number): readonly DuePlan[] {
    return [this.#dueLoad(looking, nowMs), this.#dueHold(looking, nowMs)].filter((due) => due !== undefined);
  }

  #dueLoad({ session, isShown }: PlanRequestState, nowMs: number): DuePlan | undefined {
    const { row } = this;
    const plan = this.#plan;
    if (row === undefined || this.#isLoading) return undefined;
    if (plan !== undefined && plan.id === row.id && plan.revision >= row.revision) return undefined;
    if (!isShown && !isOwnedBy(plan, session)) return undefined;
    if (this.failure !== undefined && nowMs - this.#requestedAtMs < RETRY_MS) return undefined;
    this.#isLoading = true;
    this.#requestedAtMs = nowMs;
    return { kind: 'load-plan', id: row.id };
  }

  #dueHold({ session }: PlanRequestState, nowMs: number): DuePlan | undefined {
    const plan = this.#plan;
    if (plan === undefined || !isOwnedBy(plan, session) || nowMs - this.#renewedAtMs < HOLD_MS) return undefined;
    const isFirst = this.#renewedAtMs === -Infinity;
    this.#renewedAtMs = nowMs;
    // The request that took ownership of the plan already showed the backend that this session is active.
    return isFirst ? undefined : { kind: 'hold-plan', id: plan.id };
  }
}
