import type { EventState } from '../../../shared/domain/event.ts';
import type { History } from '../../../shared/domain/history.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { ClientEntry } from '../registry/namespace.ts';

/** An event to be handled, stored or not. */
export interface Occasion {
  readonly client: ClientEntry;
  /** The check result with its full output. */
  readonly check: CheckResult;
  readonly state: EventState;
  /** The history, which ends with the status of `check`. */
  readonly history: History;
  /** True if the result is only assumed and did not arrive: the registry does not know it. */
  readonly isAssumed?: boolean;
  /** True if the event opened with this result. */
  readonly isNew?: boolean;
  /**
   * True if the event is judged again after the inhibition rules changed, and the inhibitors under the new rules are
   * known.
   */
  readonly isJudged?: boolean;
}
