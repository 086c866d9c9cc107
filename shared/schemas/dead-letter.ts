import { z } from 'zod';
import type { GroupedEvent, HandledEvent } from './handler-job.ts';
import { answer, numberOrZero, type AnswerOf } from './answer.ts';

/** Which dead letters are to be retried or dropped: those of one handler, or all of them. */
export const deadLetterSelectionSchema = z.union(
  [z.strictObject({ handler: z.string().min(1) }), z.strictObject({ all: z.literal(true) })],
  { error: 'say which ones: {"handler": "NAME"} or {"all": true}' },
);
export type DeadLetterSelection = z.infer<typeof deadLetterSelectionSchema>;

/** A run of a handler that failed for good, as the list shows it. Times are epoch seconds. */
export const deadLetterAnswer = z.looseObject({
  /** Also the id of the delivery, which stays the same when it is retried. */
  id: z.number(),
  handler: z.string(),
  client: z.string(),
  check: z.string(),
  queued_at: z.number(),
  failed_at: z.number(),
  /** Tries since the backend started; 0: there was none, such as when its queue was full. */
  attempts: z.number(),
  reason: z.string(),
  /** Of a run of a group: what its events have in common, and how many they are. Client and check are those of the first. */
  group: z.looseObject({ label: z.string(), events: z.number() }).optional(),
});
export type DeadLetterSummary = AnswerOf<typeof deadLetterAnswer>;

/** A dead letter with its event, and all of its group, redacted as everything that people see. */
export type DeadLetterView = DeadLetterSummary & {
  readonly event: HandledEvent;
  readonly events?: readonly GroupedEvent[];
};

/** What one handler does, since the backend started. */
export const handlerAnswer = answer(
  z.looseObject({
    name: z.string(),
    /** As in its definition; `built-in`, or null when there is none any more. */
    type: z.string().nullable(),
    /** Runs that wait for their turn. */
    queued: z.number(),
    running: z.number(),
    /** Runs that wait for another try. */
    retrying: z.number(),
    delivered: z.number(),
    failed: z.number(),
    /** Groups of events that it has; absent: none. */
    groups: z.number().optional(),
    /** Its dead letters that there are now, also from before the backend started; older backends do not count them here. */
    dead_letters: numberOrZero,
    /** Of a try, `at` epoch seconds; null: none failed. */
    last_error: z.looseObject({ at: z.number(), reason: z.string() }).nullable(),
    /** Seconds since the oldest run that is not over was asked for; null: there is none. */
    oldest_age: z.number().nullable(),
  }),
);
export type HandlerStatus = z.infer<typeof handlerAnswer>;
