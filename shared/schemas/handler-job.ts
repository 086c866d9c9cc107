import type { EscalationNotice } from './escalation.ts';
import type { Event } from './event.ts';
import type { SilencedRow } from './feed.ts';
import type { GroupChange } from './grouping.ts';

/** An event as a handler gets it, with attributes about the end of a suppression. */
export type HandledEvent = Event & {
  /** Present if the event is notified because a silence that suppressed it ended while the event was firing. */
  readonly silence_ended?: true;
  /** The silence that is about to end, if the notification is a reminder (spec, reminder 3). */
  readonly silence_ending?: SilencedRow;
  /**
   * Present if the event is notified because an inhibition that suppressed it ended, or its rule was removed, while the
   * event was firing.
   */
  readonly inhibition_ended?: true;
  /** Present if the event is notified because an operator has acknowledged it. Only some presets get such an event. */
  readonly acknowledgement_started?: true;
  /** Present if the event is notified because its acknowledgement expired while the event was firing. */
  readonly acknowledgement_expired?: true;
  /** Present if the event is notified although it was acknowledged, because its status got worse. */
  readonly acknowledgement_ended?: true;
  /** Present if an escalation notifies the handler: the escalation and its step. */
  readonly escalation?: EscalationNotice;
};

/** An event in the notification of a group. */
export type GroupedEvent = HandledEvent & { readonly change: GroupChange };

/** The content of one handler run about a group (grouping 3). */
export interface GroupRun {
  /** Id of the group, the same in all its runs. */
  readonly id: string;
  /** The common values of the events in the group, by the attribute names in `group_by`. */
  readonly by: Readonly<Record<string, string>>;
  /** The reason for the run: an event of the group changed, or the last notification is repeated. */
  readonly cause: 'change' | 'repeat';
  /** The worst severity of the firing events in the group; `ok` if there are none. */
  readonly severity: 'ok' | 'warning' | 'critical' | 'unknown';
  /** Number of firing events in the group. */
  readonly firing: number;
  /** Numbers of events that are new, that changed their status, and that resolved since the last run. */
  readonly new: number;
  readonly changed: number;
  readonly resolved: number;
  /** Number of events that `events` omits because of its limit. */
  readonly omitted: number;
  /** The events of the group: first those that changed since the last run, the worst first, then the unchanged ones. */
  readonly events: readonly GroupedEvent[];
}

/** A handler run for an event or a group. It is stored in the same commit as the event, until the run is finished. */
export interface HandlerJob {
  /** Id that is never reused. A later event has a greater id. */
  readonly id: number;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  /** Name of the handler. Its definition is looked up when the run starts. */
  readonly handler: string;
  /** Time at which the run was queued, in epoch milliseconds. */
  readonly queued_at: number;
  /** The whole event, with secrets. For a group, its first event. */
  readonly event: HandledEvent;
  /** The group, if the handler has `group_by`; absent for a run about a single event. */
  readonly group?: GroupRun | undefined;
}

/**
 * Describes a run that failed and is not retried automatically any more. It is stored with the job, which is then a
 * dead letter.
 */
export interface JobFailure {
  /** Number of attempts since the backend started; 0 if there was none, for example because the queue was full. */
  readonly attempts: number;
  /** Time of the last failure, in epoch milliseconds. */
  readonly failed_at: number;
  /** Reason for the failure, for people. */
  readonly reason: string;
}
