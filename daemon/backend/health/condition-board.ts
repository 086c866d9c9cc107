import type { ConditionName, Finding } from '../../../shared/domain/backend-conditions.ts';

/** The last finding of each condition, for health and metrics. Empty on a follower. */
export class ConditionBoard {
  readonly #findings = new Map<ConditionName, Finding>();

  /** The findings, each under the name of its condition. */
  get findings(): ReadonlyMap<ConditionName, Finding> {
    return this.#findings;
  }

  put(name: ConditionName, finding: Finding): void {
    this.#findings.set(name, finding);
  }

  clear(): void {
    this.#findings.clear();
  }
}
