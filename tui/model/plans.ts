import { isHeldBy } from '../../shared/domain/plan/operator.ts';
import type { UpgradeRow } from '../../shared/schemas/feed.ts';
import type { PlanRun } from '../../shared/schemas/plan-run.ts';

/** How long to wait after a plan could not be loaded. */
const RETRY_MS = 2000;

/** How often a holder says that it is still there: well within `HOLDER_GONE_MS`. */
const HOLD_MS = 45_000;

/** Who looks at plans. */
interface PlanLook {
  /** The session of this console. */
  readonly session: string;
  /** Whether the view of plans is shown. */
  readonly isShown: boolean;
}

/** What is to be asked of the backend: the plan as it is now, or to hold it for longer. */
interface DuePlan {
  readonly kind: 'load-plan' | 'hold-plan';
  readonly id: number;
}

/** What the console knows of plans for upgrades: how far each is, from the feed, and the newest one as a whole. */
export class UpgradePlans {
  /** Why the newest plan could not be loaded. */
  failure: string | undefined;
  readonly #rows = new Map<string, UpgradeRow>();
  #plan: PlanRun | undefined;
  #isLoading = false;
  #askedAtMs = -Infinity;
  #heldAtMs = -Infinity;

  /** Plans are not held back while the feed is paused: a step does not wait either. */
  rowsArrived(rows: Readonly<Record<string, UpgradeRow | null>>, replace: boolean): void {
    if (replace) this.#rows.clear();
    for (const [key, row] of Object.entries(rows)) {
      if (row === null) this.#rows.delete(key);
      else this.#rows.set(key, row);
    }
  }

  /** How far the newest plan is; there is one open at most, and it is the newest. */
  get row(): UpgradeRow | undefined {
    let newest: UpgradeRow | undefined;
    for (const row of this.#rows.values()) if (newest === undefined || row.id > newest.id) newest = row;
    return newest;
  }

  /** The newest plan, as it was when it was loaded last. */
  get plan(): PlanRun | undefined {
    return this.#plan;
  }

  /** An answer of the backend. One that was overtaken by a newer one is not looked at. */
  arrived(plan: PlanRun): void {
    const known = this.#plan;
    this.#isLoading = false;
    this.failure = undefined;
    if (known !== undefined && (plan.id < known.id || (plan.id === known.id && plan.revision < known.revision))) return;
    this.#plan = plan;
  }

  failed(failure: string): void {
    this.#isLoading = false;
    this.failure = failure;
  }

  /** What is due, once: the plan when it has changed, and to go on holding it. */
  due(looking: PlanLook, nowMs: number): readonly DuePlan[] {
    return [this.#dueLoad(looking, nowMs), this.#dueHold(looking, nowMs)].filter((due) => due !== undefined);
  }

  #dueLoad({ session, isShown }: PlanLook, nowMs: number): DuePlan | undefined {
    const { row } = this;
    const plan = this.#plan;
    if (row === undefined || this.#isLoading) return undefined;
    if (plan !== undefined && plan.id === row.id && plan.revision >= row.revision) return undefined;
    if (!isShown && !isHeldBy(plan, session)) return undefined;
    if (this.failure !== undefined && nowMs - this.#askedAtMs < RETRY_MS) return undefined;
    this.#isLoading = true;
    this.#askedAtMs = nowMs;
    return { kind: 'load-plan', id: row.id };
  }

  #dueHold({ session }: PlanLook, nowMs: number): DuePlan | undefined {
    const plan = this.#plan;
    if (plan === undefined || !isHeldBy(plan, session) || nowMs - this.#heldAtMs < HOLD_MS) return undefined;
    const isFirst = this.#heldAtMs === -Infinity;
    this.#heldAtMs = nowMs;
    // Whoever has just taken it was heard of.
    return isFirst ? undefined : { kind: 'hold-plan', id: plan.id };
  }
}
