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
  /** Time at which the acknowledgement expires. Without it, the acknowledgement ends when the event resolves. */
  until: z.number().exactOptional(),
  /** Present if a worse status does not end the acknowledgement. */
  sticky: z.literal(true).exactOptional(),
  /** Status of the event when it was acknowledged; a worse status ends the acknowledgement unless it is sticky. */
  status: z.int(),
});
export type Acknowledgement = Readonly<z.infer<typeof acknowledgementSchema>>;

/** The acknowledgement in events of the v1 API and the mon API. */
export const shownAcknowledgementSchema = z.object({
  by: z.string().describe('Name of the owner: the user who works on the problem.'),
  at: z.number().meta({ description: 'Time of the acknowledgement.', 'x-unit': 'epoch seconds' }),
  note: z.string().exactOptional().describe('Note of the owner.'),
  until: z.number().exactOptional().meta({
    description: 'Time at which the acknowledgement expires. Absent if it has no deadline.',
    'x-unit': 'epoch seconds',
  }),
  sticky: z.literal(true).exactOptional().describe('Present if a worse status does not end the acknowledgement.'),
});
export type ShownAcknowledgement = Readonly<z.infer<typeof shownAcknowledgementSchema>>;

/** The attributes of an acknowledgement in a request. */
const acknowledgementShape = {
  owner: ownerSchema
    .nullish()
    .describe('Name of the owner. Only callers that may act for others can set it. Default: the authenticated user.'),
  note: noteSchema.nullish().describe('Note for other operators.'),
  expire: z.int().min(1).max(LIFETIME_SECONDS_MAX).nullish().meta({
    description: 'Time after which the acknowledgement expires. Default: when the event resolves.',
    'x-unit': 'seconds',
  }),
  expires_at: z.number().min(0).nullish().meta({
    description: 'Time at which the acknowledgement expires. It excludes `expire`.',
    'x-unit': 'epoch seconds',
  }),
  sticky: z.boolean().nullish().meta({
    description: 'Whether the acknowledgement stays if the status becomes worse.',
    default: false,
  }),
} as const;

/** The attributes with which an event is acknowledged. */
export const acknowledgeShape = {
  client: storedClientNameSchema.describe('Client of the event.'),
  check: objectNameSchema.describe('Check of the event.'),
  ...acknowledgementShape,
} as const;

const ONE_DEADLINE_MESSAGE = 'expire and expires_at exclude each other: remove one of them';

/** Body of `POST /api/mon/v1/acknowledgements`. */
export const acknowledgeSchema = z
  .looseObject(acknowledgeShape)
  .refine(hasOneDeadline, { message: ONE_DEADLINE_MESSAGE });

/** Maximum number of events that one search may acknowledge. */
export const ACKNOWLEDGED_AT_ONCE_MAX = 1000;

/** Body of `POST /api/mon/v1/acknowledgements/matching`. */
export const acknowledgeMatchingSchema = z
  .looseObject({
    search: z.string().trim().min(1).max(4096).describe('Search that selects the events. It matches at most 1,000.'),
    ...acknowledgementShape,
  })
  .refine(hasOneDeadline, { message: ONE_DEADLINE_MESSAGE });

function hasOneDeadline({
  expire,
  expires_at: expiresAt,
}: {
  readonly expire?: unknown;
  readonly expires_at?: unknown;
}): boolean {
  return (expire ?? null) === null || (expiresAt ?? null) === null;
}

/** An acknowledged event in `GET /api/mon/v1/acknowledgements`. Times are in epoch seconds. */
export const acknowledgementRowSchema = z.looseObject({
  /** Namespace of the event; present only if all namespaces are requested. */
  namespace: z.string().exactOptional(),
  client: z.string(),
  check: z.string(),
  owner: z.string(),
  note: z.string().exactOptional(),
  acknowledged_at: z.number(),
  /** Time at which the acknowledgement expires. With null, it ends when the event resolves. */
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
