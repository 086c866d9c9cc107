import { z } from 'zod';
import { FAILURE_CATEGORIES } from './failure-category.ts';
import type { RunningHandler } from './handler.ts';
import type { GroupRun, HandledEvent } from './handler-job.ts';

/** Requests between members that share a store, which nobody else can send: members run handlers for each other. */

/** `GET`: whether the member runs handlers. `POST`: runs one. */
export const PEER_RUNS_PATH = '/api/mon/v1/peers/runs';
/** `POST`: messages of transports, for consumers connected to that member. */
export const PEER_PIECES_PATH = '/api/mon/v1/peers/pieces';

/** Maximum size of one request: several times the largest event. */
export const PEER_BYTES_MAX = 8 * 1024 * 1024;
/** Maximum number of messages in one request. */
export const PIECES_MAX = 256;

const REASON_LENGTH_MAX = 64 * 1024;

/** A handler that has the same effect on every member. */
export type MovableHandler = Extract<RunningHandler, { type: 'pipe' | 'tcp' | 'udp' | 'webhook' | 'email' }>;

/** Whether a handler may run on another member. A transport must publish where the order of its messages is known. */
export function isMovable(handler: Pick<RunningHandler, 'type'>): handler is MovableHandler {
  return handler.type !== 'transport';
}

const nameSchema = z.string().min(1).max(4096);

/** The attributes of an event that are validated on the way. */
const eventShape = z.looseObject({
  id: z.string(),
  client: z.looseObject({ name: z.string() }),
  check: z.looseObject({ name: z.string() }),
  timestamp: z.number(),
});

const groupShape = z.looseObject({
  id: z.string(),
  by: z.record(z.string(), z.string()),
  events: z.array(eventShape).min(1).max(1000),
});

/**
 * A run of a handler. It names a definition that the other member must have itself, and contains no command. The event
 * is not parsed but only validated, so that handlers get its attributes in the stored order.
 */
export const runOrderSchema = z.strictObject({
  job: z.strictObject({
    id: z.int().min(0),
    namespace: nameSchema,
    client: nameSchema,
    check: nameSchema,
    handler: nameSchema,
    queued_at: z.number(),
    /** A member that does not support groups rejects the run, and another one executes it. */
    group: z.custom<GroupRun>((value) => groupShape.safeParse(value).success, 'must be a group').optional(),
    event: z.custom<HandledEvent>((value) => eventShape.safeParse(value).success, 'must be an event'),
  }),
  /** Digest of the definitions of `job.handler` and its mutator, from `definitionDigest`. */
  definition: z.string().length(43),
  /** 1 for the first attempt. */
  attempt: z.int().min(1),
});
export type RunOrder = Readonly<z.infer<typeof runOrderSchema>>;

/** The outcome of a run. Unknown attributes are ignored: a run that has ended must not be repeated because of them. */
export const runOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('delivered') }),
  z.object({
    kind: z.literal('failed'),
    reason: z.string().max(REASON_LENGTH_MAX),
    category: z.enum(FAILURE_CATEGORIES).optional().catch(undefined),
    isRetryable: z.boolean(),
    retryAfterMs: z.number().min(0).optional(),
  }),
]);

/** The response whether the member runs handlers. */
export const takesRunsSchema = z.looseObject({ takes_runs: z.boolean() });

/** A message that a transport publishes. */
const pieceSchema = z.strictObject({ transport: z.string().min(1).max(255), namespace: nameSchema, data: z.string() });
export type PeerTransportMessage = z.infer<typeof pieceSchema>;

export const piecesSchema = z.strictObject({ pieces: z.array(pieceSchema).max(PIECES_MAX) });
