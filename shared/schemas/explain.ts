import { z } from 'zod';
import { type Event, type EventAction, eventActionSchema, eventAnswer } from './event.ts';
import { texts } from './answer.ts';

/**
 * What becomes of an event at one of its handlers; one vocabulary for the log, `explain` and `simulate`.
 *
 * - `handle`: it runs
 * - `unknown_mutator`: it runs, and fails: what is to prepare the event for it is not defined
 * - `disabled`, `action`, `severity`, `silenced`, `filtered`: it does not run, for this reason (completion 1.8)
 * - `overflow`: it would run, but its queue and the list of dead letters are full
 * - `unknown_handler`: nothing is defined by this name
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
  | 'overflow'
  | 'unknown_handler'
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
  readonly verdict: VerdictKind;
  /** For people: what follows on "this handler, because". */
  readonly reason: string;
  /** The filter that kept the event out. */
  readonly filter?: string;
  /** The attribute that this filter decided by, as a dotted path. */
  readonly attribute?: string;
  /** The silenced entries that kept the handler from running. */
  readonly silenced_by?: readonly string[];
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

/** The answer to "why was I not paged?": `GET /api/mon/v1/events/:client/:check/explain`. */
export interface Explanation {
  readonly client: string;
  readonly check: string;
  /** Null: there is none now. */
  readonly event: ExplainedEvent | null;
  /** One sentence for people. */
  readonly reason: string;
  /** As if the event were handled again now: definitions and silences are those of now. */
  readonly handlers: readonly HandlerExplanation[];
}

export interface ExplainedEvent {
  readonly id: string;
  readonly status: number;
  readonly action: EventAction;
  readonly occurrences: number;
  readonly silenced_by: readonly string[];
}

/** What a result would do: `POST /api/mon/v1/simulate`. */
export interface Simulation {
  readonly client: string;
  readonly check: string;
  readonly transition: 'none' | 'open' | 'resolve' | 'metric' | 'well';
  /** Redacted; null: none would be handled. */
  readonly event: Event | null;
  /** One sentence for people. */
  readonly reason: string;
  readonly handlers: readonly HandlerVerdict[];
}

/** As callers rely on it, see `answer.ts`. */
export const verdictAnswer = z.looseObject({
  handler: z.string(),
  // Newer backends may know more of them.
  verdict: z.string(),
  reason: z.string(),
});

/** As callers rely on it, see `answer.ts`. */
export const explanationAnswer = z.looseObject({
  client: z.string(),
  check: z.string(),
  event: z
    .looseObject({
      id: z.string(),
      status: z.number(),
      action: eventActionSchema,
      occurrences: z.number(),
      silenced_by: texts,
    })
    .nullable(),
  reason: z.string(),
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

/** As callers rely on it, see `answer.ts`. */
export const simulationAnswer = z.looseObject({
  client: z.string(),
  check: z.string(),
  transition: z.string(),
  event: eventAnswer.nullable(),
  reason: z.string(),
  handlers: z.array(verdictAnswer),
});

/** What a result would do. */
export type SimulatedResult = z.infer<typeof simulationAnswer>;
