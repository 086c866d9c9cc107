import type { EventState } from '../../../shared/domain/event.ts';
import type { History } from '../../../shared/domain/history.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { ClientEntry } from '../registry/namespace.ts';

/** An event that is to be handled, stored or not. */
export interface Occasion {
  readonly client: ClientEntry;
  /** With its whole output. */
  readonly check: CheckResult;
  readonly state: EventState;
  /** With the status of `check` at its new end. */
  readonly history: History;
  /** The result did not come, and is only assumed: the registry knows nothing of it. */
  readonly isAssumed?: boolean;
  /** Whether the event began with this. */
  readonly isNew?: boolean;
  /** It is judged again because the inhibitions are others, and which events keep others quiet by them is known. */
  readonly isJudged?: boolean;
}
