import { z } from 'zod';
import { commandSchema, type CommandLine } from './command.ts';
import type { SubmittedResult } from './result.ts';

/**
 * The agent protocol: WebSocket at `/agent`, JSON text frames.
 *
 * The upgrade request names the agent and its namespace in headers, so that an unauthorized agent is rejected before
 * the connection opens. The agent opens with `hello`. The backend responds with `welcome` and the highest committed
 * result id of this spool, so that the agent knows where to resume. Results have ids that grow by one within a spool.
 * The backend acknowledges cumulatively after the commit and ignores ids that it has already seen. `window` is the
 * maximum number of unacknowledged results. An invalid result is acknowledged like any other, since it will never
 * become valid, and named in a `rejected` frame. The backend sends `check_request` for the checks of the agent's
 * subscriptions.
 *
 * An agent whose hello has `delta` may send an OK result as a delta to an earlier one of the same check. An `ack` lists
 * in `baselines` the ids of full results that the backend keeps as baselines. A baseline is valid until the connection
 * ends or another result of that check arrives. In a delta, `baseline` names the baseline and replaces `check`; the
 * delta also has the times and, if it differs, the output. A baseline becomes invalid when something else changes the
 * check or the configuration. Then the backend ignores that result and all later ones, and sends `resend`. The agent
 * discards all baselines, restarts after the id in that message, and sends that id as `resume_after` in its first
 * frame.
 */
export const AGENT_PROTOCOL = 'mon.agent.v1';
export const AGENT_PATH = '/agent';

/** Headers of the upgrade request. */
export const AGENT_NAME_HEADER = 'Mon-Agent-Name';
export const AGENT_NAMESPACE_HEADER = 'Mon-Namespace';

/** A private close code: another agent with this name has connected. */
export const AGENT_REPLACED = 4001;

/** Maximum number of unacknowledged results of one agent. */
export const AGENT_WINDOW = 64;

/** Seconds between keepalives (completion 1.10). */
export const KEEPALIVE_SECONDS = 20;

const resultIdSchema = z.int().positive();

/** The attribute `spool` of the client record of an agent that cannot write its spool; absent while it can. */
export const spoolTroubleSchema = z.looseObject({
  writable: z.literal(false),
  /** The problem and what to do, as one sentence. */
  reason: z.string().max(1000),
  /** The number of results that are only in memory. */
  unsaved: z.int().min(0),
  /** The number of results dropped because memory was full, since the start of the agent. */
  dropped: z.int().min(0),
});
export type SpoolTrouble = z.infer<typeof spoolTroubleSchema>;

/** Maximum number of results in one frame. */
const FRAME_RESULTS_MAX = 1000;

/** Opens a connection. The client record is validated by `clientSchema`, so that error messages name its attributes. */
const helloSchema = z.looseObject({
  type: z.literal('hello'),
  client: z.record(z.string(), z.unknown()),
  /** Default: the namespace in the upgrade request, or `default`. */
  namespace: z.string().optional(),
  /** Identifies the agent's spool: another spool has ids of its own. */
  spool: z.string().min(1).max(64),
  /** Whether the agent supports `baselines` and `resend`. Default: no; a delta result then closes the connection. */
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

/** Each check is validated by `resultSchema`, so that an invalid one is rejected alone. */
export const resultsMessageSchema = z.looseObject({
  type: z.literal('results'),
  /** The id in a `resend` message, after which this frame restarts. */
  resume_after: z.int().min(0).optional(),
  results: z
    .array(z.union([fullResultSchema, deltaResultSchema]))
    .min(1)
    .max(FRAME_RESULTS_MAX),
});

/** Messages from an agent. */
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

/** A result with its id in the agent's spool; `signature` is that of the client, if it has one. */
export interface AgentResult {
  readonly id: number;
  readonly signature?: string | undefined;
  readonly check: SubmittedResult;
}

/** A delta to the OK result with the id `baseline`: the times and, if it differs, the output. */
export interface DeltaResult {
  readonly id: number;
  readonly baseline: number;
  /** Epoch seconds. */
  readonly executed: number;
  /** Epoch seconds. */
  readonly issued: number;
  /** Seconds; absent if the baseline has none. */
  readonly duration?: number | undefined;
  readonly output?: string | undefined;
}

/**
 * A request to run a check now: the definition without `subscribers` and `interval`, with `name` and `issued` (epoch
 * seconds).
 */
export interface CheckRequest {
  readonly name: string;
  readonly issued: number;
  readonly command?: CommandLine;
  readonly timeout?: number;
  readonly source?: string;
  /** Subscriptions that the run was requested for, if they are not those of the check; Sensu Go agents receive them. */
  readonly subscribers?: readonly string[];
  /**
   * Whether a v2 check contains tokens such as `{{ .name }}`, which are plain text in other checks. Absent in proxy
   * requests, whose tokens the backend substitutes. Results do not contain it.
   */
  readonly entity_tokens?: boolean;
  readonly [attribute: string]: unknown;
}

/** Messages from the backend. */
export type BackendMessage =
  | { readonly type: 'welcome'; readonly version: string; readonly acked: number; readonly window: number }
  | { readonly type: 'ack'; readonly id: number; readonly baselines?: readonly number[] | undefined }
  /** Requests that all results after this id are sent again, in full. */
  | { readonly type: 'resend'; readonly after: number }
  | { readonly type: 'rejected'; readonly id: number; readonly error: string }
  | { readonly type: 'check_request'; readonly check: CheckRequest }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** Validates messages for the agent, which must not run unvalidated requests. */
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
