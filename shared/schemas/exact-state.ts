import { z } from 'zod';
import { objectNameSchema, v2NameSchema } from './name.ts';
import { notificationLogSchema, withNotificationLog } from './notification-log.ts';
import { acknowledgementSchema } from './acknowledgement.ts';
import { escalationStatesSchema } from './escalation.ts';
import { recoverySchema } from './recovery.ts';
import { recurrenceResponse, recurrenceSchema } from './recurrence.ts';
import { reminderSentSchema, silenceIdleSchema, windowUseSchema, STORED_SELECTOR_LENGTH_MAX } from './silenced.ts';

/** Number of stored statuses of a check: the 21 that are shown, and the one before them. */
const HISTORY_LENGTH = 22;

/*
 * The attribute `mon` of an object in a dump contains the exact state of the object: what a restore needs, in addition
 * to the v2 format, to restore the object unchanged. It comes from a file, so it is validated like any other input.
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

/**
 * The stored state of an open event. Dumps of schema 4 have other fields instead of `notifications`, which are
 * converted.
 */
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
    acknowledgement: acknowledgementSchema.optional(),
    escalations: escalationStatesSchema.optional(),
  }),
);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The attribute `mon` of an event in a dump: the stored state of the check on the client. */
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

/** The attribute `mon` of an entity in a dump: the client, with attributes that the API does not show. */
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

/**
 * The attribute `mon` of a silence in a dump. `endOf` parses `expire_at`, because older dumps have milliseconds there.
 */
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
    recurrence: recurrenceResponse.refine((value) => recurrenceSchema.safeParse(value).success).exactOptional(),
    /** The attribute `reminder_sent` of the silence. Dumps still use its former name. */
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

/** The attribute `mon` of a user in a dump: the time of the last password change, in epoch milliseconds. */
export const exactUserSchema = z.object({ password_changed_ms: z.int().min(0) });
