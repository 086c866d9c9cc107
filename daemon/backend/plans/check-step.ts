import { findingsOf } from '../../../shared/domain/plan/plan.ts';
import type { StepOutcome } from '../../../shared/domain/plan/run.ts';
import { parsePath, type UpgradePath } from '../../../shared/domain/plan/version.ts';
import { differingVersions } from '../../../shared/domain/plan/versions-agree.ts';
import { namesText } from '../../../shared/domain/plan/rule.ts';
import { MonError } from '../../../shared/errors.ts';
import type { PlanRun, PlanRunStep } from '../../../shared/schemas/plan-run.ts';
import type { Finding, StepCheck } from '../../../shared/schemas/plan.ts';
import { COMPATIBLE_V2_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import { doneOutcome, failedOutcome, type StepDependencies, type StepRun } from './step-dependencies.ts';

/** Runs a check step of an upgrade plan, or the check with which the backend verifies a manual step. */
export function checkStep(check: StepCheck, parts: StepDependencies, run: StepRun): StepOutcome {
  switch (check) {
    case 'rules':
      return checkRules(run);
    case 'health':
      return checkHealth(parts, run);
    case 'versions-agree':
      return checkVersions(run);
    case 'entities-kept':
      return checkEntities(run);
    default:
      return checkRule(check.slice('rule:'.length), run);
  }
}

/**
 * Evaluates all upgrade rules. The step succeeds if no finding blocks the upgrade, or later steps of the plan fix all
 * that do.
 */
function checkRules(run: StepRun): StepOutcome {
  const findings = findingsOf(pathOf(run.plan), run.facts);
  const blocking = findings.filter(({ verdict }) => verdict === 'block');
  const left = blocking.flatMap((finding) => pendingFixOf(finding, run) ?? []);
  if (left.length < blocking.length)
    return failedOutcome(blocking.map((finding) => blockingText(finding, run)).join('; '), { findings });
  if (left.length > 0) {
    const text = blocking.map((finding) => blockingText(finding, run)).join('; ');
    return doneOutcome(`later steps will fix: ${text}`, { findings });
  }
  const warnings = findings.filter(({ verdict }) => verdict === 'warn');
  const note = `${String(findings.length)} rules checked, nothing blocks the upgrade`;
  return doneOutcome(
    warnings.length === 0 ? note : `${note}; warnings: ${namesText(warnings.map(({ rule }) => rule))}`,
    {
      findings,
    },
  );
}

/**
 * Evaluates one upgrade rule. The step succeeds if the rule has no finding, or a finding that does not block the
 * upgrade.
 */
function checkRule(id: string, { plan, facts }: StepRun): StepOutcome {
  const findings = findingsOf(pathOf(plan), facts);
  const finding = findings.find(({ rule }) => rule === id);
  if (finding?.verdict === 'block') return failedOutcome(findingText(finding), { findings });
  return doneOutcome(finding === undefined ? `${id}: nothing left to do` : findingText(finding), { findings });
}

function checkHealth({ batcher, clock, startedMs }: StepDependencies, { step }: StepRun): StepOutcome {
  if (step.kind === 'manual' && startedMs <= (step.started_at ?? 0)) {
    return failedOutcome('this backend was not restarted since the step began: restart it, then confirm again');
  }
  if (batcher.isFailing) return failedOutcome('the store does not accept writes: see the log of the backend');
  return doneOutcome(`healthy, running for ${String(Math.round((clock.now() - startedMs) / 1000))} s`);
}

function checkVersions({ plan, facts }: StepRun): StepOutcome {
  const { to } = pathOf(plan);
  const differing = differingVersions(to, {
    backend: { own: VERSION, level: COMPATIBLE_V2_VERSION },
    agents: facts.agents ?? [],
  });
  if (differing.length > 0) return failedOutcome(`not at ${plan.to}: ${namesText(differing)}`);
  return doneOutcome(
    `backend ${VERSION} (API level ${COMPATIBLE_V2_VERSION}), ${String(facts.agents?.length ?? 0)} agents: all agree`,
  );
}

function checkEntities({ plan, facts }: StepRun): StepOutcome {
  const [before, now] = [plan.entities, facts.entities?.total ?? 0];
  if (before === null) return doneOutcome(`${String(now)} entities; the number before the upgrade is unknown`);
  if (now < before) return failedOutcome(`there were ${String(before)} entities, now there are ${String(now)}`);
  return doneOutcome(`${String(now)} entities, ${String(before)} before`);
}

function blockingText(finding: Finding, run: StepRun): string {
  const mender = pendingFixOf(finding, run);
  const text = findingText(finding);
  return mender === undefined ? text : `${text} (the step ${mender.id} fixes it)`;
}

/**
 * Returns the step of the plan that will fix a finding; undefined if there is no such step, or it was already started.
 */
function pendingFixOf({ rule: broken }: Finding, { plan }: StepRun): PlanRunStep | undefined {
  return plan.steps.find(({ rule, state }) => rule === broken && state === 'pending');
}

function findingText({ rule, evidence, remedy }: Finding): string {
  return [`${rule}: ${evidence.join(', ')}`, ...remedy.slice(0, 1)].join(': ');
}

/** @throws MonError `internal` if the versions are invalid; they were validated when the plan was created */
function pathOf({ from, to }: Pick<PlanRun, 'from' | 'to'>): UpgradePath {
  const path = parsePath(from, to);
  if ('problem' in path) throw new MonError('internal', path.problem);
  return path;
}
