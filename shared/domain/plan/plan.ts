import type { Finding, PlanStep, UpgradeFacts, UpgradePlan } from '../../schemas/plan.ts';
import { generalSteps } from './general-steps.ts';
import { UPGRADE_PHASES, worstOf, type PhasedStep } from './rule.ts';
import { UPGRADE_RULES } from './rules.ts';
import { versionText, type UpgradePath } from './version.ts';

/** Evaluates the upgrade rules that apply to an upgrade and returns their findings. */
export function findingsOf(path: UpgradePath, facts: UpgradeFacts): readonly Finding[] {
  return UPGRADE_RULES.filter((rule) => rule.applies(path, facts)).map((rule) => {
    const { verdict, evidence, remedy } = rule.evaluate(facts, path);
    return { rule: rule.id, title: rule.title, verdict, evidence, remedy };
  });
}

/**
 * Returns the ordered plan of an upgrade: the steps of every upgrade, with the steps of each applicable rule inserted.
 */
export function createUpgradePlan(path: UpgradePath, facts: UpgradeFacts): UpgradePlan {
  const findings = findingsOf(path, facts);
  const special = UPGRADE_RULES.filter((rule) => rule.applies(path, facts)).flatMap((rule) => rule.steps(facts, path));
  return {
    from: versionText(path.from),
    to: versionText(path.to),
    verdict: worstOf(findings.map(({ verdict }) => verdict)),
    findings,
    steps: orderSteps([...generalSteps(facts, path), ...special]),
  };
}

/**
 * Orders steps by phase. Within a phase, the general steps come first, then those of rules in the order of the rules.
 */
function orderSteps(steps: readonly PhasedStep[]): readonly PlanStep[] {
  return UPGRADE_PHASES.flatMap((currentPhase) => steps.filter(({ phase }) => phase === currentPhase)).map(
    ({ phase: _phase, ...step }) => step,
  );
}
