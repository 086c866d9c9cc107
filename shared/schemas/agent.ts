import { z } from 'zod';
import { commandSchema, type CommandLine } from './command.ts';
import type { SubmittedResult } from './result.ts';

/**
 * The agent protocol: WebSocket at `/agent`, JSON text frames.
 *
 * The upgrade request names the agent and its namespace in headers, so that an unauthorized agent is rejected before
 * the connection opens. The first message of the agent is `hello`. The backend responds with `welcome`, which contains
 * the highest committed result id of the agent's spool, so that the agent knows where to resume. Result ids grow by one
 * within a spool. The backend acknowledges results after their commit: an `ack` covers all ids up to its `id`. It
 * ignores results whose ids were already committed. `window` is the maximum number of unacknowledged results. An
 * invalid result is acknowledged like any other, because it will never become valid, and reported in a `rejected`
 * frame. The backend sends `check_request` for the checks of the agent's subscriptions.
 *
 * An agent whose hello has `delta` may send an OK result as a delta to an earlier result of the same check. An `ack`
 * lists in `baselines` the ids of full results that the backend keeps as baselines. A baseline is valid until the
 * connection ends or another full result of that check arrives. In a delta, `baseline` is the id of the baseline and
 * replaces `check`; the delta also has the times and, if it differs, the output. A baseline becomes invalid when
 * something else changes the check or the configuration. Then the backend ignores the delta and all later results, and
 * sends `resend`. The agent discards all baselines, sends all results after the id in that message again, and repeats
 * that id as `resume_after` in the first of these frames.
 */
export const AGENT_PROTOCOL = 'mon.agent.v1';
export const AGENT_PATH = '/agent';

/** Headers of the WebSocket upgrade request: the name of the agent, and its namespace. */
export const AGENT_NAME_HEADER = 'Mon-Agent-Name';
export const AGENT_NAMESPACE_HEADER = 'Mon-Namespace';

/** WebSocket close code: another agent with the same name has connected. */
export const AGENT_REPLACED_CLOSE_CODE = 4001;

/** Maximum number of unacknowledged results of one agent. */
export const AGENT_WINDOW = 64;

/** Seconds between two keepalives of an agent (completion 1.10). */
export const KEEPALIVE_SECONDS = 20;

const resultIdSchema = z.int().positive();

/** The attribute `spool` of a client record. It is present while the agent cannot write its spool to disk. */
export const spoolTroubleSchema = z.looseObject({
  writable: z.literal(false),
  /** The problem and what to do, as one sentence. */
  reason: z.string().max(1000),
  /** Number of results that the agent has only in memory. */
  unsaved: z.int().min(0),
  /** Number of results that the agent dropped since its start because its memory was full. */
  dropped: z.int().min(0),
});
export type SpoolTrouble = z.infer<typeof spoolTroubleSchema>;

/** Maximum number of results in one frame. */
const FRAME_RESULTS_MAX = 1000;

/**
 * The first message of an agent. `client` is validated later, by `clientSchema`, so that an error message names the
 * invalid attribute.
 */
const helloSchema = z.looseObject({
  type: z.literal('hello'),
  client: z.record(z.string(), z.unknown()),
  /** Namespace of the agent. Default: the namespace in the upgrade request, or `default`. */
  namespace: z.string().optional(),
  /** Identifies the agent's spool. Result ids are unique only within one spool. */
  spool: z.string().min(1).max(64),
  /** True if the agent supports `baselines` and `resend`. Default: false; a delta result then closes the connection. */
  delta: z.boolean().optional(),
});

const keepaliveSchema = z.looseObject({
  type: z.literal('keepalive'),
  client: z.record(z.string(), z.unknown()),
});

const fullResultSchema = z.looseObject({
  id: resultIdSchema,
  signature: z.string().optional(),
  check: z.record(z.string(), z.unknown()),
});

const deltaResultSchema = z.strictObject({
  id: resultIdSchema,
  baseline: resultIdSchema,
  executed: z.int().min(0),
  issued: z.int().min(0),
  duration: z.number().optional(),
  output: z.string().optional(),
});

/**
 * A frame of results. Each `check` is validated later, by `resultSchema`, so that an invalid result is rejected without
 * the other results of the frame.
 */
export const resultsMessageSchema = z.looseObject({
  type: z.literal('results'),
  /**
   * The id of the last `resend` message, in the first frame that follows it: the results of this frame start after that
   * id.
   */
  resume_after: z.int().min(0).optional(),
  results: z
    .array(z.union([fullResultSchema, deltaResultSchema]))
    .min(1)
    .max(FRAME_RESULTS_MAX),
});

/** Messages from an agent to the backend. */
export const agentMessageSchema = z.discriminatedUnion('type', [helloSchema, keepaliveSchema, resultsMessageSchema]);
export type AgentMessage =
  | {
      readonly type: 'hello';
      readonly client: Readonly<Record<string, unknown>>;
      readonly namespace?: string | undefined;
      readonly spool: string;
      readonly delta?: boolean | undefined;
    }
  | { readonly type: 'keepalive'; readonly client: Readonly<Record<string, unknown>> }
  | {
      readonly type: 'results';
      readonly resume_after?: number | undefined;
      readonly results: readonly (AgentResult | DeltaResult)[];
    };

/** A full result with its id in the agent's spool. `signature` is the signature of the client, if it has one. */
export interface AgentResult {
  readonly id: number;
  readonly signature?: string | undefined;
  readonly check: SubmittedResult;
}

/** A delta to the OK result with the id `baseline`: the times and, if it differs, the output. */
export interface DeltaResult {
  readonly id: number;
  readonly baseline: number;
  /** Time at which the command ran, in epoch seconds. */
  readonly executed: number;
  /** Time at which the run was requested, in epoch seconds. */
  readonly issued: number;
  /** Run time in seconds; absent if the baseline has no duration. */
  readonly duration?: number | undefined;
  readonly output?: string | undefined;
}

/**
 * A request to run a check now: the check definition without `subscribers` and `interval`, with `name` and `issued`
 * (epoch seconds).
 */
export interface CheckRequest {
  readonly name: string;
  readonly issued: number;
  readonly command?: CommandLine;
  readonly timeout?: number;
  readonly source?: string;
  /**
   * Subscriptions for which the run was requested, if they are not those of the check. They are sent to Sensu Go
   * agents.
   */
  readonly subscribers?: readonly string[];
  /**
   * True if a v2 check contains tokens such as `{{ .name }}`, which are plain text in other checks. Absent in proxy
   * requests, because the backend substitutes their tokens. Results do not contain this attribute.
   */
  readonly entity_tokens?: boolean;
  readonly [attribute: string]: unknown;
}

/** Messages from the backend to an agent. */
export type BackendMessage =
  | { readonly type: 'welcome'; readonly version: string; readonly acked: number; readonly window: number }
  | { readonly type: 'ack'; readonly id: number; readonly baselines?: readonly number[] | undefined }
  /** Requests all results after this id again, in full. */
  | { readonly type: 'resend'; readonly after: number }
  | { readonly type: 'rejected'; readonly id: number; readonly error: string }
  | { readonly type: 'check_request'; readonly check: CheckRequest }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** Schema by which an agent validates messages from the backend, because it must not run an invalid check request. */
export const backendMessageSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('welcome'), version: z.string(), acked: z.int().min(0), window: z.int().positive() }),
  z.looseObject({ type: z.literal('ack'), id: z.int().min(0), baselines: z.array(resultIdSchema).optional() }),
  z.looseObject({ type: z.literal('resend'), after: z.int().min(0) }),
  z.looseObject({ type: z.literal('rejected'), id: z.int().min(0), error: z.string() }),
  z.looseObject({
    type: z.literal('check_request'),
    check: z.looseObject({
      name: z.string(),
      issued: z.int(),
      command: commandSchema.optional(),
      timeout: z.number().positive().optional(),
      source: z.string().optional(),
      entity_tokens: z.boolean().optional(),
    }),
  }),
  z.looseObject({ type: z.literal('error'), code: z.string(), message: z.string() }),
]);
