import { z } from 'zod';
import type { HandledEvent } from './handler-job.ts';
import { numberOrZero } from './answer.ts';

/** Which dead letters are to be retried or dropped: those of one handler, or all of them. */
export const deadLetterSelectionSchema = z.union(
  [z.strictObject({ handler: z.string().min(1) }), z.strictObject({ all: z.literal(true) })],
  { error: 'say which ones: {"handler": "NAME"} or {"all": true}' },
);
export type DeadLetterSelection = z.infer<typeof deadLetterSelectionSchema>;

/** A run of a handler that failed for good, as the list shows it. Times are epoch seconds. */
export interface DeadLetterSummary {
  /** Also the id of the delivery, which stays the same when it is retried. */
  readonly id: number;
  readonly handler: string;
  readonly client: string;
  readonly check: string;
  readonly queued_at: number;
  readonly failed_at: number;
  /** Tries since the backend started; 0: there was none, such as when its queue was full. */
  readonly attempts: number;
  readonly reason: string;
}

/** The same with its event, redacted as everything that people see. */
export interface DeadLetterView extends DeadLetterSummary {
  readonly event: HandledEvent;
}

/** What one handler does, since the backend started. */
export interface HandlerStatus {
  readonly name: string;
  /** As in its definition; `built-in`, or null when there is none any more. */
  readonly type: string | null;
  /** Runs that wait for their turn. */
  readonly queued: number;
  readonly running: number;
  /** Runs that wait for another try. */
  readonly retrying: number;
  readonly delivered: number;
  readonly failed: number;
  /** Its dead letters that there are now, also from before the backend started. */
  readonly dead_letters: number;
  /** Of a try; null: none failed. */
  readonly last_error: { /** Epoch seconds. */ readonly at: number; readonly reason: string } | null;
  /** Seconds since the oldest run that is not over was asked for; null: there is none. */
  readonly oldest_age: number | null;
}

/** As callers rely on it, see `answer.ts`. */
export const deadLetterAnswer = z.looseObject({
  id: z.number(),
  handler: z.string(),
  client: z.string(),
  check: z.string(),
  queued_at: z.number(),
  failed_at: z.number(),
  attempts: z.number(),
  reason: z.string(),
}) satisfies z.ZodType<DeadLetterSummary>;

/** As callers rely on it, see `answer.ts`. */
export const handlerAnswer: z.ZodType<HandlerStatus> = z.looseObject({
  name: z.string(),
  type: z.string().nullable(),
  queued: z.number(),
  running: z.number(),
  retrying: z.number(),
  delivered: z.number(),
  failed: z.number(),
  /** Dead letters that there are now; older backends do not count them here. */
  dead_letters: numberOrZero,
  last_error: z.looseObject({ at: z.number(), reason: z.string() }).nullable(),
  /** Seconds. */
  oldest_age: z.number().nullable(),
});
