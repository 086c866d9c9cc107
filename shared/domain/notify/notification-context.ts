import type { Event } from '../../schemas/event.ts';
import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { RunningHandler } from '../../schemas/handler.ts';
import type { InhibitorRef, NotificationLog } from '../../schemas/notification-log.ts';
import type { Moment } from '../attribute-conditions.ts';
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
  readonly moment: Moment;
  /** The inhibition that suppresses the event; undefined if none does. */
  readonly inhibition?: Inhibition | undefined;
  /**
   * True if this event has the id of the stored open event of its check, but does not change that event. An example is
   * a result with `type: metric` that arrives while an event is open: even with status 0, it does not resolve the open
   * event.
   */
  readonly leavesStoredEventUnchanged?: boolean;
}

/** The attributes of a handler that decide its verdict on an event. Built-in handlers have no attributes. */
export type HandlerConditions = Partial<
  Pick<
    RunningHandler,
    'filter' | 'filters' | 'severities' | 'mutator' | 'handle_silenced' | 'handle_flapping' | 'group_by'
  >
>;

/** The verdict of a handler on an event, without the name of the handler. */
export type StageVerdict = Omit<HandlerVerdict, 'handler'>;

/**
 * The record that a handler's group has about one event: whether the handler was notified of it, or it was skipped
 * because it was inhibited.
 */
export interface GroupNotificationRecord {
  /**
   * True if the event was inhibited at a flush before the handler was ever notified of it. The next result of the event
   * that passes all stages makes this false again.
   */
  readonly wasInhibitedAtFlush: boolean;
  /** True if a notification of the group has included the event, even if only by counting it in `omitted`. */
  readonly wasNotified: boolean;
}

/**
 * The setting `resolve-while-silenced`. If a problem resolves while it is silenced, the setting decides when the
 * handlers that were notified of the problem get its resolution. `defer`: when the silence ends; `notify`: at once;
 * `never`: not at all.
 */
export type ResolveWhileSilencedSetting = 'defer' | 'notify' | 'never';

/** The complete input for the decision which handlers are notified of an event. */
export interface NotificationContext extends StageInputs {
  readonly event: Event;
  /**
   * The event for handlers with the v2 event format. It differs from `event` only for an OK result that resolves
   * nothing: there it is silenced if silences match it.
   */
  readonly v2Event: Event;
  readonly handlers: readonly RoutedHandler[];
  /** The notification log of the event before this decision. */
  readonly notificationLog: NotificationLog;
  /** True if the event opens with this result. */
  readonly isNewEvent: boolean;
  /**
   * The setting `renotify-after-silence`. If true, handlers are notified of an event when its silence ends, provided
   * that the event is still firing.
   */
  readonly renotifiesAfterSilence: boolean;
  readonly resolveWhileSilenced: ResolveWhileSilencedSetting;
  /**
   * Returns what a group of the handler has recorded about the event; undefined if no group of the handler contains it.
   */
  readonly findGroupRecord: (handler: string) => GroupNotificationRecord | undefined;
  /** True if neither the handler's queue nor the dead-letter queue has room for one more run. */
  readonly isQueueFull: (handler: string) => boolean;
}
