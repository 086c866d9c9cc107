import { z } from 'zod';
import { texts } from './answer.ts';
import {
  ruleVerdictSchema,
  upgradeFactsSchema,
  versionSchema,
  type Finding,
  type PlanStep,
  type RuleVerdict,
  type StepCheck,
} from './plan.ts';

/** Plans that are carried out: `/api/mon/v1/upgrades`. The backend holds them, consoles and `monctl` show and confirm. */

export const planStateSchema = z.enum(['open', 'done', 'abandoned', 'rolled-back']);
export type PlanRunState = z.infer<typeof planStateSchema>;

/**
 * `waiting`: its turn has not come, or nobody has started it; `running`: the backend is at it; `confirm`: the operator
 * does what it says, then confirms; `failed`: it can be started again, or skipped.
 */
export const planStepStateSchema = z.enum(['waiting', 'running', 'confirm', 'done', 'failed', 'skipped']);
export type PlanRunStepState = z.infer<typeof planStepStateSchema>;

export type PlanRunStep = PlanStep & {
  readonly state: PlanRunStepState;
  /** Epoch milliseconds; null: not yet. */
  readonly started_at: number | null;
  readonly ended_at: number | null;
  /** What came of it, or why it was skipped. */
  readonly note: string;
};

/** Who works on a plan. Everybody else watches. */
export interface PlanHolder {
  readonly who: string;
  /** Names the console or command that holds it: the same person may sit at two of them. */
  readonly session: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** When it last did or asked something, epoch milliseconds. */
  readonly seen: number;
}

export interface PlanRun {
  /** From 1. */
  readonly id: number;
  /** Grows with each change of it, from 1. */
  readonly revision: number;
  readonly from: string;
  readonly to: string;
  /** Epoch milliseconds. */
  readonly created_at: number;
  readonly created_by: string;
  readonly state: PlanRunState;
  readonly holder: PlanHolder | null;
  /** Of the newest look at the rules. */
  readonly verdict: RuleVerdict;
  readonly findings: readonly Finding[];
  readonly steps: readonly PlanRunStep[];
  /** Where the backup of this plan is; null: there is none yet. */
  readonly backup: string | null;
  /** Entities when the plan was made, to compare with afterwards; null: not known. */
  readonly entities: number | null;
  /** The oldest first; the newest few hundred. */
  readonly log: readonly PlanRunLogLine[];
}

/** An element of `GET /api/mon/v1/upgrades`. */
export type PlanRunSummary = Omit<PlanRun, 'log'>;

export interface PlanRunLogLine {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The step it is about; null: the plan as a whole. */
  readonly step: string | null;
  readonly text: string;
}

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

const timeOrNull = z.number().nullable();

const findingAnswer: z.ZodType<Finding> = z.object({
  rule: z.string(),
  title: z.string(),
  verdict: ruleVerdictSchema,
  evidence: texts,
  remedy: texts,
});

const CHECKS: ReadonlySet<unknown> = new Set(['rules', 'health', 'versions-agree', 'entities-kept']);
const stepCheck = z.custom<StepCheck>(
  (value) => typeof value === 'string' && (CHECKS.has(value) || value.startsWith('rule:')),
  'is no check that is known',
);

const stepAnswer: z.ZodType<PlanRunStep> = z.object({
  id: z.string(),
  kind: z.enum(['check', 'action', 'manual']),
  title: z.string(),
  details: texts,
  rule: z.string().exactOptional(),
  action: z.enum(['backup', 'drain', 'migrate', 'resume', 'fix-namespaces', 'migrate-stashes']).exactOptional(),
  check: stepCheck.exactOptional(),
  commands: texts.exactOptional(),
  confirm: z.string().exactOptional(),
  state: planStepStateSchema,
  started_at: timeOrNull,
  ended_at: timeOrNull,
  note: z.string(),
});

const summaryAnswer = z.object({
  id: z.number(),
  revision: z.number(),
  from: z.string(),
  to: z.string(),
  created_at: z.number(),
  created_by: z.string(),
  state: planStateSchema,
  holder: z.object({ who: z.string(), session: z.string(), since: z.number(), seen: z.number() }).nullable(),
  verdict: ruleVerdictSchema,
  findings: z.array(findingAnswer),
  steps: z.array(stepAnswer),
  backup: z.string().nullable(),
  entities: z.number().nullable(),
});

/** As callers rely on it, see `answer.ts`; attributes that are not known are left out. */
export const planAnswer: z.ZodType<PlanRun> = summaryAnswer.extend({
  log: z.array(z.object({ at: z.number(), step: z.string().nullable(), text: z.string() })),
});
/** As `planAnswer`, without its log. */
export const plansAnswer: z.ZodType<PlanRunSummary[]> = z.array(summaryAnswer);
