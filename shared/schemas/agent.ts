import { z } from 'zod';
import { commandSchema, type Command } from './command.ts';
import type { SubmittedResult } from './result.ts';

/**
 * The agent protocol: a WebSocket at `/agent` with JSON text frames.
 *
 * Headers of the upgrade request name the agent and its namespace, so that the backend can reject an agent before it
 * opens the connection. The agent sends `hello`. The backend answers `welcome` with the highest committed id of this
 * spool, after which the agent continues. The ids of results increase within a spool. The backend acknowledges
 * cumulatively after the commit, and ignores ids up to the committed one. `window` limits the number of unacknowledged
 * results. A result that violates a rule will never become valid: it is acknowledged like any other, and `rejected`
 * names it. The backend sends `check_request` for the checks of the agent's subscriptions.
 *
 * An agent with `delta` in its hello can send a passing result as the difference to an earlier one of the same check.
 * An `ack` lists in `baselines` the ids of full results that the backend remembers, until the connection ends or
 * another full result of that check arrives. A delta result has such an id in `baseline` instead of `check`, its times,
 * and its output if that is different. If another change to the check or to the configuration makes a baseline
 * unusable, the backend ignores that delta and all later results, and sends `resend`. The agent then discards all
 * baselines, starts again after the given id, and sets `resume_after` in its first frame.
 */
export const AGENT_PROTOCOL = 'mon.agent.v1';
export const AGENT_PATH = '/agent';

/** Headers of the upgrade request. */
export const AGENT_NAME_HEADER = 'Mon-Agent-Name';
export const AGENT_NAMESPACE_HEADER = 'Mon-Namespace';

/** Application-specific close code: another agent with this name has connected. */
export const AGENT_REPLACED = 4001;

/** Most unacknowledged results of one agent. */
export const AGENT_WINDOW = 64;

/** Seconds between keepalives (completion 1.10). */
export const KEEPALIVE_SECONDS = 20;

const resultIdSchema = z.int().positive();

/** The attribute `spool` of the client record of an agent that cannot write its spool; absent while it can. */
export const spoolTroubleSchema = z.looseObject({
  writable: z.literal(false),
  /** A sentence that states the problem and the remedy. */
  reason: z.string().max(1000),
  /** The number of results that are only in memory. */
  unsaved: z.int().min(0),
  /** The number of results that were dropped because the memory was full, since the start of the agent. */
  dropped: z.int().min(0),
});
export type SpoolTrouble = z.infer<typeof spoolTroubleSchema>;

/** Most results in one frame. */
const FRAME_RESULTS_MAX = 1000;

/** Opens a connection. `clientSchema` validates the client record, for precise error messages. */
const helloSchema = z.looseObject({
  type: z.literal('hello'),
  client: z.record(z.string(), z.unknown()),
  /** Default: the namespace of the upgrade request, or `default`. */
  namespace: z.string().optional(),
  /** The name of the spool. The ids of each spool start at 1. */
  spool: z.string().min(1).max(64),
  /** Whether it supports delta results. Default: no, and a delta result closes the connection. */
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

/** `resultSchema` validates each check, so that one invalid result is rejected alone. */
export const resultsMessageSchema = z.looseObject({
  type: z.literal('results'),
  /** The id of the `resend` to which this frame responds. */
  resume_after: z.int().min(0).optional(),
  results: z
    .array(z.union([fullResultSchema, deltaResultSchema]))
    .min(1)
    .max(FRAME_RESULTS_MAX),
});

/** The messages of an agent. */
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

/** A full result with its id in the spool of the agent, and the signature of the client, if any. */
export interface AgentResult {
  readonly id: number;
  readonly signature?: string | undefined;
  readonly check: SubmittedResult;
}

/** A passing result that differs from its baseline only in its times, and in its output if it has one. */
export interface DeltaResult {
  readonly id: number;
  readonly baseline: number;
  /** Epoch seconds. */
  readonly executed: number;
  /** Epoch seconds. */
  readonly issued: number;
  /** Seconds; present exactly if the baseline has one. */
  readonly duration?: number | undefined;
  readonly output?: string | undefined;
}

/** A check to run now: the definition without `subscribers` and `interval`, with `name` and `issued` (epoch seconds). */
export interface CheckRequest {
  readonly name: string;
  readonly issued: number;
  readonly command?: Command;
  readonly timeout?: number;
  readonly source?: string;
  /** The requested subscriptions, if different from those of the check: v2 agents receive them. */
  readonly subscribers?: readonly string[];
  /**
   * True for a check of the v2 API, whose texts contain tokens such as `{{ .name }}`. Absent from proxy requests, in
   * which the backend has replaced the tokens. Results do not contain it.
   */
  readonly entity_tokens?: boolean;
  readonly [attribute: string]: unknown;
}

/** The messages of the backend. */
export type BackendMessage =
  | { readonly type: 'welcome'; readonly version: string; readonly acked: number; readonly window: number }
  | { readonly type: 'ack'; readonly id: number; readonly baselines?: readonly number[] | undefined }
  /** Requests all results after this id again, in full. */
  | { readonly type: 'resend'; readonly after: number }
  | { readonly type: 'rejected'; readonly id: number; readonly error: string }
  | { readonly type: 'check_request'; readonly check: CheckRequest }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** Used by the agent, which validates the checks that it runs. */
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
