import { z } from 'zod';
import { LIFETIME_SECONDS_MAX } from './lifetime.ts';
import { objectNameSchema, storedClientNameSchema } from './name.ts';

/** Maximum number of characters in the note of an acknowledgement. */
const NOTE_LENGTH_MAX = 1000;
/** Maximum number of characters in the name of an owner. */
const OWNER_LENGTH_MAX = 255;

const ownerSchema = z.string().trim().min(1).max(OWNER_LENGTH_MAX);
const noteSchema = z.string().max(NOTE_LENGTH_MAX);

/**
 * An acknowledgement as it is stored with its open event: an operator works on the problem, so handlers get no further
 * notification of the event until it resolves. Times are in epoch seconds.
 */
export const acknowledgementSchema = z.object({
  /** Name of the user who works on the problem. */
  owner: ownerSchema,
  note: noteSchema.exactOptional(),
  /** Time at which the event was acknowledged. */
  at: z.number(),
  /** Time at which the acknowledgement expires; absent: when the event resolves. */
  until: z.number().exactOptional(),
  /** Present if a worse status does not end the acknowledgement. */
  sticky: z.literal(true).exactOptional(),
  /** Status of the event when it was acknowledged; a worse status ends the acknowledgement unless it is sticky. */
  status: z.int(),
});
export type Acknowledgement = Readonly<z.infer<typeof acknowledgementSchema>>;

/** The acknowledgement in events of all APIs. Times are in epoch seconds. */
export const shownAcknowledgementSchema = z.object({
  /** Name of the owner: the user who works on the problem. */
  by: z.string(),
  at: z.number(),
  note: z.string().exactOptional(),
  /** Time at which the acknowledgement expires; absent: when the event resolves. */
  until: z.number().exactOptional(),
  sticky: z.literal(true).exactOptional(),
});
export type ShownAcknowledgement = Readonly<z.infer<typeof shownAcknowledgementSchema>>;

/** The attributes with which an event is acknowledged. */
export const acknowledgeShape = {
  client: storedClientNameSchema,
  check: objectNameSchema,
  /** Name of the owner. Only callers that may act for others can set it; default: the authenticated user. */
  owner: ownerSchema.nullish(),
  note: noteSchema.nullish(),
  /** Number of seconds after which the acknowledgement expires; absent: when the event resolves. */
  expire: z.int().min(1).max(LIFETIME_SECONDS_MAX).nullish(),
  /** Time at which the acknowledgement expires, in epoch seconds. `expire` and `expires_at` exclude each other. */
  expires_at: z.number().min(0).nullish(),
  sticky: z.boolean().nullish(),
} as const;

/** Body of `POST /api/mon/v1/acknowledgements`. */
export const acknowledgeSchema = z
  .looseObject(acknowledgeShape)
  .refine(({ expire, expires_at: expiresAt }) => (expire ?? null) === null || (expiresAt ?? null) === null, {
    message: 'expire and expires_at exclude each other: remove one of them',
  });

/** An acknowledged event in `GET /api/mon/v1/acknowledgements`. Times are in epoch seconds. */
export const acknowledgementRowSchema = z.looseObject({
  /** Namespace of the event; present only if all namespaces are requested. */
  namespace: z.string().exactOptional(),
  client: z.string(),
  check: z.string(),
  owner: z.string(),
  note: z.string().exactOptional(),
  acknowledged_at: z.number(),
  /** Time at which the acknowledgement expires; null: when the event resolves. */
  expires_at: z.number().nullable(),
  sticky: z.boolean(),
  /** Status of the event now. */
  status: z.number(),
});
export interface AcknowledgementRow {
  readonly namespace?: string;
  readonly client: string;
  readonly check: string;
  readonly owner: string;
  readonly note?: string;
  readonly acknowledged_at: number;
  readonly expires_at: number | null;
  readonly sticky: boolean;
  readonly status: number;
}
