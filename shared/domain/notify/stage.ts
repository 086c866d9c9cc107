import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { RunningHandler } from '../../schemas/handler.ts';
import type { InhibitorRef } from '../../schemas/notification-log.ts';
import type { Moment } from '../attribute-conditions.ts';
import type { StoredEvents } from '../filter-event.ts';
import type { HandlingDefinitions } from './route.ts';

/** A reason why an event notifies no handler, whatever their conditions are. */
export interface Inhibition {
  /** Text for people that follows "this handler, because". */
  readonly reason: string;
  /** Undefined: the event is resolved now, and was inhibited since it opened. */
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
  readonly isBeside?: boolean;
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
