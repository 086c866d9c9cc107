import type { Event } from '../../schemas/event.ts';
import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { RunningHandler } from '../../schemas/handler.ts';
import type { InhibitorRef, NotificationLog } from '../../schemas/notification-log.ts';
import type { Moment } from '../attribute-conditions.ts';
import type { StoredEvents } from '../filter-event.ts';
import type { HandlingDefinitions, RoutedHandler } from './route.ts';

/**
 * The inhibition of an event, which applies to all of its handlers: either another event inhibits it, or it resolves a
 * problem that was inhibited ever since it opened.
 */
export interface Inhibition {
  /** The reason for people; it completes the sentence "the handler is not notified, because …". */
  readonly reason: string;
  /**
   * The rule and the inhibiting event; undefined for the resolution of a problem that was inhibited since it opened.
   */
  readonly inhibitor?: InhibitorRef;
}

/** The inputs that the stages accept, silence, inhibit and filter need besides the event and the handler. */
export interface StageInputs {
  readonly namespace: string;
  readonly definitions: HandlingDefinitions;
  readonly events: StoredEvents;
  readonly moment: Moment;
  /** The inhibition that suppresses the event; undefined if none does. */
  readonly inhibition?: Inhibition | undefined;
  /**
   * True if this event has the id of an open event that is stored and stays unchanged, as with a result of a check of
   * `type: metric`. This event then never resolves the stored one.
   */
  readonly leavesStoredEventUnchanged?: boolean;
}

/** The attributes of a handler that its verdict on an event depends on. Built-in handlers have no attributes. */
export type HandlerConditions = Partial<
  Pick<
    RunningHandler,
    'filter' | 'filters' | 'severities' | 'mutator' | 'handle_silenced' | 'handle_flapping' | 'group_by'
  >
>;

/** The verdict of a handler on an event, without the name of the handler. */
export type StageVerdict = Omit<HandlerVerdict, 'handler'>;

/** The record of a handler's group about one event: whether the group has notified it, or skipped it as inhibited. */
export interface GroupNotificationRecord {
  /**
   * True if a flush skipped the event, because it was inhibited and the group had never notified it, and no later
   * result of the event has passed all stages for this handler.
   */
  readonly wasInhibitedAtFlush: boolean;
  /** True if the group has notified the event, even if the notification only counted the event in `omitted`. */
  readonly wasNotified: boolean;
}

/**
 * The setting `resolve-while-silenced`: when a handler that was notified of a problem is notified that the problem
 * resolved while it was silenced. `defer`: when the silence ends; `notify`: at once; `never`: not at all.
 */
export type ResolveWhileSilencedSetting = 'defer' | 'notify' | 'never';

/** The complete input for the decision which handlers are notified of an event. */
export interface NotificationContext extends StageInputs {
  readonly event: Event;
  /**
   * The event for handlers that get the v2 format. Only for these handlers, an OK result that resolves nothing counts
   * as silenced if silences match it.
   */
  readonly v2Event: Event;
  readonly handlers: readonly RoutedHandler[];
  /** The notification log of the event before this decision. */
  readonly notificationLog: NotificationLog;
  /** True if the event opens with this result. */
  readonly isNew: boolean;
  /**
   * The setting `renotify-after-silence`: true if handlers are notified of an event that is still firing when its
   * silence ends.
   */
  readonly renotifiesAfterSilence: boolean;
  readonly resolveWhileSilenced: ResolveWhileSilencedSetting;
  /**
   * Returns the record about the event in a group of the handler; undefined if no group of the handler has the event.
   */
  readonly findGroupRecord: (handler: string) => GroupNotificationRecord | undefined;
  /** True if neither the handler's queue nor the dead-letter queue has room for one more run. */
  readonly isQueueFull: (handler: string) => boolean;
}
