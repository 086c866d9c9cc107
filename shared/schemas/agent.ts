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
 *
 * An agent whose hello says `shortens` may tell a passing result by what differs from an earlier one of the same check: an
 * `ack` names under `bases` the ids of whole results that the backend remembers for as long as the connection lasts and no
 * other result of that check comes; `of` names one of them instead of `check`, beside the times and, where it is another, the
 * output. When the backend cannot go on from a base any more, because something else has changed the check or the
 * configuration, it takes nothing from that result on and says `resend`: the agent forgets all bases, begins again after the
 * id that it names, and says so with `resumes` in the first frame.
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

/** The attribute `spool` of the client record of an agent that cannot write its spool; absent while it can. */
export const spoolTroubleSchema = z.looseObject({
  writable: z.literal(false),
  /** A sentence that says what is wrong, and what to do. */
  reason: z.string().max(1000),
  /** The number of results that are only in memory. */
  unsaved: z.int().min(0),
  /** The number of results that were dropped for want of memory, since the start of the agent. */
  dropped: z.int().min(0),
});
export type SpoolTrouble = z.infer<typeof spoolTroubleSchema>;

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
  /** Whether it knows `bases` and `resend`. Default: no, and a result that names another one ends its connection. */
  shortens: z.boolean().optional(),
});

const keepaliveSchema = z.looseObject({
  type: z.literal('keepalive'),
  client: z.record(z.string(), z.unknown()),
});

const wholeResultSchema = z.looseObject({
  id: resultIdSchema,
  signature: z.string().optional(),
  check: z.record(z.string(), z.unknown()),
});

const shortResultSchema = z.strictObject({
  id: resultIdSchema,
  of: resultIdSchema,
  executed: z.int().min(0),
  issued: z.int().min(0),
  duration: z.number().optional(),
  output: z.string().optional(),
});

/** Each check is validated by `resultSchema`, so that one bad one is one refusal. */
export const resultsMessageSchema = z.looseObject({
  type: z.literal('results'),
  /** The id that a `resend` named, after which this begins. */
  resumes: z.int().min(0).optional(),
  results: z
    .array(z.union([wholeResultSchema, shortResultSchema]))
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
      readonly shortens?: boolean | undefined;
    }
  | { readonly type: 'keepalive'; readonly client: Readonly<Record<string, unknown>> }
  | {
      readonly type: 'results';
      readonly resumes?: number | undefined;
      readonly results: readonly (AgentResult | ShortResult)[];
    };

/** A result with its id in the agent's spool; `signature` is the client's, when it has one. */
export interface AgentResult {
  readonly id: number;
  readonly signature?: string | undefined;
  readonly check: SubmittedResult;
}

/** A passing result that is like the one with the id `of` but for its times and, where it has one, its output. */
export interface ShortResult {
  readonly id: number;
  readonly of: number;
  /** Epoch seconds. */
  readonly executed: number;
  /** Epoch seconds. */
  readonly issued: number;
  /** Seconds; absent where the other had none. */
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
  | { readonly type: 'ack'; readonly id: number; readonly bases?: readonly number[] | undefined }
  /** Everything after this id is to be sent again, whole. */
  | { readonly type: 'resend'; readonly after: number }
  | { readonly type: 'rejected'; readonly id: number; readonly error: string }
  | { readonly type: 'check_request'; readonly check: CheckRequest }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** For the agent, which validates what it is told to run. */
export const backendMessageSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('welcome'), version: z.string(), acked: z.int().min(0), window: z.int().positive() }),
  z.looseObject({ type: z.literal('ack'), id: z.int().min(0), bases: z.array(resultIdSchema).optional() }),
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
