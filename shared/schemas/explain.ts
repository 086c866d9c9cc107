import { z } from 'zod';
import { eventActionSchema, eventAnswer } from './event.ts';
import type { Inhibitor } from './inhibition.ts';
import { texts, type AnswerOf } from './answer.ts';
import { recoverySchema } from './recovery.ts';

/**
 * What becomes of an event at one of its handlers; one vocabulary for the log, `explain` and `simulate`.
 *
 * - `handle`: it runs
 * - `unknown_mutator`: it runs, and fails: what is to prepare the event for it is not defined
 * - `disabled`, `action`, `severity`, `silenced`, `filtered`: it does not run, for this reason (completion 1.8)
 * - `inhibited`: it does not run: a rule keeps the event quiet because of another one (inhibition 2)
 * - `overflow`: it would run, but its queue and the list of dead letters are full
 * - `unknown_handler`: nothing is defined by this name
 * - `unknown_pipeline`, `empty_pipeline`: there is no such pipeline, or it has no workflows
 * - `nested_set`: a set in a set in a set
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

/** What is wrong with a filter that an event came by, in the words of the log. */
export interface FilterDefect {
  readonly filter: string;
  readonly problem: 'unknown filter' | 'attribute value eval error' | 'attribute value eval unmatched tokens';
  /** For people. */
  readonly reason: string;
}

export interface HandlerVerdict {
  readonly handler: string;
  /** The workflow of a pipeline that this handler stands for. */
  readonly workflow?: { readonly pipeline: string; readonly workflow: string; readonly handler: string };
  readonly verdict: VerdictKind;
  /** For people: what follows on "this handler, because". */
  readonly reason: string;
  /** The filter that kept the event out. */
  readonly filter?: string;
  /** The attribute that this filter decided by, as a dotted path. */
  readonly attribute?: string;
  /** The silenced entries that kept the handler from running. */
  readonly silenced_by?: readonly string[];
  /** The rule, and the event because of which it keeps this one quiet. */
  readonly inhibited_by?: Inhibitor;
  /** Of a handler with `group_by`: in which group the event is told, and when, epoch seconds; null: it is not, or nobody knows when. */
  readonly group?: {
    readonly id: string;
    readonly by: Readonly<Record<string, string>>;
    readonly events: number;
    readonly due_at: number | null;
  };
  /** Of the filters on the way; each of them lets through or keeps out as if it were right. */
  readonly defects?: readonly FilterDefect[];
}

/** How the last run of a handler for a client and check stands. */
export interface Delivery {
  readonly state: 'queued' | 'running' | 'retrying' | 'delivered' | 'failed';
  /** Epoch milliseconds; since when. */
  readonly at: number;
  /** How often it was tried so far. */
  readonly attempts: number;
  /** Of the last failure, for people. */
  readonly reason?: string;
  /** The name of the backend that ran it last; absent: the one that writes. */
  readonly member?: string;
}

/** Where the last runs are known. */
export interface Deliveries {
  /** Undefined: none, or none that is remembered. */
  lastOf(namespace: string, client: string, check: string, handler: string): Delivery | undefined;
  /** The last delivery of a group, by its id. */
  lastOfGroup(namespace: string, group: string, handler: string): Delivery | undefined;
}

/** A delivery as the API shows it. */
export type DeliveryView = Omit<Delivery, 'at'> & {
  /** Epoch seconds. */
  readonly at: number;
};

export type HandlerExplanation = HandlerVerdict & {
  /** Of the last run for this client and check; null: none since the backend started, or none that is remembered. */
  readonly delivery: DeliveryView | null;
};

/** As callers rely on it, see `answer.ts`. */
const verdictAnswer = z.looseObject({
  handler: z.string(),
  // Newer backends may know more of them.
  verdict: z.string(),
  reason: z.string(),
  /** The workflow of a pipeline, with the handler that it names; absent: the check names the handler. */
  workflow: z.looseObject({ pipeline: z.string(), workflow: z.string(), handler: z.string() }).exactOptional(),
});

/** The answer to "why was I not paged?": `GET /api/mon/v1/events/:client/:check/explain`. */
export const explanationAnswer = z.looseObject({
  client: z.string(),
  check: z.string(),
  /** Null: there is none now. */
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
  /** True while the check is in one of its subdue windows, in which it is not run; absent: it is not. */
  subdued: z.boolean().exactOptional(),
  /** One sentence for people. */
  reason: z.string(),
  /** As if the event were handled again now: definitions and silences are those of now. */
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

/** Why the handlers of a check run or do not run for its event. */
export type EventExplanation = z.infer<typeof explanationAnswer>;
export type ExplainedEvent = NonNullable<AnswerOf<typeof explanationAnswer>['event']>;
/** The same as this version gives it. */
export type Explanation = Omit<AnswerOf<typeof explanationAnswer>, 'handlers'> & {
  readonly handlers: readonly HandlerExplanation[];
};

const inhibitionOutlookSchema = z.looseObject({
  rule: z.string(),
  /** Whether the event would start, continue or stop to inhibit others. */
  change: z.enum(['starts', 'continues', 'stops']),
  /** The number of open events that it inhibits now. */
  inhibited: z.number(),
  /** The attributes that it has in common with the events that the rule inhibits. */
  equal: texts,
});
export type InhibitionOutlook = AnswerOf<typeof inhibitionOutlookSchema>;

const ruleOutlookSchema = z.looseObject({
  aggregate: z.string(),
  /** The check of the rule. */
  check: z.string(),
  /** What it would say. */
  status: z.number(),
  text: z.string(),
  /** Its status by the results of now; null: there are none. */
  was: z.number().nullable(),
});
export type RuleOutlook = AnswerOf<typeof ruleOutlookSchema>;

/** What a result would do: `POST /api/mon/v1/simulate`. */
export const simulationAnswer = z.looseObject({
  client: z.string(),
  check: z.string(),
  transition: z.string(),
  /** Redacted; null: none would be handled. */
  event: eventAnswer.nullable(),
  /** One sentence for people. */
  reason: z.string(),
  handlers: z.array(verdictAnswer),
  /** What it would do to others by inhibitions; absent: nothing. */
  inhibits: z.array(inhibitionOutlookSchema).exactOptional(),
  /** What rules about aggregates would say with it; absent: none is about it. */
  aggregates: z.array(ruleOutlookSchema).exactOptional(),
});

export type SimulatedResult = z.infer<typeof simulationAnswer>;
/** The same as this version gives it. */
export type Simulation = Pick<SimulatedResult, 'client' | 'check' | 'event' | 'reason'> & {
  readonly transition: 'none' | 'open' | 'resolve' | 'metric' | 'ok';
  readonly handlers: readonly HandlerVerdict[];
  readonly inhibits?: readonly InhibitionOutlook[];
  readonly aggregates?: readonly RuleOutlook[];
};
