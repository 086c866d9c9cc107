import { z } from 'zod';
import { objectNameSchema, v2NameSchema } from './name.ts';
import { notificationLogSchema, withNotificationLog } from './notification-log.ts';
import { recoverySchema } from './recovery.ts';
import { recurrenceAnswer, recurrenceSchema } from './recurrence.ts';
import { reminderSentSchema, silenceIdleSchema, windowUseSchema, STORED_SELECTOR_LENGTH_MAX } from './silenced.ts';

/** Number of stored statuses of a check: those that are shown, and the one before. */
const HISTORY_LENGTH = 22;

/*
 * The exact state of an object in a dump, in the attribute `mon`. It adds to the v2 form what a restore needs to bring
 * the object back unchanged. It comes from a file, so it is validated like other input from outside.
 */

const secondsSchema = z.number().min(0);

/** A check result as it is stored. */
const checkSchema = z.looseObject({
  name: objectNameSchema,
  output: z.string(),
  status: z.int(),
  executed: z.number(),
  issued: z.number(),
});

const historySchema = z.object({
  length: z.int().min(0).max(HISTORY_LENGTH),
  recent: z.int().min(0),
  older: z.int().min(0),
  wide: z.array(z.int()).max(HISTORY_LENGTH).optional(),
});

/** Dumps of schema 4 have other fields in place of the log. */
const eventStateSchema = z.preprocess(
  (event) => (isObject(event) ? withNotificationLog(event) : event),
  z.object({
    id: z.string().min(1).max(255),
    action: z.enum(['create', 'flapping', 'resolve']),
    status: z.int(),
    occurrences: z.int().min(0),
    watermark: z.int().min(0),
    timestamp: secondsSchema,
    lastStateChange: secondsSchema.nullable().optional(),
    lastOk: secondsSchema.nullable(),
    totalStateChange: z.number(),
    notifications: notificationLogSchema,
    recovery: recoverySchema.optional(),
  }),
);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `mon` of an event: the record of a client and check. */
export const exactRecordSchema = z.object({
  history: historySchema,
  lastOk: secondsSchema.nullable(),
  okCount: z
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
  okWatermark: z
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
  event: eventStateSchema.optional(),
  eventHistory: historySchema.optional(),
  eventCheck: checkSchema.optional(),
  check: checkSchema.nullable(),
});

/** `mon` of an entity: the client with attributes that the API does not show. */
export const exactClientSchema = z.object({
  client: z.looseObject({
    name: v2NameSchema,
    address: z.string(),
    subscriptions: z.array(z.string().min(1).max(255)).max(1000),
    timestamp: secondsSchema,
    version: z.string(),
  }),
  signature: z.string(),
  reporter: z.string().optional(),
  isCounted: z.literal(false).optional(),
});

/** `mon` of a silence; its end in the form that `endOf` parses. */
export const exactSilencedSchema = z.object({
  entry: z.looseObject({
    id: z.string().min(1),
    subscription: z.string().nullable(),
    check: z.string().nullable(),
    selector: z.string().min(1).max(STORED_SELECTOR_LENGTH_MAX).exactOptional(),
    reason: z.string().nullable(),
    creator: z.string().nullable(),
    begin: secondsSchema.nullable(),
    expire_on_resolve: z.boolean(),
    timestamp: secondsSchema,
    expire_at: secondsSchema.nullable(),
    recurrence: recurrenceAnswer.refine((value) => recurrenceSchema.safeParse(value).success).exactOptional(),
    /** Dumps keep this name for `reminder_sent`. */
    reminded: reminderSentSchema.exactOptional(),
    idle: silenceIdleSchema.exactOptional(),
  }),
  use: z
    .object({
      suppressed: z.int().min(0),
      last_suppressed: secondsSchema.nullable(),
      window: windowUseSchema.exactOptional(),
      unmatched_since: secondsSchema.exactOptional(),
    })
    .optional(),
});

/** `mon` of a user, epoch milliseconds. */
export const exactUserSchema = z.object({ password_changed_ms: z.int().min(0) });
