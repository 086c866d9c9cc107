import type { UpgradeRow } from '../../shared/schemas/feed.ts';
import type { PlanRun } from '../../shared/schemas/plan-run.ts';
import type { ConsoleStore } from '../state/console-store.ts';

/** How long to wait after a plan could not be loaded. */
const RETRY_MS = 2000;

/** How often a holder says that it is still there: well within `HOLDER_GONE_MS`. */
const HOLD_MS = 45_000;

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

  /** Asks for what is due: the plan when it has changed, and to go on holding it. */
  ask(store: ConsoleStore, nowMs: number): void {
    if (store.feed.connection.kind !== 'live') return;
    this.#askPlan(store, nowMs);
    this.#hold(store, nowMs);
  }

  #askPlan(store: ConsoleStore, nowMs: number): void {
    const { row } = this;
    const plan = this.#plan;
    if (row === undefined || this.#isLoading) return;
    if (plan !== undefined && plan.id === row.id && plan.revision >= row.revision) return;
    if (store.state.view !== 'upgrade' && !isHolder(store, plan)) return;
    if (this.failure !== undefined && nowMs - this.#askedAtMs < RETRY_MS) return;
    this.#isLoading = true;
    this.#askedAtMs = nowMs;
    store.request({ kind: 'load-plan', id: row.id });
  }

  #hold(store: ConsoleStore, nowMs: number): void {
    const plan = this.#plan;
    if (plan === undefined || !isHolder(store, plan) || nowMs - this.#heldAtMs < HOLD_MS) return;
    const isFirst = this.#heldAtMs === -Infinity;
    this.#heldAtMs = nowMs;
    // Whoever has just taken it was heard of.
    if (!isFirst) store.request({ kind: 'hold-plan', id: plan.id });
  }
}

/** Whether this console works on the plan. */
export function isHolder({ options }: Pick<ConsoleStore, 'options'>, plan: PlanRun | undefined): boolean {
  return plan?.state === 'open' && plan.holder?.session === options.session;
}
