import type { Event } from './event.ts';

/** An event as handlers get it. */
export type HandledEvent = Event & {
  /** The silence that kept it from the handler ended while the problem persisted. */
  readonly silence_ended?: true;
};

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
  /** Whole, with its secrets. */
  readonly event: HandledEvent;
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
