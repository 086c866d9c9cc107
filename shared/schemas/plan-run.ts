import { z } from 'zod';
import { answer } from './answer.ts';
import { findingAnswer, ruleVerdictSchema, stepAnswer, upgradeFactsSchema, versionSchema } from './plan.ts';

/** Runs of upgrade plans: `/api/mon/v1/upgrades`. The backend stores them; consoles and `monctl` show and confirm. */

export const planStateSchema = z.enum(['open', 'done', 'abandoned', 'rolled-back']);

/**
 * `pending`: not current yet, or not started; `running`: the backend executes it; `confirm`: the operator follows the
 * instructions, then confirms; `failed`: it can be started again, or skipped.
 */
export const planStepStateSchema = z.enum(['pending', 'running', 'confirm', 'done', 'failed', 'skipped']);
export type PlanRunStepState = z.infer<typeof planStepStateSchema>;

/** Epoch milliseconds. */
const time = z.number();

/** A plan as callers rely on it, see `answer.ts`; its log is separate. */
const summaryAnswer = z.object({
  /** Counts from 1. */
  id: z.number(),
  /** Increases with each change, from 1. */
  revision: z.number(),
  from: z.string(),
  to: z.string(),
  created_at: time,
  created_by: z.string(),
  state: planStateSchema,
  /** The owner of the plan; all others only watch. */
  holder: z
    .object({
      who: z.string(),
      /** Identifies the owner's console or command, since the same person may use several. */
      session: z.string(),
      since: time,
      /** Last request of the owner. */
      last_seen: time,
    })
    .nullable(),
  /** The verdict of the last evaluation of the rules. */
  verdict: ruleVerdictSchema,
  findings: z.array(findingAnswer),
  steps: z.array(
    stepAnswer.extend({
      state: planStepStateSchema,
      /** Null: not yet. */
      started_at: time.nullable(),
      ended_at: time.nullable(),
      /** The outcome, or the reason why it was skipped. */
      note: z.string(),
    }),
  ),
  /** Path of the backup of this plan; null if there is none yet. */
  backup: z.string().nullable(),
  /** Number of entities at the creation of the plan, for a later comparison; null if unknown. */
  entities: z.number().nullable(),
});

/** `GET /api/mon/v1/upgrades/:id`. */
export const planAnswer = answer(
  summaryAnswer.extend({
    /** The newest few hundred lines, oldest first. `step`: the step of a line; null: the plan as a whole. */
    log: z.array(z.object({ at: time, step: z.string().nullable(), text: z.string() })),
  }),
);
export type PlanRun = z.infer<typeof planAnswer>;
export type PlanRunStep = PlanRun['steps'][number];
export type PlanRunLogLine = PlanRun['log'][number];

/** `GET /api/mon/v1/upgrades`. */
export const plansAnswer = answer(z.array(summaryAnswer));
export type PlanRunSummary = z.infer<typeof plansAnswer>[number];

/**
 * Facts that the backend cannot determine itself: certificates, a dump, a snapshot, and attestations of the operator.
 */
const operatorFactsSchema = upgradeFactsSchema
  .pick({ certificates: true, dump: true, snapshot: true, install: true, state_dir: true, attested: true })
  .partial();
export type OperatorFacts = z.infer<typeof operatorFactsSchema>;

/** Body of `POST /api/mon/v1/upgrades`. */
export const newPlanSchema = z.object({
  from: versionSchema,
  to: versionSchema,
  facts: operatorFactsSchema.default({}),
});
export type NewPlan = z.infer<typeof newPlanSchema>;

const session = z.string().min(1).max(100);
const step = z.string().min(1).max(255);
/** Newer facts, which replace the earlier ones. */
const facts = operatorFactsSchema.optional();
const reason = z.string().trim().min(1, 'a reason is required').max(1000);

/** Body of `POST /api/mon/v1/upgrades/:id`. */
export const planOrderSchema = z.discriminatedUnion('order', [
  /** Take ownership; `force` takes it from an active owner. */
  z.object({ order: z.literal('take'), session, force: z.boolean().default(false) }),
  z.object({ order: z.literal('release'), session }),
  /** `typed`: the confirmation text of a step that cannot be undone. */
  z.object({ order: z.literal('start'), session, step, typed: z.string().max(10_000).optional(), facts }),
  z.object({ order: z.literal('confirm'), session, step, facts }),
  z.object({ order: z.literal('skip'), session, step, reason }),
  z.object({ order: z.literal('roll-back'), session, reason }),
  z.object({ order: z.literal('abandon'), session, reason }),
]);
export type PlanOrder = z.infer<typeof planOrderSchema>;
