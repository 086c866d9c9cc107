import type { Event } from '../../schemas/event.ts';
import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { EscalationState } from '../../schemas/escalation.ts';
import type { RunningHandler } from '../../schemas/handler.ts';
import type { InhibitorRef, NotificationLog } from '../../schemas/notification-log.ts';
import type { EvaluationTime } from '../attribute-conditions.ts';
import type { StoredEvents } from '../filter-event.ts';
import type { HandlingDefinitions, RoutedHandler } from './route.ts';

/**
 * The reason why an event is inhibited for all of its handlers. Either another open event inhibits it, or it is the
 * resolution of a problem that was inhibited ever since it opened.
 */
export interface Inhibition {
  /** The reason as text for users. It completes the sentence "the handler is not notified, because …". */
  readonly reason: string;
  /**
   * The rule and the inhibiting event; undefined for the resolution of a problem that was inhibited since it opened.
   */
  readonly inhibitor?: InhibitorRef;
}

/** The inputs of the decision stages (accept, silence, inhibit, filter), besides the event and the handler. */
export interface StageInputs {
  readonly namespace: string;
  readonly definitions: HandlingDefinitions;
  readonly events: StoredEvents;
  readonly moment: EvaluationTime;
  /** The inhibition that suppresses the event; undefined if none does. */
  readonly inhibition?: Inhibition | undefined;
  /**
   * True if this event has the id of the stored open event of its check, but does not change the stored event. An
   * example is a result with `type: metric` that arrives while an event is open. Even with status 0, such a result does
   * not resolve the open event.
   */
  readonly leavesStoredEventUnchanged?: boolean;
}

/** The attributes of a handler definition that the decision stages read. Built-in handlers have none of them. */
export type HandlerConditions = Partial<
  Pick<
    RunningHandler,
    'filter' | 'filters' | 'severities' | 'mutator' | 'handle_silenced' | 'handle_flapping' | 'group_by'
  >
>;

/** The verdict about an event and a handler, without the name of the handler. */
export type StageVerdict = Omit<HandlerVerdict, 'handler'>;

/**
 * The record of a group of a handler about one event: whether the handler was notified of the event, or a flush skipped
 * the event because it was inhibited.
 */
export interface GroupNotificationRecord {
  /**
   * True if the event was inhibited at a flush before the handler was ever notified of it. The next result of the event
   * that passes all stages makes this false again.
   */
  readonly wasInhibitedAtFlush: boolean;
  /** True if a notification of the group has listed the event, or has counted it in `omitted`. */
  readonly wasNotified: boolean;
}

/**
 * The setting `resolve-while-silenced`: what happens with the resolution of a problem that resolves while it is
 * silenced. The handlers that were notified of the problem get the resolution when the silence ends (`defer`), at once
 * (`notify`), or not at all (`never`).
 */
export type ResolveWhileSilencedSetting = 'defer' | 'notify' | 'never';

/** The reason why the acknowledgement of a firing event ended: its deadline passed, or the status got worse. */
export type AcknowledgementEnd = 'expired' | 'worse';

/** The complete input for the decision which handlers are notified of an event. */
export interface NotificationContext extends StageInputs {
  readonly event: Event;
  /**
   * The event for handlers with the v2 event format. It equals `event`, with one exception: an OK result that resolves
   * no problem is marked as silenced only here, if an active silence matches it.
   */
  readonly v2Event: Event;
  readonly handlers: readonly RoutedHandler[];
  /** The notification log of the event before this decision. */
  readonly notificationLog: NotificationLog;
  /** The escalations of the event before this decision. */
  readonly escalations: readonly EscalationState[];
  /** True if the event opens with this result. */
  readonly isNewEvent: boolean;
  /** Set if the acknowledgement of the event has just ended while the problem still fires. */
  readonly acknowledgementEnd?: AcknowledgementEnd | undefined;
  /**
   * The setting `renotify-after-silence`. If true, handlers are notified when the silence of an event ends and the
   * event still fires.
   */
  readonly renotifiesAfterSilence: boolean;
  readonly resolveWhileSilenced: ResolveWhileSilencedSetting;
  /**
   * Returns what a group of the handler has recorded about the event; undefined if no group of the handler contains it.
   */
  readonly findGroupRecord: (handler: string) => GroupNotificationRecord | undefined;
  /**
   * Returns true if a new run of the handler would be rejected, because the queue of the handler and the dead-letter
   * queue are both full.
   */
  readonly isQueueFull: (handler: string) => boolean;
}
