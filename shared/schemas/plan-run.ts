import { z } from 'zod';
import { responseSchema } from './response.ts';
import { findingResponse, ruleVerdictSchema, stepResponse, upgradeFactsSchema, versionSchema } from './plan.ts';

/**
 * Upgrade plans and their progress: `/api/mon/v1/upgrades`. The backend stores them; the console and `monctl` display
 * them and send orders.
 */

export const planStateSchema = z.enum(['open', 'done', 'abandoned', 'rolled-back']);

/**
 * State of a step in a plan.
 *
 * - `pending`: the step is not started
 * - `running`: the backend executes the step
 * - `confirm`: the operator follows the instructions, then confirms
 * - `done`: the step is complete
 * - `failed`: the step failed; it can be started again, or skipped
 * - `skipped`: the operator skipped the step
 */
export const planStepStateSchema = z.enum(['pending', 'running', 'confirm', 'done', 'failed', 'skipped']);
export type PlanRunStepState = z.infer<typeof planStepStateSchema>;

/** A time in epoch milliseconds. */
const timeMsSchema = z.number();

/** A plan without its log, with the attributes that callers rely on, see `response.ts`. */
const summaryResponse = z.object({
  /** Number of the plan. The first plan has 1. */
  id: z.number(),
  /** Starts at 1 and increases with each change of the plan. */
  revision: z.number(),
  from: z.string(),
  to: z.string(),
  created_at: timeMsSchema,
  created_by: z.string(),
  state: planStateSchema,
  /** The owner of the plan, who alone may execute it; null: nobody. */
  holder: z
    .object({
      who: z.string(),
      /** Identifies the console or command of the owner, since one person may use several. */
      session: z.string(),
      since: timeMsSchema,
      /** Time of the last request of the owner. */
      last_seen: timeMsSchema,
    })
    .nullable(),
  /** The verdict of the rules when they were last evaluated. */
  verdict: ruleVerdictSchema,
  findings: z.array(findingResponse),
  steps: z.array(
    stepResponse.extend({
      state: planStepStateSchema,
      /** Time at which the step started; null before its start. */
      started_at: timeMsSchema.nullable(),
      ended_at: timeMsSchema.nullable(),
      /** The outcome of the step, or the reason why it was skipped. */
      note: z.string(),
    }),
  ),
  /** Path of the backup that this plan made; null if there is none yet. */
  backup: z.string().nullable(),
  /** Number of entities when the plan was created, for a comparison after the upgrade; null if unknown. */
  entities: z.number().nullable(),
});

/** An upgrade plan with its log: `GET /api/mon/v1/upgrades/:id`. */
export const planResponse = responseSchema(
  summaryResponse.extend({
    /**
     * The newest few hundred lines of the log, oldest first. `step`: the step of the line; null: the plan as a whole.
     */
    log: z.array(z.object({ at: timeMsSchema, step: z.string().nullable(), text: z.string() })),
  }),
);
export type PlanRun = z.infer<typeof planResponse>;
export type PlanRunStep = PlanRun['steps'][number];
export type PlanRunLogLine = PlanRun['log'][number];

/** The list of upgrade plans: `GET /api/mon/v1/upgrades`. */
export const plansResponse = responseSchema(z.array(summaryResponse));
export type PlanRunSummary = z.infer<typeof plansResponse>[number];

/**
 * Facts that the operator provides, because the backend cannot determine them: certificates, a dump, a snapshot, the
 * kind of installation, the state directory, and attestations.
 */
const operatorFactsSchema = upgradeFactsSchema
  .pick({ certificates: true, dump: true, snapshot: true, install: true, state_dir: true, attested: true })
  .partial();
export type OperatorFacts = z.infer<typeof operatorFactsSchema>;

/** A new upgrade plan: body of `POST /api/mon/v1/upgrades`. */
export const newPlanSchema = z.object({
  from: versionSchema,
  to: versionSchema,
  facts: operatorFactsSchema.default({}),
});
export type NewPlan = z.infer<typeof newPlanSchema>;

const sessionSchema = z.string().min(1).max(100);
const stepIdSchema = z.string().min(1).max(255);
/** Newer facts of the operator, which replace the earlier ones. */
const factsSchema = operatorFactsSchema.optional();
const reasonSchema = z.string().trim().min(1, 'a reason is required').max(1000);

/** An order to an upgrade plan: body of `POST /api/mon/v1/upgrades/:id`. */
export const planOrderSchema = z.discriminatedUnion('order', [
  /** Makes the session the owner of the plan. `force`: even if another session is the owner and is active. */
  z.object({ order: z.literal('take'), session: sessionSchema, force: z.boolean().default(false) }),
  z.object({ order: z.literal('release'), session: sessionSchema }),
  /** Starts a step. `typed`: the confirmation text that the operator typed, for a step that cannot be undone. */
  z.object({
    order: z.literal('start'),
    session: sessionSchema,
    step: stepIdSchema,
    typed: z.string().max(10_000).optional(),
    facts: factsSchema,
  }),
  z.object({ order: z.literal('confirm'), session: sessionSchema, step: stepIdSchema, facts: factsSchema }),
  z.object({ order: z.literal('skip'), session: sessionSchema, step: stepIdSchema, reason: reasonSchema }),
  z.object({ order: z.literal('roll-back'), session: sessionSchema, reason: reasonSchema }),
  z.object({ order: z.literal('abandon'), session: sessionSchema, reason: reasonSchema }),
]);
export type PlanOrder = z.infer<typeof planOrderSchema>;
