import type { Event } from './event.ts';
import type { SilencedRow } from './feed.ts';
import type { GroupChange } from './grouping.ts';

/** An event as handlers get it. */
export type HandledEvent = Event & {
  /** The silence that kept it from the handler ended while the problem persisted. */
  readonly silence_ended?: true;
  /** It tells of a silence that is about to end: this one (spec, reminder 3). */
  readonly silence_ending?: SilencedRow;
  /** The inhibition that kept it from its handlers ended, or its rule is gone, while the problem persisted. */
  readonly inhibition_ended?: true;
};

/** An event within its group. */
export type GroupedEvent = HandledEvent & { readonly change: GroupChange };

/** What one run tells of a group (grouping 3). */
export interface GroupRun {
  /** Of the group: the same in all of its runs. */
  readonly id: string;
  /** What its events have in common, by the names of `group_by`. */
  readonly by: Readonly<Record<string, string>>;
  /** Whether something changed since its last run, or it is told again. */
  readonly cause: 'change' | 'repeat';
  /** The worst of those that persist; `ok`: none does. */
  readonly severity: 'ok' | 'warning' | 'critical' | 'unknown';
  /** Events whose problem persists. */
  readonly firing: number;
  /** How many events were not told of before, or with another status, and how many ended. */
  readonly new: number;
  readonly changed: number;
  readonly resolved: number;
  /** The number of these events that are not in the list, because it would be too long. */
  readonly omitted: number;
  /** What changed comes first, the worst of it before the rest. */
  readonly events: readonly GroupedEvent[];
}

/** One run of a handler that an event asked for; stored in the commit of its event, until the run is over. */
export interface HandlerJob {
  /** Ascending in the order of the events, unique for good. */
  readonly id: number;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  /** The name of its definition, which is looked up when it runs. */
  readonly handler: string;
  /** Epoch milliseconds when it was asked for. */
  readonly queued_at: number;
  /** Whole, with its secrets. Of a group: the first of its events. */
  readonly event: HandledEvent;
  /** Of a handler with `group_by`: all that it is told of. Absent: the event alone. */
  readonly group?: GroupRun | undefined;
}

/** Why a run failed for good. Stored beside its job, which then is a dead letter. */
export interface JobFailure {
  /** How often it was tried since the backend started; 0: never, such as when its queue was full. */
  readonly attempts: number;
  /** Epoch milliseconds of the last failure. */
  readonly failed_at: number;
  /** For people. */
  readonly reason: string;
}
