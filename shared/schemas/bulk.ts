import { z } from 'zod';
import { acknowledgeShape } from './acknowledgement.ts';
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
 * Precondition: the `timestamp` that the current silence must have; null: no silence may exist; absent: no condition.
 * With it, an undo never removes a silence that somebody created in the meantime.
 */
const ifTimestamp = z.int().min(0).nullable().optional();

/** A silence to restore. It has an absolute end, `expire_at`, instead of a duration. */
const restoredEntrySchema = z
  .looseObject({
    subscription: subscriptionSchema.nullable(),
    check: objectNameSchema.nullable(),
    selector: z.string().min(1).max(STORED_SELECTOR_LENGTH_MAX).exactOptional(),
    reason: z.string().max(10_000).nullable(),
    creator: z.string().max(255).nullable(),
    /** Start of the silence, in epoch seconds; null: its creation. */
    begin: z.int().min(0).nullable(),
    expire_at: expireAtSchema,
    expire_on_resolve: z.boolean(),
    /** Time of creation, in epoch seconds. */
    timestamp: z.int().min(0),
    /** `lifetime`, `labels`, `annotations` and `asterisks` are set only by the v2 API, see `SilencedEntry`. */
    lifetime: z.int().min(0).max(LIFETIME_SECONDS_MAX).optional(),
    labels: pairsSchema.nullish(),
    annotations: pairsSchema.nullish(),
    asterisks: z
      .array(z.enum(['subscription', 'check']))
      .max(2)
      .optional(),
    recurrence: recurrenceSchema.optional(),
    /** The reminder that was sent about the end of the silence. */
    reminder_sent: reminderSentSchema.optional(),
  })
  .refine(isOneTarget, { message: TARGET_MESSAGE });

/** One operation of a bulk request. */
export const bulkOperationSchema = z.discriminatedUnion('op', [
  monSilencedSchema.safeExtend({ op: z.literal('silence') }),
  z.looseObject({ op: z.literal('clear'), id: z.string().min(1).max(512), if_timestamp: ifTimestamp }),
  z.looseObject({ op: z.literal('resolve'), client: storedClientNameSchema, check: objectNameSchema }),
  z.looseObject({ op: z.literal('acknowledge'), ...acknowledgeShape }),
  z.looseObject({ op: z.literal('unacknowledge'), client: storedClientNameSchema, check: objectNameSchema }),
  z.looseObject({ op: z.literal('restore'), entry: restoredEntrySchema, if_timestamp: ifTimestamp }),
]);

/** Body of `POST /api/mon/v1/bulk`. */
export const bulkSchema = z.looseObject({
  operations: z.array(bulkOperationSchema).min(1).max(BULK_MAX),
  /** `all`: the request is rejected if one operation is not possible. Absent: such operations are skipped. */
  expect: z.literal('all').nullish(),
  /**
   * The user to record in the audit trail if the API requires no credentials. Default: the creator of the first new
   * silence in the request.
   */
  creator: z.string().max(255).nullish(),
  /** True if the request reverts an earlier one. The audit trail records it as `undo`. */
  undo: z.boolean().nullish(),
});

/**
 * A bulk request before its operations are validated. As there may be thousands, they are validated one by one later.
 */
export const bulkEnvelopeSchema = bulkSchema.extend({ operations: z.array(z.unknown()).min(1).max(BULK_MAX) });

export type BulkOperation = z.infer<typeof bulkOperationSchema>;
export type BulkRequest = z.infer<typeof bulkSchema>;

/**
 * The reason why an operation was skipped.
 *
 * - `not_found`: the event or silence does not exist
 * - `changed`: the silence is not the one that `if_timestamp` expects
 * - `expired`: the silence to restore would have expired by now
 */
export type BulkRefusal = 'not_found' | 'changed' | 'expired';

/** The outcome of one operation of a bulk request. */
export interface BulkOutcome {
  readonly ok: boolean;
  readonly error?: BulkRefusal | undefined;
  /**
   * The operation that reverts this one. To revert several operations, send their `undo` in reverse order in a bulk
   * request.
   */
  readonly undo?: BulkOperation | undefined;
}

/** The response to a bulk request: the outcome of each operation, in the order of the request. */
export interface BulkResponse {
  readonly results: readonly BulkOutcome[];
}

/** Schema of `BulkResponse`, with only the attributes that callers rely on, see `response.ts`. */
export const bulkResponse: z.ZodType<BulkResponse> = z.looseObject({
  results: z.array(
    z.looseObject({
      ok: z.boolean(),
      error: z.enum(['not_found', 'changed', 'expired']).optional(),
      // `undo` is only sent back to the backend, which validates it.
      undo: z.custom<BulkOperation>((value) => typeof value === 'object' && value !== null).optional(),
    }),
  ),
});
