import { z } from 'zod';
import type { GroupedEvent, HandledEvent } from './handler-job.ts';
import { responseSchema, numberOrZero, type ResponseOf } from './response.ts';

/** Selects the dead letters to retry or drop: those of one handler, or all. */
export const deadLetterSelectionSchema = z.union(
  [z.strictObject({ handler: z.string().min(1) }), z.strictObject({ all: z.literal(true) })],
  { error: 'say which ones: {"handler": "NAME"} or {"all": true}' },
);
export type DeadLetterSelection = z.infer<typeof deadLetterSelectionSchema>;

/** A dead letter: a handler run that failed and is not retried automatically any more. Times are in epoch seconds. */
export const deadLetterResponse = z.looseObject({
  /** Id of the dead letter. A retry keeps this id. */
  id: z.number(),
  handler: z.string(),
  client: z.string(),
  check: z.string(),
  queued_at: z.number(),
  failed_at: z.number(),
  /** Number of attempts since the backend started; 0 if there was none, for example because the queue was full. */
  attempts: z.number(),
  reason: z.string(),
  /**
   * Present if the run was about a group: the common values of its events, and their number. `client` and `check` are
   * then those of the first event.
   */
  group: z.looseObject({ label: z.string(), events: z.number() }).optional(),
});
export type DeadLetterSummary = ResponseOf<typeof deadLetterResponse>;

/** A dead letter with its event, and for a group with all its events. Secrets are redacted. */
export type DeadLetterView = DeadLetterSummary & {
  readonly event: HandledEvent;
  readonly events?: readonly GroupedEvent[];
};

/** Status of a handler. Its counts start when the backend starts. */
export const handlerResponse = responseSchema(
  z.looseObject({
    name: z.string(),
    /** Type of the handler: that of its definition, or `built-in`; null if it is no longer defined. */
    type: z.string().nullable(),
    /** Number of runs that wait in the queue. */
    queued: z.number(),
    running: z.number(),
    /** Number of runs that wait for a retry. */
    retrying: z.number(),
    delivered: z.number(),
    failed: z.number(),
    /** Number of current groups of events of the handler; absent: none. */
    groups: z.number().optional(),
    /**
     * Number of dead letters of the handler, including those from before the start; 0 from an older backend, which does
     * not send it.
     */
    dead_letters: numberOrZero,
    /** Time (epoch seconds) and reason of the last failed attempt; null if no attempt failed. */
    last_error: z.looseObject({ at: z.number(), reason: z.string() }).nullable(),
    /** Age of the oldest unfinished run, in seconds; null if there is none. */
    oldest_age: z.number().nullable(),
  }),
);
export type HandlerStatus = z.infer<typeof handlerResponse>;
