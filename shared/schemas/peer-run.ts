import { z } from 'zod';
import { FAILURE_CATEGORIES } from './failure-category.ts';
import type { RunningHandler } from './handler.ts';
import type { GroupRun, HandledEvent } from './handler-job.ts';

/** Requests between cluster members, which run handlers for each other. Only members can send them. */

/** Path of requests about handler runs. `GET`: whether the member runs handlers; `POST`: runs a handler. */
export const PEER_RUNS_PATH = '/api/mon/v1/peers/runs';
/**
 * Path of `POST` requests with messages of transports, for the feed consumers that are connected to the receiving
 * member.
 */
export const PEER_PIECES_PATH = '/api/mon/v1/peers/pieces';

/** Maximum size of one request between members in bytes. The largest event is several times smaller. */
export const PEER_BYTES_MAX = 8 * 1024 * 1024;
/** Maximum number of transport messages in one request. */
export const PIECES_MAX = 256;

const REASON_LENGTH_MAX = 64 * 1024;

/** The definition of a handler that has the same effect on every member. */
export type MemberIndependentHandler = Extract<RunningHandler, { type: 'pipe' | 'tcp' | 'udp' | 'webhook' | 'email' }>;

/**
 * True if a handler may run on another member. A `transport` handler may not, because only the leader knows the order
 * of its messages.
 */
export function canRunOnOtherMember(handler: Pick<RunningHandler, 'type'>): handler is MemberIndependentHandler {
  return handler.type !== 'transport';
}

const nameSchema = z.string().min(1).max(4096);

/** The attributes of an event that the receiving member validates. */
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
 * A request to run a handler on another member. It names the handler, which the other member must define in the same
 * way, and contains no command. The event is validated but not parsed, so that the handler gets its attributes in the
 * stored order.
 */
export const runOrderSchema = z.strictObject({
  job: z.strictObject({
    id: z.int().min(0),
    namespace: nameSchema,
    client: nameSchema,
    check: nameSchema,
    handler: nameSchema,
    queued_at: z.number(),
    /** The group of the run. A member that does not support groups rejects the request, and another member runs it. */
    group: z.custom<GroupRun>((value) => groupShape.safeParse(value).success, 'must be a group').optional(),
    event: z.custom<HandledEvent>((value) => eventShape.safeParse(value).success, 'must be an event'),
  }),
  /** Digest of the definitions of the handler and its mutator, from `definitionDigest`. */
  definition: z.string().length(43),
  /** Number of the attempt, from 1. */
  attempt: z.int().min(1),
});
export type RunOrder = Readonly<z.infer<typeof runOrderSchema>>;

/**
 * The outcome of a handler run. Unknown attributes are ignored: a run that has ended must not be repeated because of
 * them.
 */
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

/** The response of a member to the question whether it runs handlers. */
export const takesRunsSchema = z.looseObject({ takes_runs: z.boolean() });

/** A message that a transport handler publishes. */
const pieceSchema = z.strictObject({ transport: z.string().min(1).max(255), namespace: nameSchema, data: z.string() });
export type PeerTransportMessage = z.infer<typeof pieceSchema>;

export const peerTransportMessagesSchema = z.strictObject({ pieces: z.array(pieceSchema).max(PIECES_MAX) });
