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

/** Maximum number of operations in one `POST /api/mon/v1/bulk`. */
const BULK_MAX = 10_000;

/**
 * Precondition on the present silence: its `timestamp`; null: there must be none; absent: no condition. So an undo
 * never removes a silence that somebody created in the meantime.
 */
const ifTimestamp = z.int().min(0).nullable().optional();

/** A silence to restore, with an absolute end. */
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
    /** Attributes that only the v2 API sets, see `SilencedEntry`. */
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

/** One operation of a bulk request. */
export const bulkOperationSchema = z.discriminatedUnion('op', [
  monSilencedSchema.safeExtend({ op: z.literal('silence') }),
  z.looseObject({ op: z.literal('clear'), id: z.string().min(1).max(512), if_timestamp: ifTimestamp }),
  z.looseObject({ op: z.literal('resolve'), client: storedClientNameSchema, check: objectNameSchema }),
  z.looseObject({ op: z.literal('restore'), entry: restoredEntrySchema, if_timestamp: ifTimestamp }),
]);

/** Body of `POST /api/mon/v1/bulk`. */
export const bulkSchema = z.looseObject({
  operations: z.array(bulkOperationSchema).min(1).max(BULK_MAX),
  /** `all`: executes all operations or none. Otherwise those whose object is gone are skipped. */
  expect: z.literal('all').nullish(),
  /**
   * The actor for the audit trail, if the API needs no credentials. Default: the creator of a silence in the request.
   */
  creator: z.string().max(255).nullish(),
  /** Whether the request is an undo, for the audit trail. */
  undo: z.boolean().nullish(),
});

/** A bulk request whose operations are not validated yet: thousands of them are validated one by one. */
export const bulkEnvelopeSchema = bulkSchema.extend({ operations: z.array(z.unknown()).min(1).max(BULK_MAX) });

export type BulkOperation = z.infer<typeof bulkOperationSchema>;
export type BulkRequest = z.infer<typeof bulkSchema>;

/**
 * The reason why an operation was not executed: its object does not exist, it was changed by somebody else, or the
 * silence to restore would be expired.
 */
export type BulkRefusal = 'not_found' | 'changed' | 'expired';

/** The outcome of an operation. */
export interface BulkOutcome {
  readonly ok: boolean;
  readonly error?: BulkRefusal | undefined;
  /** The operation that reverts it, to be sent in another bulk request; several must be sent in reverse order. */
  readonly undo?: BulkOperation | undefined;
}

/** The response: an outcome for each operation, in their order. */
export interface BulkAnswer {
  readonly results: readonly BulkOutcome[];
}

/** The attributes that callers rely on, see `answer.ts`. */
export const bulkAnswer: z.ZodType<BulkAnswer> = z.looseObject({
  results: z.array(
    z.looseObject({
      ok: z.boolean(),
      error: z.enum(['not_found', 'changed', 'expired']).optional(),
      // Sent back unchanged, so it is not validated.
      undo: z.custom<BulkOperation>((value) => typeof value === 'object' && value !== null).optional(),
    }),
  ),
});
