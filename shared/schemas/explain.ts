import { z } from 'zod';
import { shownEscalationSchema, type ShownEscalation } from './escalation.ts';
import { eventActionSchema, eventResponse } from './event.ts';
import type { Inhibitor } from './inhibition.ts';
import { textsSchema, type ResponseOf } from './response.ts';
import { recoverySchema } from './recovery.ts';

/**
 * The decision whether a handler runs for an event, and why. The log, `explain` and `simulate` use the same names.
 *
 * - `handle`: the handler runs
 * - `unknown_mutator`: the handler runs and fails, because its mutator is not defined
 * - `disabled`: the handler does not run, because the check has `handle: false`
 * - `action`, `severity`: it does not run, because it does not accept the action or severity of the event
 * - `silenced`, `filtered`: it does not run, because of a silence or a filter (completion 1.8)
 * - `inhibited`: it does not run, because an inhibition rule suppresses the event (inhibition 2)
 * - `acknowledged`: it does not run, because an operator acknowledged the event (on-call 1)
 * - `overflow`: it would run, but its queue and the dead-letter queue are full
 * - `nobody_on_call`: nobody is on call for the schedule (on-call 3)
 * - `unknown_handler`: no handler with this name is defined
 * - `unknown_pipeline`, `empty_pipeline`: the pipeline does not exist, or has no workflows
 * - `nested_set`: the handler set is nested more than two levels deep
 * - `nested_escalation`: a step of an escalation names another escalation
 * - `no_event`: there is no event to handle
 */
export type VerdictKind =
  | 'handle'
  | 'unknown_mutator'
  | 'disabled'
  | 'action'
  | 'severity'
  | 'silenced'
  | 'filtered'
  | 'inhibited'
  | 'acknowledged'
  | 'overflow'
  | 'nobody_on_call'
  | 'unknown_handler'
  | 'unknown_pipeline'
  | 'empty_pipeline'
  | 'nested_set'
  | 'nested_escalation'
  | 'no_event';

/** A defect of a filter that was evaluated. The log contains `problem`. */
export interface FilterDefect {
  readonly filter: string;
  readonly problem: 'unknown filter' | 'attribute value eval error' | 'attribute value eval unmatched tokens';
  /** Text for people that explains the defect. */
  readonly reason: string;
}

export interface HandlerVerdict {
  readonly handler: string;
  /**
   * The workflow of a pipeline through which the handler gets the event; absent if the check names the handler itself.
   */
  readonly workflow?: { readonly pipeline: string; readonly workflow: string; readonly handler: string };
  readonly verdict: VerdictKind;
  /** Reason for the verdict, as text that can follow the word "because". */
  readonly reason: string;
  /** Name of the filter that rejected the event. */
  readonly filter?: string;
  /** Dotted path of the attribute because of which the filter rejected the event. */
  readonly attribute?: string;
  /** Ids of the silences that suppressed the notification. */
  readonly silenced_by?: readonly string[];
  /** The rule and the event that inhibit this event. */
  readonly inhibited_by?: Inhibitor;
  /**
   * The group of the event, if the handler has `group_by`. `due_at` is its next flush in epoch seconds; null if none is
   * due or it is unknown.
   */
  readonly group?: {
    readonly id: string;
    readonly by: Readonly<Record<string, string>>;
    readonly events: number;
    readonly due_at: number | null;
  };
  /** The state of the escalation, if the handler is one and has started for the event (on-call 2). */
  readonly escalation?: ShownEscalation;
  /** Defects of evaluated filters. A filter with a defect passes or rejects events as if it were valid. */
  readonly defects?: readonly FilterDefect[];
}

/** The state of the last run of a handler for a check on a client, or for a group. */
export interface LastDelivery {
  readonly state: 'queued' | 'running' | 'retrying' | 'delivered' | 'failed';
  /** Time at which the run entered this state, in epoch milliseconds. */
  readonly at: number;
  /** Number of attempts to run the handler so far. */
  readonly attempts: number;
  /** Reason for the last failed attempt, for people. */
  readonly reason?: string;
  /** Name of the cluster member that made the last attempt; absent: the leader. */
  readonly member?: string;
}

/** Looks up the last run of a handler. */
export interface Deliveries {
  /** Returns the last run for a check on a client; undefined if there was none, or its state is no longer in memory. */
  lastDeliveryForCheck(namespace: string, client: string, check: string, handler: string): LastDelivery | undefined;
  /** Returns the last run for a group; undefined if there was none, or its state is no longer in memory. */
  lastDeliveryForGroup(namespace: string, group: string, handler: string): LastDelivery | undefined;
}

/** The state of the last run of a handler, in the format of the API. */
export type DeliveryView = Omit<LastDelivery, 'at'> & {
  /** Time at which the run entered this state, in epoch seconds. */
  readonly at: number;
};

export type HandlerExplanation = HandlerVerdict & {
  /**
   * The last run for this check on this client, or for its group; null if there was none since the backend started, or
   * its state is no longer in memory.
   */
  readonly delivery: DeliveryView | null;
  /** Whether the handler was notified of the open event; absent if there is none. */
  readonly notified?: boolean;
  /**
   * The number of occurrences at which the filter `occurrences` passes the event again. It is absent if the filter
   * does not reject the event.
   */
  readonly next_occurrence?: number;
};

/** Schema of `HandlerVerdict`, with only the attributes that callers rely on, see `response.ts`. */
const verdictResponse = z.looseObject({
  handler: z.string(),
  // Any string is valid, because newer backends may have further verdicts.
  verdict: z.string(),
  reason: z.string(),
  /** Name of the filter that rejected the event. */
  filter: z.string().exactOptional(),
  /**
   * The workflow of a pipeline through which the handler gets the event; absent if the check names the handler itself.
   */
  workflow: z.looseObject({ pipeline: z.string(), workflow: z.string(), handler: z.string() }).exactOptional(),
  /** The state of the escalation, if the handler is one and has started for the event. */
  escalation: shownEscalationSchema.exactOptional(),
});

/** The answer to "why was I not paged?": `GET /api/mon/v1/events/:client/:check/explain`. */
export const explanationResponse = z.looseObject({
  client: z.string(),
  check: z.string(),
  /** The open event; null if there is none. */
  event: z
    .looseObject({
      id: z.string(),
      status: z.number(),
      action: eventActionSchema,
      occurrences: z.number(),
      silenced_by: textsSchema,
      recovering: recoverySchema.exactOptional(),
    })
    .nullable(),
  /** True while the check is in one of its subdue windows, in which it is not run; absent otherwise. */
  subdued: z.boolean().exactOptional(),
  /** Summary for people, as one sentence. */
  reason: z.string(),
  /**
   * The handlers of the check. Each verdict is what would happen if the event were handled now, with the current
   * definitions and silences.
   */
  handlers: z.array(
    verdictResponse.extend({
      delivery: z
        .looseObject({
          state: z.string(),
          at: z.number(),
          attempts: z.number(),
          reason: z.string().optional(),
          member: z.string().optional(),
        })
        .nullable(),
      /** The group of the event; `due_at` is its next flush in epoch seconds, or null. */
      group: z.looseObject({ due_at: z.number().nullable() }).exactOptional(),
      /** Whether the handler was notified of the open event; absent from an older backend, and if there is no event. */
      notified: z.boolean().exactOptional(),
      /** The number of occurrences at which the filter `occurrences` passes the event again. */
      next_occurrence: z.number().exactOptional(),
    }),
  ),
});

/** Explains why the handlers of a check run or do not run for its event: the response as a client parses it. */
export type EventExplanation = z.infer<typeof explanationResponse>;
export type ExplainedEvent = NonNullable<ResponseOf<typeof explanationResponse>['event']>;
/**
 * Explains why the handlers of a check run or do not run for its event: the response as this backend version sends it.
 */
export type Explanation = Omit<ResponseOf<typeof explanationResponse>, 'handlers'> & {
  readonly handlers: readonly HandlerExplanation[];
};

const inhibitionOutlookSchema = z.looseObject({
  rule: z.string(),
  /** Whether the event would begin to inhibit other events, continue to inhibit them, or stop inhibiting them. */
  change: z.enum(['starts', 'continues', 'stops']),
  /** Number of open events that the rule inhibits now because of this event. */
  inhibited: z.number(),
  /** Names of the attributes that must be equal in this event and in the events that the rule inhibits. */
  equal: textsSchema,
});
export type InhibitionOutlook = ResponseOf<typeof inhibitionOutlookSchema>;

const ruleOutlookSchema = z.looseObject({
  aggregate: z.string(),
  /** Name of the check of the aggregate rule. */
  check: z.string(),
  /** The status that the rule would have with the simulated result. */
  status: z.number(),
  text: z.string(),
  /** The current status of the rule; null if the aggregate has no results. */
  was: z.number().nullable(),
});
export type RuleOutlook = ResponseOf<typeof ruleOutlookSchema>;

/** The effects that a result would have: the response of `POST /api/mon/v1/simulate`. */
export const simulationResponse = z.looseObject({
  client: z.string(),
  check: z.string(),
  transition: z.string(),
  /** The event that would be handled, without secrets; null if none would be. */
  event: eventResponse.nullable(),
  /** Summary for people, as one sentence. */
  reason: z.string(),
  handlers: z.array(verdictResponse),
  /**
   * Inhibition rules by which the event would start, continue or stop to inhibit other events; absent if there are
   * none.
   */
  inhibits: z.array(inhibitionOutlookSchema).exactOptional(),
  /** Statuses of the aggregate rules that use this result; absent if there are none. */
  aggregates: z.array(ruleOutlookSchema).exactOptional(),
});

export type SimulatedResult = z.infer<typeof simulationResponse>;
/** The simulation of a result, as this version of the backend sends it. */
export type Simulation = Pick<SimulatedResult, 'client' | 'check' | 'event' | 'reason'> & {
  readonly transition: 'none' | 'open' | 'resolve' | 'metric' | 'ok';
  readonly handlers: readonly HandlerVerdict[];
  readonly inhibits?: readonly InhibitionOutlook[];
  readonly aggregates?: readonly RuleOutlook[];
};
