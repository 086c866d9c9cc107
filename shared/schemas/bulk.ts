import { z } from 'zod';
import { expireAtSchema } from './expiry.ts';
import { LIFETIME_SECONDS_MAX } from './lifetime.ts';
import { objectNameSchema, storedClientNameSchema, subscriptionSchema } from './name.ts';
import { recurrenceSchema } from './recurrence.ts';
import {
  isOneTarget,
  monSilencedSchema,
  reminderSentSchema,
  STORED_SELECTOR_LENGTH_MAX,
  TARGET_MESSAGE,
} from './silenced.ts';
import { pairsSchema } from './v2/metadata.ts';

/** Most operations of one `POST /api/mon/v1/bulk`. */
const BULK_MAX = 10_000;

/**
 * Condition on the silenced entry that is there now: the `timestamp` that it must have, null: there must be none, absent:
 * no condition. So an undo never takes away what somebody else made since.
 */
const ifTimestamp = z.int().min(0).nullable().optional();

/** A silenced entry as it was, with its end as a time. */
const restoredEntrySchema = z
  .looseObject({
    subscription: subscriptionSchema.nullable(),
    check: objectNameSchema.nullable(),
    selector: z.string().min(1).max(STORED_SELECTOR_LENGTH_MAX).exactOptional(),
    reason: z.string().max(10_000).nullable(),
    creator: z.string().max(255).nullable(),
    /** Epoch seconds. */
    begin: z.int().min(0).nullable(),
    expire_at: expireAtSchema,
    expire_on_resolve: z.boolean(),
    /** Epoch seconds. */
    timestamp: z.int().min(0),
    /** What only version 2 says of it, see `SilencedEntry`. */
    lifetime: z.int().min(0).max(LIFETIME_SECONDS_MAX).optional(),
    labels: pairsSchema.nullish(),
    annotations: pairsSchema.nullish(),
    asterisks: z
      .array(z.enum(['subscription', 'check']))
      .max(2)
      .optional(),
    recurrence: recurrenceSchema.optional(),
    /** The reminder that was sent for this end. */
    reminder_sent: reminderSentSchema.optional(),
  })
  .refine(isOneTarget, { message: TARGET_MESSAGE });

/** One operation of a bulk. */
export const bulkOperationSchema = z.discriminatedUnion('op', [
  monSilencedSchema.safeExtend({ op: z.literal('silence') }),
  z.looseObject({ op: z.literal('clear'), id: z.string().min(1).max(512), if_timestamp: ifTimestamp }),
  z.looseObject({ op: z.literal('resolve'), client: storedClientNameSchema, check: objectNameSchema }),
  z.looseObject({ op: z.literal('restore'), entry: restoredEntrySchema, if_timestamp: ifTimestamp }),
]);

/** Body of `POST /api/mon/v1/bulk`. */
export const bulkSchema = z.looseObject({
  operations: z.array(bulkOperationSchema).min(1).max(BULK_MAX),
  /** All of them or none; otherwise those whose object is gone are left out. */
  expect: z.literal('all').nullish(),
  /** For the audit trail: who does it, where nobody has to show credentials. Default: the creator of a silence among them. */
  creator: z.string().max(255).nullish(),
  /** For the audit trail: it takes back what was done before. */
  undo: z.boolean().nullish(),
});

/** The same with operations that are not yet validated: thousands of them are validated one by one. */
export const bulkEnvelopeSchema = bulkSchema.extend({ operations: z.array(z.unknown()).min(1).max(BULK_MAX) });

export type BulkOperation = z.infer<typeof bulkOperationSchema>;
export type BulkRequest = z.infer<typeof bulkSchema>;

/**
 * Why an operation was not done: what it is about is not there, somebody else changed it since, or the entry to be
 * restored would be over by now.
 */
export type BulkRefusal = 'not_found' | 'changed' | 'expired';

/** What became of an operation. */
export interface BulkOutcome {
  readonly ok: boolean;
  readonly error?: BulkRefusal | undefined;
  /** What takes it back, to be sent in the same way; of several the last one first. */
  readonly undo?: BulkOperation | undefined;
}

/** The answer: an outcome for each operation, in their order. */
export interface BulkAnswer {
  readonly results: readonly BulkOutcome[];
}

/** As callers rely on it, see `answer.ts`. */
export const bulkAnswer: z.ZodType<BulkAnswer> = z.looseObject({
  results: z.array(
    z.looseObject({
      ok: z.boolean(),
      error: z.enum(['not_found', 'changed', 'expired']).optional(),
      // Sent back as it came, without a look into it.
      undo: z.custom<BulkOperation>((value) => typeof value === 'object' && value !== null).optional(),
    }),
  ),
});
