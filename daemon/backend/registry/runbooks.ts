import { isDraining } from '../../../shared/domain/upgrade/runbook.ts';
import type { Runbook, ToldFacts } from '../../../shared/schemas/runbook.ts';
import type { Store } from '../ports.ts';
import { RUNBOOKS } from '../store/keys.ts';

/** A plan as it is stored: with what the backend cannot find out itself, for the next look at the rules. */
export interface StoredRunbook {
  readonly runbook: Runbook;
  readonly facts: ToldFacts;
}

/** The plans for upgrades, of which one at most is open. Only the pipeline changes them. */
export class RunbookRegistry {
  #byId = new Map<number, StoredRunbook>();
  #isDraining = false;

  get(id: number): StoredRunbook | undefined {
    return this.#byId.get(id);
  }

  /** The newest first. */
  all(): readonly StoredRunbook[] {
    return [...this.#byId.values()].toSorted((a, b) => b.runbook.id - a.runbook.id);
  }

  /** The one that is not over. */
  get open(): StoredRunbook | undefined {
    return this.all().find(({ runbook }) => runbook.state === 'open');
  }

  /** Whether results are refused for now; asked for each of them. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  put(stored: StoredRunbook): void {
    this.#byId.set(stored.runbook.id, stored);
    this.#noteDraining();
  }

  remove(id: number): void {
    this.#byId.delete(id);
    this.#noteDraining();
  }

  /** In place of all that are here. */
  async load(store: Store): Promise<void> {
    const byId = new Map<number, StoredRunbook>();
    for await (const [, value] of store.scan([RUNBOOKS])) {
      const stored = JSON.parse(value) as StoredRunbook;
      byId.set(stored.runbook.id, stored);
    }
    this.#byId = byId;
    this.#noteDraining();
  }

  #noteDraining(): void {
    const { open } = this;
    this.#isDraining = open !== undefined && isDraining(open.runbook);
  }
}
