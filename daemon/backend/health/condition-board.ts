import type { ConditionName, ConditionFinding } from '../../../shared/domain/backend-conditions.ts';

/** The last finding of each condition, for health and metrics. Empty on a follower. */
export class ConditionBoard {
  readonly #findings = new Map<ConditionName, ConditionFinding>();

  /** The findings, each under the name of its condition. */
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
