import { z } from 'zod';
import { commandSchema, type Command } from './command.ts';
import type { SubmittedResult } from './result.ts';

/**
 * Agents: WebSocket at `/agent`, JSON text frames.
 *
 * The upgrade names the agent and its namespace in headers, so that one that must not come in is refused before it is
 * opened. The agent opens with `hello`; the backend answers `welcome` with the highest result id of this spool that it has
 * committed, so that the agent knows where to go on. Results carry ids that grow by one within a spool; the backend
 * acknowledges cumulatively after the commit and ignores an id that it has seen. `window` bounds how many results may be
 * unacknowledged. A result that breaks a rule is acknowledged like any other (it will never become valid) and named in
 * a `rejected` frame. The backend sends `check_request` for the checks of the agent's subscriptions.
 */
export const AGENT_PROTOCOL = 'mon.agent.v1';
export const AGENT_PATH = '/agent';

/** Headers of the upgrade. */
export const AGENT_NAME_HEADER = 'Mon-Agent-Name';
export const AGENT_NAMESPACE_HEADER = 'Mon-Namespace';

/** Close code of our own: there is another agent of this name. */
export const AGENT_REPLACED = 4001;

/** Results of one agent that may wait for their acknowledgement. */
export const AGENT_WINDOW = 64;

/** Seconds between keepalives (completion 1.10). */
export const KEEPALIVE_SECONDS = 20;

const resultIdSchema = z.int().positive();

/** Most results in one frame. */
const FRAME_RESULTS_MAX = 1000;

/** Opens a connection. The client record is validated by `clientSchema`, so that its problems are told by name. */
const helloSchema = z.looseObject({
  type: z.literal('hello'),
  client: z.record(z.string(), z.unknown()),
  /** Default: the one of the upgrade, or `default`. */
  namespace: z.string().optional(),
  /** Names the agent's spool: ids of another spool start over. */
  spool: z.string().min(1).max(64),
});

const keepaliveSchema = z.looseObject({
  type: z.literal('keepalive'),
  client: z.record(z.string(), z.unknown()),
});

/** Each check is validated by `resultSchema`, so that one bad one is one refusal. */
export const resultsMessageSchema = z.looseObject({
  type: z.literal('results'),
  results: z
    .array(
      z.looseObject({
        id: resultIdSchema,
        signature: z.string().optional(),
        check: z.record(z.string(), z.unknown()),
      }),
    )
    .min(1)
    .max(FRAME_RESULTS_MAX),
});

/** What an agent may send. */
export const agentMessageSchema = z.discriminatedUnion('type', [helloSchema, keepaliveSchema, resultsMessageSchema]);
export type AgentMessage =
  | {
      readonly type: 'hello';
      readonly client: Readonly<Record<string, unknown>>;
      readonly namespace?: string | undefined;
      readonly spool: string;
    }
  | { readonly type: 'keepalive'; readonly client: Readonly<Record<string, unknown>> }
  | { readonly type: 'results'; readonly results: readonly AgentResult[] };

/** A result with its id in the agent's spool; `signature` is the client's, when it has one. */
export interface AgentResult {
  readonly id: number;
  readonly signature?: string | undefined;
  readonly check: SubmittedResult;
}

/** A check to run now: the definition without `subscribers` and `interval`, with `name` and `issued` (epoch seconds). */
export interface CheckRequest {
  readonly name: string;
  readonly issued: number;
  readonly command?: Command;
  readonly timeout?: number;
  readonly source?: string;
  /** Whom it was ordered from, if not from the subscribers of the check: agents of the newer generation are told. */
  readonly subscribers?: readonly string[];
  /**
   * Version 2 defines it: its texts hold tokens such as `{{ .name }}`, which in other checks are part of a command.
   * Not of a proxy request, in which the backend has put the values. No result tells of it.
   */
  readonly entity_tokens?: boolean;
  readonly [attribute: string]: unknown;
}

/** What the backend sends. */
export type BackendMessage =
  | { readonly type: 'welcome'; readonly version: string; readonly acked: number; readonly window: number }
  | { readonly type: 'ack'; readonly id: number }
  | { readonly type: 'rejected'; readonly id: number; readonly error: string }
  | { readonly type: 'check_request'; readonly check: CheckRequest }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** For the agent, which validates what it is told to run. */
export const backendMessageSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('welcome'), version: z.string(), acked: z.int().min(0), window: z.int().positive() }),
  z.looseObject({ type: z.literal('ack'), id: z.int().min(0) }),
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
