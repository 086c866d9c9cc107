import { z } from 'zod';
import { answer } from './answer.ts';
import { findingAnswer, ruleVerdictSchema, stepAnswer, upgradeFactsSchema, versionSchema } from './plan.ts';

/** Plans that are carried out: `/api/mon/v1/upgrades`. The backend holds them, consoles and `monctl` show and confirm. */

export const planStateSchema = z.enum(['open', 'done', 'abandoned', 'rolled-back']);

/**
 * `pending`: it was not started yet; `running`: the backend works on it; `confirm`: the operator
 * does what it says, then confirms; `failed`: it can be started again, or skipped.
 */
export const planStepStateSchema = z.enum(['pending', 'running', 'confirm', 'done', 'failed', 'skipped']);
export type PlanRunStepState = z.infer<typeof planStepStateSchema>;

/** Epoch milliseconds. */
const time = z.number();

/** A plan as callers rely on it, see `answer.ts`; its log is apart. */
const summaryAnswer = z.object({
  /** From 1. */
  id: z.number(),
  /** Grows with each change of it, from 1. */
  revision: z.number(),
  from: z.string(),
  to: z.string(),
  created_at: time,
  created_by: z.string(),
  state: planStateSchema,
  /** Who works on it. Everybody else watches. */
  holder: z
    .object({
      who: z.string(),
      /** Names the console or command that holds it: the same person may sit at two of them. */
      session: z.string(),
      since: time,
      /** The time of its last request. */
      last_seen: time,
    })
    .nullable(),
  /** Of the newest look at the rules. */
  verdict: ruleVerdictSchema,
  findings: z.array(findingAnswer),
  steps: z.array(
    stepAnswer.extend({
      state: planStepStateSchema,
      /** Null: not yet. */
      started_at: time.nullable(),
      ended_at: time.nullable(),
      /** What came of it, or why it was skipped. */
      note: z.string(),
    }),
  ),
  /** Where the backup of this plan is; null: there is none yet. */
  backup: z.string().nullable(),
  /** Entities when the plan was made, to compare with afterwards; null: not known. */
  entities: z.number().nullable(),
});

/** `GET /api/mon/v1/upgrades/:id`. */
export const planAnswer = answer(
  summaryAnswer.extend({
    /** The oldest first; the newest few hundred. `step`: what a line is about; null: the plan as a whole. */
    log: z.array(z.object({ at: time, step: z.string().nullable(), text: z.string() })),
  }),
);
export type PlanRun = z.infer<typeof planAnswer>;
export type PlanRunStep = PlanRun['steps'][number];
export type PlanRunLogLine = PlanRun['log'][number];

/** `GET /api/mon/v1/upgrades`. */
export const plansAnswer = answer(z.array(summaryAnswer));
export type PlanRunSummary = z.infer<typeof plansAnswer>[number];

/** What the backend cannot find out itself: certificates, a dump, a snapshot, and what the operator vouches for. */
const toldFactsSchema = upgradeFactsSchema
  .pick({ certificates: true, dump: true, snapshot: true, install: true, state_dir: true, attested: true })
  .partial();
export type ToldFacts = z.infer<typeof toldFactsSchema>;

/** Body of `POST /api/mon/v1/upgrades`. */
export const newPlanSchema = z.object({
  from: versionSchema,
  to: versionSchema,
  facts: toldFactsSchema.default({}),
});
export type NewPlan = z.infer<typeof newPlanSchema>;

const session = z.string().min(1).max(100);
const step = z.string().min(1).max(255);
/** What was found out since: it takes the place of what was told before. */
const facts = toldFactsSchema.optional();
const reason = z.string().trim().min(1, 'a reason is required').max(1000);

/** Body of `POST /api/mon/v1/upgrades/:id`. */
export const planOrderSchema = z.discriminatedUnion('order', [
  /** Become the holder; `force` takes it from one who is still there. */
  z.object({ order: z.literal('take'), session, force: z.boolean().default(false) }),
  z.object({ order: z.literal('release'), session }),
  /** `typed`: what a step that cannot be undone wants to be typed. */
  z.object({ order: z.literal('start'), session, step, typed: z.string().max(10_000).optional(), facts }),
  z.object({ order: z.literal('confirm'), session, step, facts }),
  z.object({ order: z.literal('skip'), session, step, reason }),
  z.object({ order: z.literal('roll-back'), session, reason }),
  z.object({ order: z.literal('abandon'), session, reason }),
]);
export type PlanOrder = z.infer<typeof planOrderSchema>;
