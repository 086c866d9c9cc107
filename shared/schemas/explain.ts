import { z } from 'zod';
import { eventActionSchema, eventAnswer } from './event.ts';
import type { Inhibitor } from './inhibition.ts';
import { texts, type AnswerOf } from './answer.ts';
import { recoverySchema } from './recovery.ts';

/**
 * The verdict of a handler on an event; the same for the log, `explain` and `simulate`.
 *
 * - `handle`: the handler runs
 * - `unknown_mutator`: it runs and fails, because its mutator is not defined
 * - `disabled`, `action`, `severity`, `silenced`, `filtered`: it does not run, for this reason (completion 1.8)
 * - `inhibited`: it does not run, because an inhibition rule suppresses the event (inhibition 2)
 * - `overflow`: it would run, but its queue and the dead-letter queue are full
 * - `unknown_handler`: no handler of this name is defined
 * - `unknown_pipeline`, `empty_pipeline`: the pipeline does not exist, or has no workflows
 * - `nested_set`: a set within a set within a set
 * - `no_event`: there is nothing to handle
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
  | 'overflow'
  | 'unknown_handler'
  | 'unknown_pipeline'
  | 'empty_pipeline'
  | 'nested_set'
  | 'no_event';

/** A defect of a filter that was evaluated; `problem` is the text of the log. */
export interface FilterDefect {
  readonly filter: string;
  readonly problem: 'unknown filter' | 'attribute value eval error' | 'attribute value eval unmatched tokens';
  /** The reason for people. */
  readonly reason: string;
}

export interface HandlerVerdict {
  readonly handler: string;
  /** The workflow of a pipeline that the handler belongs to. */
  readonly workflow?: { readonly pipeline: string; readonly workflow: string; readonly handler: string };
  readonly verdict: VerdictKind;
  /** Text for people that follows "this handler, because". */
  readonly reason: string;
  /** The filter that rejected the event. */
  readonly filter?: string;
  /** The attribute that decided in this filter, as a dotted path. */
  readonly attribute?: string;
  /** The silences that suppressed the notification. */
  readonly silenced_by?: readonly string[];
  /** The rule and the event that inhibit this event. */
  readonly inhibited_by?: Inhibitor;
  /**
   * The group of the event, if the handler has `group_by`, and its next flush in epoch seconds; null if there is none
   * or it is unknown.
   */
  readonly group?: {
    readonly id: string;
    readonly by: Readonly<Record<string, string>>;
    readonly events: number;
    readonly due_at: number | null;
  };
  /** Defects of evaluated filters. A filter with a defect passes or rejects events as if it were valid. */
  readonly defects?: readonly FilterDefect[];
}

/** The state of the last run of a handler for a client and check. */
export interface LastDelivery {
  readonly state: 'queued' | 'running' | 'retrying' | 'delivered' | 'failed';
  /** Epoch milliseconds since the run is in this state. */
  readonly at: number;
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Reason of the last failure, for people. */
  readonly reason?: string;
  /** Name of the member that ran it last; absent: the leader. */
  readonly member?: string;
}

/** Access to the last deliveries. */
export interface Deliveries {
  /** Undefined if there was none, or none is retained. */
  lastForCheck(namespace: string, client: string, check: string, handler: string): LastDelivery | undefined;
  /** Returns the last delivery of a group by its id. */
  lastForGroup(namespace: string, group: string, handler: string): LastDelivery | undefined;
}

/** A delivery as the API shows it. */
export type DeliveryView = Omit<LastDelivery, 'at'> & {
  /** Epoch seconds. */
  readonly at: number;
};

export type HandlerExplanation = HandlerVerdict & {
  /**
   * The last delivery for this client and check; null if there was none since the backend started, or none is retained.
   */
  readonly delivery: DeliveryView | null;
};

/** The attributes that callers rely on, see `answer.ts`. */
const verdictAnswer = z.looseObject({
  handler: z.string(),
  // Any string, because newer backends may have more verdicts.
  verdict: z.string(),
  reason: z.string(),
  /** The workflow of a pipeline, with its handler; absent if the check names the handler itself. */
  workflow: z.looseObject({ pipeline: z.string(), workflow: z.string(), handler: z.string() }).exactOptional(),
});

/** The response to "why was I not paged?": `GET /api/mon/v1/events/:client/:check/explain`. */
export const explanationAnswer = z.looseObject({
  client: z.string(),
  check: z.string(),
  /** Null if there is no open event. */
  event: z
    .looseObject({
      id: z.string(),
      status: z.number(),
      action: eventActionSchema,
      occurrences: z.number(),
      silenced_by: texts,
      recovering: recoverySchema.exactOptional(),
    })
    .nullable(),
  /** True while the check is in one of its subdue windows, in which it is not run; absent otherwise. */
  subdued: z.boolean().exactOptional(),
  /** One sentence for people. */
  reason: z.string(),
  /** Verdicts as if the event were handled again now, with the current definitions and silences. */
  handlers: z.array(
    verdictAnswer.extend({
      delivery: z
        .looseObject({
          state: z.string(),
          at: z.number(),
          attempts: z.number(),
          reason: z.string().optional(),
          member: z.string().optional(),
        })
        .nullable(),
    }),
  ),
});

/** The explanation why the handlers of a check run or do not run for its event. */
export type EventExplanation = z.infer<typeof explanationAnswer>;
export type ExplainedEvent = NonNullable<AnswerOf<typeof explanationAnswer>['event']>;
/** The explanation as this version sends it. */
export type Explanation = Omit<AnswerOf<typeof explanationAnswer>, 'handlers'> & {
  readonly handlers: readonly HandlerExplanation[];
};

const inhibitionOutlookSchema = z.looseObject({
  rule: z.string(),
  /** Whether the event would begin to inhibit others, continue, or stop. */
  change: z.enum(['starts', 'continues', 'stops']),
  /** Number of open events that it inhibits now. */
  inhibited: z.number(),
  /** The values that it shares with the events that the rule inhibits. */
  equal: texts,
});
export type InhibitionOutlook = AnswerOf<typeof inhibitionOutlookSchema>;

const ruleOutlookSchema = z.looseObject({
  aggregate: z.string(),
  /** The check of the rule. */
  check: z.string(),
  /** The status that the rule would have. */
  status: z.number(),
  text: z.string(),
  /** Its status by the current results; null if there are none. */
  was: z.number().nullable(),
});
export type RuleOutlook = AnswerOf<typeof ruleOutlookSchema>;

/** The response of `POST /api/mon/v1/simulate`: the effects of a result. */
export const simulationAnswer = z.looseObject({
  client: z.string(),
  check: z.string(),
  transition: z.string(),
  /** Redacted; null if no event would be handled. */
  event: eventAnswer.nullable(),
  /** One sentence for people. */
  reason: z.string(),
  handlers: z.array(verdictAnswer),
  /** Effects on other events by inhibition; absent if there are none. */
  inhibits: z.array(inhibitionOutlookSchema).exactOptional(),
  /** Verdicts of aggregate rules with this result; absent if no rule applies. */
  aggregates: z.array(ruleOutlookSchema).exactOptional(),
});

export type SimulatedResult = z.infer<typeof simulationAnswer>;
/** The simulation as this version sends it. */
export type Simulation = Pick<SimulatedResult, 'client' | 'check' | 'event' | 'reason'> & {
  readonly transition: 'none' | 'open' | 'resolve' | 'metric' | 'ok';
  readonly handlers: readonly HandlerVerdict[];
  readonly inhibits?: readonly InhibitionOutlook[];
  readonly aggregates?: readonly RuleOutlook[];
};
