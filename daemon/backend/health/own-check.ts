import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Results } from '../results/commands.ts';

/** The interval in seconds at which the result of a problem is repeated, as for any check. */
const INTERVAL = 60;

interface OwnCheckParts {
  readonly registry: Registry;
  readonly results: Pick<Results, 'submitOwn'>;
  /** The client of the check. */
  readonly client: string;
  readonly check: string;
  readonly clock: Clock;
}

/** The result of a check that the backend runs itself. */
interface Report {
  readonly status: number;
  readonly output: string;
  /** The names of the affected objects, for the next run of the backend. */
  readonly subjects?: readonly string[];
}

/**
 * A check with which the backend reports about itself. Its event opens, changes and resolves automatically. A backend
 * that never had the problem has no such check.
 */
export class OwnCheck {
  readonly #parts: OwnCheckParts;
  /** The status of the last report of this process; undefined: the stored result is from an earlier process. */
  #reported: number | undefined = undefined;
  #reportedAtMs = 0;

  constructor(parts: OwnCheckParts) {
    this.#parts = parts;
  }

  /** The status of the last result, even if an earlier process reported it; 0: there is none. */
  get status(): number {
    return this.#reported ?? this.#stored() ?? 0;
  }

  /**
   * Stores a result if the status has changed, or if the last result of a problem is old.
   *
   * @throws MonError `unavailable`
   */
  async report({ status, output, subjects }: Report): Promise<void> {
    if (!this.#isDue(status)) return;
    const { results, client, check, clock } = this.#parts;
    await results.submitOwn(DEFAULT_NAMESPACE, client, {
      name: check,
      output,
      status,
      interval: INTERVAL,
      ...(subjects === undefined ? {} : { subjects }),
    });
    this.#reported = status;
    this.#reportedAtMs = clock.monotonic();
  }

  #isDue(status: number): boolean {
    if (status === this.#reported) {
      return status !== 0 && this.#parts.clock.monotonic() - this.#reportedAtMs >= INTERVAL * 1000;
    }
    if (this.#reported !== undefined || status !== 0) return true;
    return (this.#stored() ?? 0) !== 0;
  }

  #stored(): number | undefined {
    const { registry, client, check } = this.#parts;
    return registry.namespace(DEFAULT_NAMESPACE).check(client, check)?.status;
  }
}
