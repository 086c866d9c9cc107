import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import type { Results } from '../results/write.ts';

/** Seconds; while there is a problem its result is repeated after this time, as that of any check. */
const INTERVAL = 60;

interface OwnCheckParts {
  readonly registry: Registry;
  readonly results: Pick<Results, 'tell'>;
  /** The client that the check is of. */
  readonly client: string;
  readonly check: string;
  readonly clock: Clock;
}

/** The result of a check that the backend runs itself. */
interface Report {
  readonly status: number;
  readonly output: string;
  /** Names of what it is about, for a later run of the backend. */
  readonly subjects?: readonly string[];
}

/**
 * A check by which the backend reports about itself: its event opens, changes and resolves by itself. A backend
 * without any problem so far has no such check.
 */
export class OwnCheck {
  readonly #parts: OwnCheckParts;
  /** The status of the last report of this process; undefined: the stored result is of an earlier one. */
  #reported: number | undefined = undefined;
  #reportedAtMs = 0;

  constructor(parts: OwnCheckParts) {
    this.#parts = parts;
  }

  /** The status of the last result, also of an earlier process; 0: there was none. */
  get status(): number {
    return this.#reported ?? this.#stored() ?? 0;
  }

  /**
   * Stores a result if the status is another than before, or the last result of a problem is old.
   *
   * @throws MonError `unavailable`
   */
  async report({ status, output, subjects }: Report): Promise<void> {
    if (!this.#isDue(status)) return;
    const { results, client, check, clock } = this.#parts;
    await results.tell(DEFAULT_NAMESPACE, client, {
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
