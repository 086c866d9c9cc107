import { z } from 'zod';
import type { RunningHandler } from './handler.ts';
import type { GroupRun, HandledEvent } from './handler-job.ts';

/** What backends that share a store ask of each other, and nobody else can: handlers run on each of them. */

/** `GET`: whether it runs handlers. `POST`: runs one. */
export const PEER_RUNS_PATH = '/api/mon/v1/peers/runs';
/** `POST`: pieces of transports, for those who listen there. */
export const PEER_PIECES_PATH = '/api/mon/v1/peers/pieces';

/** Of one request: several times the largest event. */
export const PEER_BYTES_MAX = 8 * 1024 * 1024;
/** In one request. */
export const PIECES_MAX = 256;

const REASON_LENGTH_MAX = 64 * 1024;

/** A handler that does the same wherever it runs. */
export type MovableHandler = Extract<RunningHandler, { type: 'pipe' | 'tcp' | 'udp' | 'webhook' | 'email' }>;

/** Whether it may run on another backend: a transport publishes where the order of its pieces is known. */
export function isMovable(handler: Pick<RunningHandler, 'type'>): handler is MovableHandler {
  return handler.type !== 'transport';
}

const nameSchema = z.string().min(1).max(4096);

/** As far as it is looked into on the way. */
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
 * One run of a handler. It names a definition that the backend which runs it has to have itself: no command comes with
 * it. The event is only looked at, so that handlers get its attributes in the order in which they were stored.
 */
export const runOrderSchema = z.strictObject({
  job: z.strictObject({
    id: z.int().min(0),
    namespace: nameSchema,
    client: nameSchema,
    check: nameSchema,
    handler: nameSchema,
    queued_at: z.number(),
    /** A backend that does not know of groups refuses the order, and another one runs it. */
    group: z.custom<GroupRun>((value) => groupShape.safeParse(value).success, 'must be a group').optional(),
    event: z.custom<HandledEvent>((value) => eventShape.safeParse(value).success, 'must be an event'),
  }),
  /** The digest of the definitions of `job.handler` and of its mutator, as `definitionDigest` makes it. */
  definition: z.string().length(43),
  /** 1 for the first try. */
  attempt: z.int().min(1),
});
export type RunOrder = Readonly<z.infer<typeof runOrderSchema>>;

/** How it ended. */
export const runOutcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('delivered') }),
  z.strictObject({
    kind: z.literal('failed'),
    reason: z.string().max(REASON_LENGTH_MAX),
    isRetryable: z.boolean(),
    retryAfterMs: z.number().min(0).optional(),
  }),
]);

/** The answer to whether it runs handlers. */
export const takesRunsSchema = z.looseObject({ takes_runs: z.boolean() });

/** What a transport publishes. */
const pieceSchema = z.strictObject({ transport: z.string().min(1).max(255), namespace: nameSchema, data: z.string() });
export type Piece = z.infer<typeof pieceSchema>;

export const piecesSchema = z.strictObject({ pieces: z.array(pieceSchema).max(PIECES_MAX) });
