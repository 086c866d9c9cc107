import type { Event } from './event.ts';
import type { SilencedRow } from './feed.ts';
import type { GroupChange } from './grouping.ts';

/** An event in the format for handlers. */
export type HandledEvent = Event & {
  /** Whether the silence that suppressed it for the handler ended while it was firing. */
  readonly silence_ended?: true;
  /** The silence that is about to end, in a reminder (spec, reminder 3). */
  readonly silence_ending?: SilencedRow;
  /** Whether the inhibition that suppressed it ended, or its rule was removed, while it was firing. */
  readonly inhibition_ended?: true;
};

/** An event within its group. */
export type GroupedEvent = HandledEvent & { readonly change: GroupChange };

/** One run about a group (grouping 3). */
export interface GroupRun {
  /** Id of the group, the same in all its runs. */
  readonly id: string;
  /** The common values of its events, by the names in `group_by`. */
  readonly by: Readonly<Record<string, string>>;
  /** Whether the run follows a change, or repeats the last notification. */
  readonly cause: 'change' | 'repeat';
  /** The worst severity of the firing events; `ok` if there are none. */
  readonly severity: 'ok' | 'warning' | 'critical' | 'unknown';
  /** Number of firing events. */
  readonly firing: number;
  /** Number of events that are new, changed status, and resolved since the last run. */
  readonly new: number;
  readonly changed: number;
  readonly resolved: number;
  /** Number of events that are not in the list because of its limit. */
  readonly omitted: number;
  /** Changed events first, within them the worst first, then the others. */
  readonly events: readonly GroupedEvent[];
}

/** A run of a handler for an event. It is stored in the commit of the event, until the run is finished. */
export interface HandlerJob {
  /** Unique forever, and ascending in the order of events. */
  readonly id: number;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  /** The name of its definition, which is looked up at the run. */
  readonly handler: string;
  /** Epoch milliseconds when it was queued. */
  readonly queued_at: number;
  /** The whole event with its secrets; for a group, the first of its events. */
  readonly event: HandledEvent;
  /** The group, for a handler with `group_by`; absent for a single event. */
  readonly group?: GroupRun | undefined;
}

/** The reason why a run failed for good. It is stored with its job, which is then a dead letter. */
export interface JobFailure {
  /** Number of attempts since the backend started; 0 if there was none, for example because the queue was full. */
  readonly attempts: number;
  /** Epoch milliseconds of the last failure. */
  readonly failed_at: number;
  /** The reason for people. */
  readonly reason: string;
}
