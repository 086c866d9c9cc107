import type { ConditionName, ConditionFinding } from '../../../shared/domain/backend-conditions.ts';

/**
 * The latest finding for each condition of the backend, such as failing handlers, for `/health` and the metrics. Empty
 * on a follower.
 */
export class ConditionBoard {
  readonly #findings = new Map<ConditionName, ConditionFinding>();

  /** The latest findings by the name of their condition. */
  get findings(): ReadonlyMap<ConditionName, ConditionFinding> {
    return this.#findings;
  }

  put(name: ConditionName, finding: ConditionFinding): void {
    this.#findings.set(name, finding);
  }

  clear(): void {
    this.#findings.clear();
  }
}
