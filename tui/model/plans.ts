import { isOwnedBy } from '../../shared/domain/plan/operator.ts';
import type { UpgradeRow } from '../../shared/schemas/feed.ts';
import type { PlanRun } from '../../shared/schemas/plan-run.ts';

/** Time until the next attempt after a plan could not be loaded. */
const RETRY_MS = 2000;

/** Interval at which a holder renews its hold: well within `HOLDER_GONE_MS`. */
const HOLD_MS = 45_000;

/** The console that shows plans. */
interface PlanLook {
  /** The session of this console. */
  readonly session: string;
  /** True if the view of plans is shown. */
  readonly isShown: boolean;
}

/** A due request to the backend: load the plan, or renew the hold. */
interface DuePlan {
  readonly kind: 'load-plan' | 'hold-plan';
  readonly id: number;
}

/** The console's knowledge of upgrade plans: the progress of each from the feed, and the newest one in full. */
export class UpgradePlans {
  /** Why the newest plan could not be loaded. */
  failure: string | undefined;
  readonly #rows = new Map<string, UpgradeRow>();
  #plan: PlanRun | undefined;
  #isLoading = false;
  #requestedAtMs = -Infinity;
  #renewedAtMs = -Infinity;

  /** Applies rows of plans, even while the feed is paused, because the steps of a plan do not pause either. */
  rowsArrived(rows: Readonly<Record<string, UpgradeRow | null>>, replace: boolean): void {
    if (replace) this.#rows.clear();
    for (const [key, row] of Object.entries(rows)) {
      if (row === null) this.#rows.delete(key);
      else this.#rows.set(key, row);
    }
  }

  /** The progress of the newest plan. At most one plan is open, and it is the newest. */
  get row(): UpgradeRow | undefined {
    let newest: UpgradeRow | undefined;
    for (const row of this.#rows.values()) if (newest === undefined || row.id > newest.id) newest = row;
    return newest;
  }

  /** The newest plan at its last load. */
  get plan(): PlanRun | undefined {
    return this.#plan;
  }

  /** Stores a plan. A response that is older than the stored one is ignored. */
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

  /** Returns the due requests, each once: a reload after a change, and the renewal of the hold. */
  due(looking: PlanLook, nowMs: number): readonly DuePlan[] {
    return [this.#dueLoad(looking, nowMs), this.#dueHold(looking, nowMs)].filter((due) => due !== undefined);
  }

  #dueLoad({ session, isShown }: PlanLook, nowMs: number): DuePlan | undefined {
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

  #dueHold({ session }: PlanLook, nowMs: number): DuePlan | undefined {
    const plan = this.#plan;
    if (plan === undefined || !isOwnedBy(plan, session) || nowMs - this.#renewedAtMs < HOLD_MS) return undefined;
    const isFirst = this.#renewedAtMs === -Infinity;
    this.#renewedAtMs = nowMs;
    // A console that has just taken the plan sent a request for that, so the backend already knows it is active.
    return isFirst ? undefined : { kind: 'hold-plan', id: plan.id };
  }
}
