import { z } from 'zod';
import { textsSchema, type ResponseOf } from './response.ts';
import { DURATION_VALUE, durationSchema } from './duration.ts';

/** Maximum number of steps of an escalation. */
const STEPS_MAX = 10;
/** Maximum number of handlers and handler sets that a step names. */
const STEP_HANDLERS_MAX = 20;
/** Number of times that the last step is repeated at most. */
export const ESCALATION_REPEATS_MAX = 20;
/** Minimum number of seconds between two notifications of the last step. */
const REPEAT_SECONDS_MIN = 60;
/** Maximum number of seconds from the start of an escalation to a step, and between repetitions: a week. */
const AFTER_SECONDS_MAX = 7 * 86_400;

const stepSchema = z.strictObject({
  notify: z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(STEP_HANDLERS_MAX)
    .describe('The handlers and sets that the step notifies, but no other escalation. At most 20.'),
  after: durationSchema(1, AFTER_SECONDS_MAX).optional().meta({
    'x-value': DURATION_VALUE,
    description: 'Time from the start of the escalation to the step. Only the first step may omit it.',
  }),
  repeat: durationSchema(REPEAT_SECONDS_MIN, AFTER_SECONDS_MAX).optional().meta({
    'x-value': DURATION_VALUE,
    description: 'Time after which the last step is repeated, at least a minute. It is repeated at most 20 times.',
  }),
});
export type EscalationStep = Readonly<z.infer<typeof stepSchema>>;

/** The steps of a handler of type `escalation`, in the order of their times. */
export const escalationStepsSchema = z
  .array(stepSchema)
  .min(1)
  .max(STEPS_MAX)
  .superRefine((steps, context) => {
    const issue = (at: number, attribute: keyof EscalationStep, message: string): void =>
      context.addIssue({ code: 'custom', path: [at, attribute], message });
    for (const [at, { after, repeat }] of steps.entries()) {
      const before = steps[at - 1];
      if (before !== undefined && after === undefined) issue(at, 'after', 'is required for every step but the first');
      else if (before !== undefined && (after ?? 0) <= (before.after ?? 0)) {
        issue(at, 'after', 'must be later than the step before: it counts from the start of the escalation');
      }
      if (repeat !== undefined && at < steps.length - 1) issue(at, 'repeat', 'is only allowed for the last step');
    }
  })
  .describe('The steps in the order of their times, at most 10.');

/** Maximum number of handlers that the state of an escalation names. */
const NOTIFIED_MAX = 1000;

/**
 * The state of an escalation of an open event, stored with the event. Times are in epoch seconds. While the escalation
 * waits for its next step it has `due`, while it is paused it has `remaining`, and at its end it has neither.
 */
export const escalationStateSchema = z.object({
  /** Name of the handler of type `escalation`. */
  handler: z.string().min(1).max(1000),
  /** Number of the last step that was notified, from 1; 0 if none was. */
  step: z.int().min(0).max(STEPS_MAX),
  /** Number of steps. */
  of: z.int().min(1).max(STEPS_MAX),
  /** Number of repetitions of the last step so far; absent: none. */
  repeats: z.int().min(1).max(ESCALATION_REPEATS_MAX).exactOptional(),
  /** Time at which the last step was notified; absent: none was. */
  at: z.number().exactOptional(),
  /** Time of the next step or repetition. */
  due: z.number().exactOptional(),
  /** Number of seconds until the next step or repetition, counted from the end of the pause. */
  remaining: z.number().min(0).exactOptional(),
  /** Names of the handlers that were notified. Only they get the resolution. */
  notified: z.array(z.string()).max(NOTIFIED_MAX).readonly(),
  /** The worst status that handlers were notified of. */
  status: z.int(),
});
export type EscalationState = Readonly<z.infer<typeof escalationStateSchema>>;

/** The escalations of an open event, at most one for each handler of type `escalation`. */
export const escalationStatesSchema = z.array(escalationStateSchema).max(100).readonly();

/** The state of an escalation in events of the API and in rows of the feed. Times are in epoch seconds. */
export const shownEscalationSchema = z.object({
  handler: z.string().describe('Name of the handler of type `escalation`.'),
  step: z.number().describe('Number of the last step that was notified. 0: none was.'),
  of: z.number().describe('Number of steps.'),
  at: z
    .number()
    .exactOptional()
    .meta({ description: 'Time at which that step was notified.', 'x-unit': 'epoch seconds' }),
  due: z.number().exactOptional().meta({
    description: 'Time of the next step or repetition. Absent if there is none, or while the escalation is paused.',
    'x-unit': 'epoch seconds',
  }),
  remaining: z.number().exactOptional().meta({
    description: 'Time from the end of the pause to the next step. Present only while the escalation is paused.',
    'x-unit': 'seconds',
  }),
});
export type ShownEscalation = Readonly<z.infer<typeof shownEscalationSchema>>;
export const shownEscalationsSchema = z.array(shownEscalationSchema).readonly();

/**
 * Reasons for which an escalation is paused, or ends while its event is open. The last three are those for an end.
 *
 * - `severity`: the `severities` of the escalation do not include that of the event
 * - `disabled`: the check has `handle: false`
 * - `removed`: the definition of the escalation was removed
 * - `no_further_step`: the definition has fewer steps than before
 */
const ESCALATION_CHANGE_REASONS = [
  'silenced',
  'inhibited',
  'acknowledged',
  'flapping',
  'recovering',
  'severity',
  'disabled',
  'removed',
  'no_further_step',
] as const;
export type EscalationChangeReason = (typeof ESCALATION_CHANGE_REASONS)[number];

const ESCALATION_CHANGE_STATES = ['started', 'notified', 'paused', 'resumed', 'ended'] as const;
export type EscalationChangeState = (typeof ESCALATION_CHANGE_STATES)[number];

/** A change of an escalation in the timeline. It ends with its event without a change of its own. */
export const escalationChangeSchema = z.object({
  /** Name of the handler of type `escalation`. */
  handler: z.string(),
  /** Number of the last step that was notified, from 1; 0 if none was. */
  step: z.number(),
  /** Number of steps. */
  of: z.number(),
  /** Number of the repetition of the last step; absent: the step was not repeated. */
  repeat: z.number().exactOptional(),
  /** The kind of the change. An escalation has `started` only if its first step is not notified at once. */
  state: z.enum(ESCALATION_CHANGE_STATES),
  /** Names of the handlers that the step notified; present only for `notified`. */
  notified: textsSchema.exactOptional(),
  /** Reason for a pause or an end. */
  reason: z.enum(ESCALATION_CHANGE_REASONS).exactOptional(),
  /** Time of the next step or repetition, in epoch seconds; absent: none follows, or the escalation is paused. */
  due: z.number().exactOptional(),
});
export type EscalationChange = ResponseOf<typeof escalationChangeSchema>;

/** The step that notifies a handler, in the event that the handler gets. */
export interface EscalationNotice {
  readonly handler: string;
  readonly step: number;
  readonly of: number;
  /** Number of the repetition; absent if the step is notified for the first time. */
  readonly repeat?: number;
}
