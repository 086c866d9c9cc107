import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Results } from '../results/commands.ts';

/** Interval of the check in seconds. While a problem persists, its result is submitted again at this interval. */
const INTERVAL_SECONDS = 60;

interface OwnCheckDependencies {
  readonly registry: Registry;
  readonly results: Pick<Results, 'submitBackendResult'>;
  /** Name of the client that the check belongs to. */
  readonly client: string;
  readonly check: string;
  readonly clock: Clock;
}

/** The result of a check that the backend runs on itself. */
interface CheckReport {
  readonly status: number;
  readonly output: string;
  /** Names of the affected objects. They are stored with the result, so that the next process can read them. */
  readonly subjects?: readonly string[];
}

/**
 * A check with which the backend reports a problem of its own. The event of the check opens, changes and resolves
 * automatically. A backend that never had the problem has no such check.
 */
export class OwnCheck {
  readonly #parts: OwnCheckDependencies;
  /** The last status that this process reported; undefined if this process has not reported any status yet. */
  #lastReportedStatus: number | undefined = undefined;
  #reportedAtMs = 0;

  constructor(parts: OwnCheckDependencies) {
    this.#parts = parts;
  }

  /** The status of the last result, even if an earlier process reported it; 0 if there is no result. */
  get status(): number {
    return this.#lastReportedStatus ?? this.#storedStatus() ?? 0;
  }

  /**
   * Submits a result if the status has changed, or if the last result of a persistent problem is older than the
   * interval.
   *
   * @throws MonError `unavailable`
   */
  async report({ status, output, subjects }: CheckReport): Promise<void> {
    if (!this.#isDue(status)) return;
    const { results, client, check, clock } = this.#parts;
    await results.submitBackendResult(DEFAULT_NAMESPACE, client, {
      name: check,
      output,
      status,
      interval: INTERVAL_SECONDS,
      ...(subjects === undefined ? {} : { subjects }),
    });
    this.#lastReportedStatus = status;
    this.#reportedAtMs = clock.monotonic();
  }

  #isDue(status: number): boolean {
    if (status === this.#lastReportedStatus) {
      return status !== 0 && this.#parts.clock.monotonic() - this.#reportedAtMs >= INTERVAL_SECONDS * 1000;
    }
    if (this.#lastReportedStatus !== undefined || status !== 0) return true;
    return (this.#storedStatus() ?? 0) !== 0;
  }

  #storedStatus(): number | undefined {
    const { registry, client, check } = this.#parts;
    return registry.namespace(DEFAULT_NAMESPACE).check(client, check)?.status;
  }
}
