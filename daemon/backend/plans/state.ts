import { isDraining } from '../../../shared/domain/plan/run.ts';
import { BusyError } from '../../../shared/errors.ts';
import type { PlanRun, ToldFacts } from '../../../shared/schemas/plan-run.ts';
import type { Registry } from '../registry/registry.ts';

/** A plan as it is stored: with what the backend cannot find out itself, for the next look at the rules. */
export interface StoredPlan {
  readonly runbook: PlanRun;
  readonly facts: ToldFacts;
}

/** After results were kept out their senders need a moment to deliver what they have: until then age means nothing. */
const QUIET_MS = 30_000;

/** The plans for upgrades, of which one at most is open. Only transactions change them. */
export class PlanRegistry {
  readonly #byId = new Map<number, StoredPlan>();
  #isDraining = false;
  #quietUntilMs = 0;

  get(id: number): StoredPlan | undefined {
    return this.#byId.get(id);
  }

  /** The newest first. */
  all(): readonly StoredPlan[] {
    return [...this.#byId.values()].toSorted((a, b) => b.runbook.id - a.runbook.id);
  }

  /** The one that is not over. */
  get open(): StoredPlan | undefined {
    return this.all().find(({ runbook }) => runbook.state === 'open');
  }

  /** Asked for each result. @throws MonError `unavailable` while an upgrade keeps them out */
  keepReportsOut(): void {
    if (this.#isDraining) throw new BusyError('no results are taken during an upgrade: keep them and try again later');
  }

  /** Whether results and keepalives may be old only because they are, or were, kept out. */
  isQuiet(nowMs: number): boolean {
    if (this.#isDraining) return true;
    const leftMs = this.#quietUntilMs - nowMs;
    // Never longer than it may be, whatever was done to the clock.
    return leftMs > 0 && leftMs <= QUIET_MS;
  }

  put(stored: StoredPlan): void {
    this.#byId.set(stored.runbook.id, stored);
    const wasDraining = this.#isDraining;
    this.#noteDraining();
    if (wasDraining && !this.#isDraining) this.#quietUntilMs = (stored.runbook.log.at(-1)?.at ?? 0) + QUIET_MS;
  }

  remove(id: number): void {
    this.#byId.delete(id);
    this.#noteDraining();
  }

  /** In place of all that are here. */
  load(all: Iterable<StoredPlan>): void {
    this.#byId.clear();
    for (const stored of all) this.#byId.set(stored.runbook.id, stored);
    this.#noteDraining();
  }

  #noteDraining(): void {
    const { open } = this;
    this.#isDraining = open !== undefined && isDraining(open.runbook);
  }
}

const openPlans = (): PlanRegistry => new PlanRegistry();

export function plansOf(registry: Pick<Registry, 'state'>): PlanRegistry {
  return registry.state(openPlans);
}
