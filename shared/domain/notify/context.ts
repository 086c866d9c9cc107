import type { Event } from '../../schemas/event.ts';
import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { RunningHandler } from '../../schemas/handler.ts';
import type { InhibitorRef, NotificationLog } from '../../schemas/notification-log.ts';
import type { Moment } from '../attribute-conditions.ts';
import type { StoredEvents } from '../filter-event.ts';
import type { HandlingDefinitions, RoutedHandler } from './route.ts';

/** A reason why an event notifies no handler, whatever their conditions are. */
export interface Inhibition {
  /** Text for people that follows "this handler, because". */
  readonly reason: string;
  /** The rule and the inhibiting event. Undefined for the resolution of an event that was inhibited since it opened. */
  readonly by?: InhibitorRef;
}

/** Inputs of the stages from outside. */
export interface StageInputs {
  /** Namespace of the event. */
  readonly namespace: string;
  readonly definitions: HandlingDefinitions;
  readonly events: StoredEvents;
  readonly moment: Moment;
  /** The inhibition that suppresses the event; undefined if none does. */
  readonly inhibition?: Inhibition | undefined;
  /** Whether the stored event stays open unchanged, so that this one is not its resolution. */
  readonly isSeparateFromStored?: boolean;
}

/** The attributes of a handler that decide whether it is notified. Built-in handlers have none. */
export type Conditions = Partial<
  Pick<
    RunningHandler,
    'filter' | 'filters' | 'severities' | 'mutator' | 'handle_silenced' | 'handle_flapping' | 'group_by'
  >
>;

/** A verdict without the name of its handler. */
export type Verdict = Omit<HandlerVerdict, 'handler'>;

/** The knowledge of a group about one of its events. */
export interface GroupKnowledge {
  /** True if an inhibition suppressed the event when the group was flushed, and no result has arrived since. */
  readonly suppressedAtFlush: boolean;
  /** True if a notification of the group named the event. */
  readonly wasNotified: boolean;
}

/** When a handler is notified of the resolution of a problem that it knows, if a silence covers it. */
export type ResolveWhileSilenced = 'defer' | 'notify' | 'never';

/** Everything that decides which handlers of an event are notified. */
export interface NotificationContext extends StageInputs {
  readonly event: Event;
  /** The event as handlers of the v2 format get it, if that differs: an OK result that is silenced. */
  readonly v2Event: Event;
  readonly handlers: readonly RoutedHandler[];
  /** The log of the stored event before this notification. */
  readonly log: NotificationLog;
  /** True if the event opened just now. */
  readonly isNew: boolean;
  /** True if handlers are notified again when a silence ends. */
  readonly renotifiesAfterSilence: boolean;
  readonly resolveWhileSilenced: ResolveWhileSilenced;
  /** Returns what the group of a handler knows about the event; undefined: the event is not in a group of it. */
  readonly groupOf: (handler: string) => GroupKnowledge | undefined;
  /** True if the queue of a handler and the dead-letter queue are full. */
  readonly isQueueFull: (handler: string) => boolean;
}
