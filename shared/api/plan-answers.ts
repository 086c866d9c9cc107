import { z } from 'zod';
import type { PlanRun, PlanRunStep, PlanRunSummary } from '../schemas/plan-run.ts';
import type { Finding, StepCheck } from '../schemas/plan.ts';

/** Answers about plans for upgrades, as far as callers rely on them. Attributes that are not known are left out. */

const lines = z.array(z.string());
const time = z.number().nullable();
const verdict = z.enum(['pass', 'warn', 'block']);

const finding: z.ZodType<Finding> = z.object({
  rule: z.string(),
  title: z.string(),
  verdict,
  evidence: lines,
  remedy: lines,
});

const CHECKS: ReadonlySet<unknown> = new Set(['rules', 'health', 'versions-agree', 'entities-kept']);
const stepCheck = z.custom<StepCheck>(
  (value) => typeof value === 'string' && (CHECKS.has(value) || value.startsWith('rule:')),
  'is no check that is known',
);

const step: z.ZodType<PlanRunStep> = z.object({
  id: z.string(),
  kind: z.enum(['check', 'action', 'manual']),
  title: z.string(),
  details: lines,
  rule: z.string().exactOptional(),
  action: z.enum(['backup', 'drain', 'migrate', 'resume', 'fix-namespaces', 'migrate-stashes']).exactOptional(),
  check: stepCheck.exactOptional(),
  commands: lines.exactOptional(),
  confirm: z.string().exactOptional(),
  state: z.enum(['waiting', 'running', 'confirm', 'done', 'failed', 'skipped']),
  started_at: time,
  ended_at: time,
  note: z.string(),
});

const summary = z.object({
  id: z.number(),
  revision: z.number(),
  from: z.string(),
  to: z.string(),
  created_at: z.number(),
  created_by: z.string(),
  state: z.enum(['open', 'done', 'abandoned', 'rolled-back']),
  holder: z.object({ who: z.string(), session: z.string(), since: z.number(), seen: z.number() }).nullable(),
  verdict,
  findings: z.array(finding),
  steps: z.array(step),
  backup: z.string().nullable(),
  entities: z.number().nullable(),
});

const plan: z.ZodType<PlanRun> = summary.extend({
  log: z.array(z.object({ at: z.number(), step: z.string().nullable(), text: z.string() })),
});
const plans: z.ZodType<PlanRunSummary[]> = z.array(summary);

export const UPGRADE_ANSWERS = { plan, plans };
