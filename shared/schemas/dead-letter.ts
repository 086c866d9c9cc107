import { z } from 'zod';
import type { GroupedEvent, HandledEvent } from './handler-job.ts';
import { answer, numberOrZero, type AnswerOf } from './answer.ts';

/** The dead letters to retry or drop: those of one handler, or all. */
export const deadLetterSelectionSchema = z.union(
  [z.strictObject({ handler: z.string().min(1) }), z.strictObject({ all: z.literal(true) })],
  { error: 'say which ones: {"handler": "NAME"} or {"all": true}' },
);
export type DeadLetterSelection = z.infer<typeof deadLetterSelectionSchema>;

/** A dead letter in the list: a run of a handler that failed for good. Times are epoch seconds. */
export const deadLetterAnswer = z.looseObject({
  /** The id; a retry keeps it as the id of the delivery. */
  id: z.number(),
  handler: z.string(),
  client: z.string(),
  check: z.string(),
  queued_at: z.number(),
  failed_at: z.number(),
  /** Attempts since the backend started; 0 if there was none, for example because the queue was full. */
  attempts: z.number(),
  reason: z.string(),
  /**
   * The common values and the number of events, if the run was for a group. Client and check are those of the first
   * event.
   */
  group: z.looseObject({ label: z.string(), events: z.number() }).optional(),
});
export type DeadLetterSummary = AnswerOf<typeof deadLetterAnswer>;

/** A dead letter with its event, or all events of its group, redacted. */
export type DeadLetterView = DeadLetterSummary & {
  readonly event: HandledEvent;
  readonly events?: readonly GroupedEvent[];
};

/** Status of a handler, since the backend started. */
export const handlerAnswer = answer(
  z.looseObject({
    name: z.string(),
    /** Type in the definition; `built-in`, or null if there is no definition any more. */
    type: z.string().nullable(),
    /** Runs that wait in the queue. */
    queued: z.number(),
    running: z.number(),
    /** Runs that wait for a retry. */
    retrying: z.number(),
    delivered: z.number(),
    failed: z.number(),
    /** Number of its current groups of events; absent: none. */
    groups: z.number().optional(),
    /** Number of its dead letters, including those from before the start; older backends do not count them here. */
    dead_letters: numberOrZero,
    /** The last failed attempt, `at` in epoch seconds; null if none failed. */
    last_error: z.looseObject({ at: z.number(), reason: z.string() }).nullable(),
    /** Age of the oldest unfinished run, in seconds; null if there is none. */
    oldest_age: z.number().nullable(),
  }),
);
export type HandlerStatus = z.infer<typeof handlerAnswer>;
